import type { ChangedFile, Changes, UnrecordedFile } from '../../protocol/changes.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import { allEntriesBetween, changesIn, type EntryChange, linkMode } from './entries.ts';
import { generatedAmong } from './generated.ts';
import { type PathBytes, partsIn, toldPath } from './path-bytes.ts';
import { coversPath, type Entry, type Recording, type Store, treeWith } from './store.ts';
import { inTurns } from './turns.ts';

/** Two recordings, and what differs between them, moves as moves. */
export interface Comparison {
  /** Their trees; the second one without a difference where nothing is known. */
  readonly trees: readonly [before: string, after: string];
  readonly changes: readonly EntryChange[];
  readonly told: Changes;
}

const mostFiles = 20_000;

/** Compares once; lists and patches are told from it. */
export async function compare(
  store: Store,
  before: Recording,
  after: Recording,
): Promise<Result<Comparison>> {
  const unrecorded = [...before.unrecorded, ...after.unrecorded];
  const tree = await knownTree(store, before, after);
  if (!tree.ok) return tree;
  const trees = [before.tree, tree.value] as const;
  const both = await store.run(['diff-tree', '-r', '-z', '--raw', '--numstat', ...moves, ...trees]);
  if (!both.ok) return both;
  const parts = await partsIn(both.value);
  const changes = await changesIn(parts);
  const counts = await countsIn(parts);
  const shown = changes.slice(0, mostFiles);
  const generated = await generatedAmong(
    store,
    shown.map(({ path }) => path),
  );
  if (!generated.ok) return generated;
  const files: ChangedFile[] = [];
  await inTurns(function* () {
    for (const change of shown) {
      files.push(told(change, counts.get(change.path), generated.value.has(change.path)));
      yield;
    }
  });
  const isAll = changes.length <= mostFiles;
  return accept({
    trees,
    changes,
    told: { before: before.id, after: after.id, files, isAll, unrecorded: toldOnce(unrecorded) },
  });
}

/** Moves are looked for among so many files at most. */
export const moves = ['-M', '-l1000'];

/** The second tree, but with what the first one has where one of them knows nothing: what only seems to be gone is not told as such. */
async function knownTree(store: Store, before: Recording, after: Recording): Promise<Result<string>> {
  if (before.unrecorded.length + after.unrecorded.length === 0) return accept(after.tree);
  const all = await allEntriesBetween(store, before.tree, after.tree);
  if (!all.ok) return all;
  const isUnknown = coversPath([...before.unrecorded, ...after.unrecorded]);
  const unknown = all.value.filter(({ path }) => isUnknown(path));
  if (unknown.length === 0) return accept(after.tree);
  const steps = unknown.map(({ path, before: entry }) => ({ path, to: entry }));
  return treeWith(store, after.tree, steps, { mayLack: true });
}

function told(
  { path, movedFrom, before, after }: EntryChange,
  count: Count | undefined,
  isGenerated: boolean,
): ChangedFile {
  const mediaType = imageTypes[/\.(\w+)$/.exec(path.toLowerCase())?.[1] ?? ''];
  return {
    path: toldPath(path),
    ...(movedFrom !== undefined && { movedFrom: toldPath(movedFrom) }),
    kind: kindOf(before, after, movedFrom),
    added: count?.added ?? null,
    removed: count?.removed ?? null,
    isLink: (after ?? before)?.mode === linkMode,
    content: after?.blob ?? null,
    ...(mediaType !== undefined && { mediaType }),
    ...(isGenerated && { isGenerated }),
  };
}

/** Each path once. */
export function toldOnce(unrecorded: Recording['unrecorded']): UnrecordedFile[] {
  const whys = new Map(unrecorded.map(({ path, why }) => [toldPath(path), why]));
  return [...whys].map(([path, why]) => ({ path, why }));
}

function kindOf(
  before: Entry | undefined,
  after: Entry | undefined,
  movedFrom?: PathBytes,
): ChangedFile['kind'] {
  if (movedFrom !== undefined) return 'moved';
  if (before === undefined) return 'added';
  if (after === undefined) return 'deleted';
  if (before.mode.slice(0, 3) !== after.mode.slice(0, 3)) return 'type';
  return before.blob === after.blob ? 'mode' : 'modified';
}

const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
};

interface Count {
  readonly added: number | null;
  readonly removed: number | null;
}

/** What git lists with `--numstat -z`; what comes before it in another form is not looked at. */
async function countsIn(parts: readonly PathBytes[]): Promise<Map<PathBytes, Count>> {
  const counts = new Map<PathBytes, Count>();
  let at = 0;
  for (; parts[at]?.startsWith(':'); ) at += parts[at]?.includes(' R') ? 3 : 2;
  await inTurns(function* () {
    for (; at < parts.length; at += 1) {
      const [, added = '-', removed = '-', name = ''] =
        /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(parts[at] ?? '') ?? [];
      // Of a moved file both paths follow by themselves.
      if (name === '') at += 2;
      const path = name === '' ? parts[at] : (name as PathBytes);
      if (path !== undefined) counts.set(path, { added: numberOf(added), removed: numberOf(removed) });
      yield;
    }
  });
  return counts;
}

const numberOf = (text: string): number | null => (text === '-' ? null : Number(text));
