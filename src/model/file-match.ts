/** The paths that fit what was typed of them, the best first; equally good ones keep their order. */
export function bestMatches(paths: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const byRank: string[][] = [[], [], [], [], [], []];
  for (const path of paths) byRank[rankOf(path.toLowerCase(), wanted) ?? -1]?.push(path);
  return byRank.flat();
}

/** The file's own name counts more than its folders, letters that follow each other more than letters that are apart. */
function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (wanted === '' || name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  if (hasInOrder(name, wanted)) return 4;
  return hasInOrder(path, wanted) ? 5 : undefined;
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + letter.length;
  }
  return true;
}
