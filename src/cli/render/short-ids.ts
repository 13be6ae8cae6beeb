/** The shortest beginnings, of at least eight characters, by which these ids can be told apart. */
export function shortIds(ids: readonly string[]): string[] {
  const sorted = [...new Set(ids)].sort();
  const lengths = new Map<string, number>();
  sorted.forEach((id, index) => {
    const shared = Math.max(sharedLength(id, sorted[index - 1]), sharedLength(id, sorted[index + 1]));
    lengths.set(id, Math.max(8, shared + 1));
  });
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

function sharedLength(id: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
