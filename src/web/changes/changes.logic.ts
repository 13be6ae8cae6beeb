import { findWords, hasWords } from '../../model/find-session.ts';
import type { ChangedFile, ChangesSince, SessionChanges } from '../../protocol/changes.ts';

/** What the files are compared with: how they were when the session began, before a turn, or at the last commit. */
export const sinces: readonly ChangesSince[] = ['start', 'turn', 'commit'];

/** Since when; of `turn`, which one: null for the last. */
export interface Asked {
  readonly since: ChangesSince;
  readonly turnId: string | null;
}

/** The directory with its slash, and the name in it. */
export function nameOf(path: string): readonly [directory: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

export interface Totals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export const totalsOf = (files: readonly ChangedFile[]): Totals =>
  files.reduce(
    (sum, { added, removed }) => ({
      files: sum.files + 1,
      added: sum.added + (added ?? 0),
      removed: sum.removed + (removed ?? 0),
    }),
    { files: 0, added: 0, removed: 0 },
  );

/** Who may have changed a file: somebody while the agent had its turns, somebody at other times, or either. */
export type Whose = 'all' | 'turns' | 'outside';

/** Of each path that changed outside of the turns, whether it changed only there. */
export const outsideOf = ({
  between,
  both,
}: Pick<SessionChanges, 'between' | 'both'>): ReadonlyMap<string, 'only' | 'also'> =>
  new Map([
    ...both.map((path) => [path, 'also'] as const),
    ...between.map((path) => [path, 'only'] as const),
  ]);

/** Files with all these words in their paths. */
export function filesMatching(
  files: readonly ChangedFile[],
  query: string,
  whose: Whose,
  outside: ReadonlyMap<string, 'only' | 'also'>,
): readonly ChangedFile[] {
  const words = findWords(query);
  if (words.length === 0 && whose === 'all') return files;
  return files.filter(({ path, movedFrom = '' }) => {
    const how = outside.get(path);
    if (whose === 'turns' && how === 'only') return false;
    if (whose === 'outside' && how === undefined) return false;
    return hasWords(`${path} ${movedFrom}`.toLowerCase(), words);
  });
}

export type ListedRow =
  | {
      readonly is: 'directory';
      readonly path: string;
      /** Several, where each has nothing but the next in it. */
      readonly name: string;
      readonly depth: number;
      readonly isOpen: boolean;
      readonly files: number;
    }
  | { readonly is: 'file'; readonly file: ChangedFile; readonly depth: number };

interface Directory {
  readonly directories: Map<string, Directory>;
  readonly files: ChangedFile[];
  count: number;
}

/** Files under their directories; those that are `closed` hide what is in them. */
export function treeOf(files: readonly ChangedFile[], closed: ReadonlySet<string>): ListedRow[] {
  const root = emptyDirectory();
  for (const file of files) {
    const parts = nameOf(file.path)[0].split('/').slice(0, -1);
    let at = root;
    at.count += 1;
    for (const part of parts) {
      const next = at.directories.get(part) ?? emptyDirectory();
      at.directories.set(part, next);
      next.count += 1;
      at = next;
    }
    at.files.push(file);
  }
  const rows: ListedRow[] = [];
  flatten(root, '', 0, closed, rows);
  return rows;
}

const emptyDirectory = (): Directory => ({ directories: new Map(), files: [], count: 0 });

function flatten(
  directory: Directory,
  path: string,
  depth: number,
  closed: ReadonlySet<string>,
  rows: ListedRow[],
): void {
  for (const [first, inside] of directory.directories) {
    let [name, at] = [first, inside];
    while (at.files.length === 0 && at.directories.size === 1) {
      const [[next, below] = ['', at]] = at.directories;
      [name, at] = [`${name}/${next}`, below];
    }
    const whole = `${path}${name}/`;
    const isOpen = !closed.has(whole);
    rows.push({ is: 'directory', path: whole, name, depth, isOpen, files: at.count });
    if (isOpen) flatten(at, whole, depth + 1, closed, rows);
  }
  for (const file of directory.files) rows.push({ is: 'file', file, depth });
}
