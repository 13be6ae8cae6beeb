/** The part of each file of a patch as git writes it; what a file holds never begins a line as a head does. */
export function patchesIn(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part !== '');
}

/** Whether a part of a patch is that of the file that is told by this path; odd paths are told in quotes. */
export function isPatchOf(part: string, path: string): boolean {
  const [head = ''] = part.split('\n', 1);
  return head.endsWith(path.startsWith('"') ? ` "b/${path.slice(1)}` : ` b/${path}`);
}
