import type { Ref } from './repository-git.ts';

/** The branch that a new one of this name would clash with: it is there, or one is a folder of the other. */
export function obstacleTo(refs: readonly Ref[], branch: string): string | undefined {
  const folder = 'refs/heads/';
  return refs
    .filter(({ name }) => name.startsWith(folder))
    .map(({ name }) => name.slice(folder.length))
    .find((name) => name === branch || name.startsWith(`${branch}/`) || branch.startsWith(`${name}/`));
}

/** A branch of ours, named after what is to be done, that clashes with none. */
export function freeBranch(refs: readonly Ref[], title: string): string {
  // Somebody may have a branch "beckon": then none can lie below that.
  const prefix = obstacleTo(refs, 'beckon/-') === undefined ? 'beckon/' : 'beckon-';
  const words = wordsOf(title);
  for (let number = 1; ; number += 1) {
    const branch = `${prefix}${words}${number === 1 ? '' : `-${number}`}`;
    if (obstacleTo(refs, branch) === undefined) return branch;
  }
}

const mostLetters = 40;

function wordsOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replace(/^beckon[/-]/, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let name = '';
  for (const word of words) {
    if (`${name}-${word}`.length > mostLetters && name !== '') break;
    name = name === '' ? word.slice(0, mostLetters) : `${name}-${word}`;
  }
  return name === '' ? 'session' : name;
}

/** Of letters that every system can have in a name; it never begins with a dot. */
export const folderName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60) || 'worktree';
