import type { ChangedFile, Changes, Patch, UnrecordedFile } from '../../protocol/changes.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { type PathBytes, pathsIn, pathTold, toldPath } from './path-bytes.ts';
import { coversPath, type Recording, type Store } from './store.ts';

/** A file of a recording: its content by id, and its mode as git writes it. */
export interface Entry {
  readonly mode: string;
  readonly blob: string;
}

/** What differs at one path between two recordings. */
export interface EntryChange {
  readonly path: PathBytes;
  /** Where it was before, if it was moved. */
  readonly movedFrom?: PathBytes;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

const mostFiles = 20_000;

export async function changesBetween(
  store: Store,
  before: Recording,
  after: Recording,
): Promise<Result<Changes>> {
  const isUnknown = coversPath([...before.unrecorded, ...after.unrecorded]);
  const entries = await entriesBetween(store, before, after, true);
  if (!entries.ok) return entries;
  const counts = await countsBetween(store, before, after, entries.value.renames);
  if (!counts.ok) return counts;
  const files = entries.value.changes.map((change) => told(change, counts.value.get(change.path)));
  return accept({
    before: before.id,
    after: after.id,
    files: files.slice(0, mostFiles),
    isAll: files.length <= mostFiles,
    unrecorded: toldUnrecorded([before, after]),
  });

  function told(
    { path, movedFrom, before: old, after: fresh }: EntryChange,
    count: Count | undefined,
  ): ChangedFile {
    const mediaType = imageTypes[/\.(\w+)$/.exec(path.toLowerCase())?.[1] ?? ''];
    return {
      path: toldPath(path),
      ...(movedFrom !== undefined && !isUnknown(movedFrom) && { movedFrom: toldPath(movedFrom) }),
      kind: kindOf(old, fresh, movedFrom),
      added: count?.added ?? null,
      removed: count?.removed ?? null,
      isLink: (fresh ?? old)?.mode === linkMode,
      content: fresh?.blob ?? null,
      ...(mediaType !== undefined && { mediaType }),
    };
  }
}

/** Each path once. */
export function toldUnrecorded(recordings: readonly Recording[]): UnrecordedFile[] {
  const all = recordings.flatMap(({ unrecorded }) => unrecorded);
  const whys = new Map(all.map(({ path, why }) => [toldPath(path), why]));
  return [...whys].map(([path, why]) => ({ path, why }));
}

const linkMode = '120000';

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

/** What is in the one and not, or otherwise, in the other; without paths of which one of them knows nothing. */
export async function entriesBetween(
  store: Store,
  before: Recording,
  after: Recording,
  withRenames = false,
): Promise<Result<{ changes: EntryChange[]; renames: string }>> {
  const isUnknown = coversPath([...before.unrecorded, ...after.unrecorded]);
  const isKnown = ({ path, movedFrom }: EntryChange): boolean =>
    !isUnknown(path) && (movedFrom === undefined || !isUnknown(movedFrom));
  for (const renames of withRenames ? ['-M', '--no-renames'] : ['--no-renames']) {
    const raw = await store.run(['diff-tree', '-r', '-z', '--raw', renames, ...few, before.tree, after.tree]);
    if (!raw.ok) return raw;
    const all = entriesIn(raw.value);
    const changes = all.filter(isKnown);
    // A file that only seems to be gone must not be told as moved.
    if (renames === '--no-renames' || changes.length === all.length) return accept({ changes, renames });
  }
  return refuse('git_not_available');
}

/** Moves are looked for among so many files at most. */
const few = ['-l1000'];

export function entriesIn(output: Buffer): EntryChange[] {
  const parts = pathsIn(output);
  const changes: EntryChange[] = [];
  for (let at = 0; at < parts.length; ) {
    const [, beforeMode = '', afterMode = '', beforeBlob = '', afterBlob = '', status = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(parts[at] ?? '') ?? [];
    const isMoved = status === 'R';
    const [first, second] = [parts[at + 1], parts[at + 2]];
    const path = isMoved ? second : first;
    at += isMoved ? 3 : 2;
    if (path === undefined) continue;
    changes.push({
      path,
      ...(isMoved && first !== undefined && { movedFrom: first }),
      before: entryOf(beforeMode, beforeBlob),
      after: entryOf(afterMode, afterBlob),
    });
  }
  return changes;
}

const entryOf = (mode: string, blob: string): Entry | undefined =>
  mode === '000000' ? undefined : { mode, blob };

interface Count {
  readonly added: number | null;
  readonly removed: number | null;
}

async function countsBetween(
  store: Store,
  before: Recording,
  after: Recording,
  renames: string,
): Promise<Result<ReadonlyMap<PathBytes, Count>>> {
  const told = await store.run([
    'diff-tree',
    '-r',
    '-z',
    '--numstat',
    renames,
    ...few,
    before.tree,
    after.tree,
  ]);
  if (!told.ok) return told;
  const parts = pathsIn(told.value);
  const counts = new Map<PathBytes, Count>();
  for (let at = 0; at < parts.length; at += 1) {
    const [, added = '-', removed = '-', name = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(parts[at] ?? '') ?? [];
    // Of a moved file both paths follow by themselves.
    if (name === '') at += 2;
    const path = name === '' ? parts[at] : (name as PathBytes);
    if (path !== undefined) counts.set(path, { added: numberOf(added), removed: numberOf(removed) });
  }
  return accept(counts);
}

const numberOf = (text: string): number | null => (text === '-' ? null : Number(text));

const mostPatchBytes = 2 * 1024 * 1024;

/** What changed in one file. Contents are compared by their ids: a path with any bytes in it need not be an argument. */
export async function patchBetween(
  store: Store,
  before: Recording,
  after: Recording,
  path: string,
): Promise<Result<Patch>> {
  const entries = await entriesBetween(store, before, after, true);
  if (!entries.ok) return entries;
  const wanted = pathTold(path);
  const change = entries.value.changes.find((one) => one.path === wanted);
  if (change === undefined) return refuse('invalid_value', `Nothing is known to have changed at ${path}.`);
  const [old, fresh] = [change.before?.blob ?? emptyBlob, change.after?.blob ?? emptyBlob];
  if (old === fresh) return accept({ text: '', isCut: false, isBinary: false });
  const { end, output } = await store.call(['diff', '--no-color', '-U3', old, fresh], {
    mostBytes: mostPatchBytes,
  });
  if (end !== 'done' && end !== 'long')
    return refuse(end === 'closed' ? 'shutting_down' : 'git_not_available');
  const start = output.indexOf('\n@@ ');
  const hunks = start < 0 ? Buffer.alloc(0) : output.subarray(start + 1);
  return accept({ text: hunks.toString('utf8'), isCut: end === 'long', isBinary: start < 0 });
}

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

const mostContentBytes = 10 * 1024 * 1024;

/** What a file held; undefined where it was not there. */
export async function contentIn(
  store: Store,
  recording: Recording,
  path: string,
): Promise<Result<Buffer | undefined>> {
  const wanted = pathTold(path);
  const entries = await entriesOf(store, recording);
  if (!entries.ok) return entries;
  const entry = wanted === undefined ? undefined : entries.value.get(wanted);
  return entry === undefined ? accept(undefined) : blobOf(store, entry);
}

export const blobOf = (store: Store, { blob }: Entry): Promise<Result<Buffer>> =>
  store.run(['cat-file', 'blob', blob], { mostBytes: mostContentBytes });

export async function entriesOf(store: Store, { tree }: Recording): Promise<Result<Map<PathBytes, Entry>>> {
  const listed = await store.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  if (!listed.ok) return listed;
  const entries = new Map<PathBytes, Entry>();
  for (const line of pathsIn(listed.value)) {
    const [mode = '', , blob = ''] = line.slice(0, line.indexOf('\t')).split(' ');
    entries.set(line.slice(line.indexOf('\t') + 1) as PathBytes, { mode, blob });
  }
  return accept(entries);
}
