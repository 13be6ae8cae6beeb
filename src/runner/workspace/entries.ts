import { accept, type Result } from '../../protocol/errors.ts';
import type { GitCall } from './git.ts';
import { bytesOf, type PathBytes, partsIn, pathTold } from './path-bytes.ts';
import { coversPath, type Entry, type Recording, type Store } from './store.ts';
import { inTurns } from './turns.ts';

/** What differs at one path between two recordings. */
export interface EntryChange {
  readonly path: PathBytes;
  /** Where it was before, if it was moved. */
  readonly movedFrom?: PathBytes;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

export const linkMode = '120000';

/** What is in the one and not, or otherwise, in the other, path by path; without those of which one of them knows nothing. */
export async function entriesBetween(
  store: Store,
  before: Recording,
  after: Recording,
): Promise<Result<EntryChange[]>> {
  const all = await allEntriesBetween(store, before.tree, after.tree);
  if (!all.ok) return all;
  const isUnknown = coversPath([...before.unrecorded, ...after.unrecorded]);
  return accept(all.value.filter(({ path }) => !isUnknown(path)));
}

export async function allEntriesBetween(
  store: Store,
  before: string,
  after: string,
): Promise<Result<EntryChange[]>> {
  const raw = await store.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', before, after]);
  return raw.ok ? accept(await changesIn(await partsIn(raw.value))) : raw;
}

/** What git lists with `--raw -z`; what follows in another form is not looked at. */
export async function changesIn(parts: readonly PathBytes[]): Promise<EntryChange[]> {
  const changes: EntryChange[] = [];
  let at = 0;
  await inTurns(function* () {
    for (; parts[at]?.startsWith(':'); ) {
      const [, beforeMode = '', afterMode = '', beforeBlob = '', afterBlob = '', status = ''] =
        /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(parts[at] ?? '') ?? [];
      const isMoved = status === 'R';
      const [first, second] = [parts[at + 1], parts[at + 2]];
      const path = isMoved ? second : first;
      at += isMoved ? 3 : 2;
      const [before, after] = [entryOf(beforeMode, beforeBlob), entryOf(afterMode, afterBlob)];
      if (path === undefined || (before === undefined && after === undefined)) continue;
      changes.push({ path, ...(isMoved && first !== undefined && { movedFrom: first }), before, after });
      yield;
    }
  });
  return changes;
}

/** A commit may name one of another repository; of those no recording knows anything. */
const entryOf = (mode: string, blob: string): Entry | undefined =>
  mode === '000000' || mode === '160000' ? undefined : { mode, blob };

const mostContentBytes = 10 * 1024 * 1024;

/** What a file held; undefined where it was not there. */
export async function contentIn(
  store: Store,
  recording: Recording,
  path: string,
): Promise<Result<Buffer | undefined>> {
  const entry = await entryAt(store, recording, path);
  if (!entry.ok) return entry;
  return entry.value === undefined ? accept(undefined) : blobOf(store, entry.value);
}

/**
 * What lies at a path: its folder is read, and found in it. Folders with a line break in their name cannot be asked for alone; then all
 * files are listed.
 */
export async function entryAt(
  store: Store,
  recording: Recording,
  path: string,
): Promise<Result<Entry | undefined>> {
  const wanted = pathTold(path);
  if (wanted === undefined) return accept(undefined);
  const slash = wanted.lastIndexOf('/');
  const folder = wanted.slice(0, Math.max(0, slash));
  if (folder.includes('\n')) {
    const entries = await entriesOf(store, recording);
    return entries.ok ? accept(entries.value.get(wanted)) : entries;
  }
  const read = await store.run(['cat-file', '--batch'], {
    input: bytesOf(`${recording.tree}:${folder}\n`),
  });
  if (!read.ok) return read;
  const start = read.value.indexOf('\n') + 1;
  if (!/^[0-9a-f]{40} tree \d+\n$/.test(read.value.toString('latin1', 0, start))) return accept(undefined);
  return accept(entryIn(read.value.subarray(start, -1), bytesOf(wanted.slice(slash + 1))));
}

/** A folder as git stores it: of each entry the mode, a blank, the name, a zero and the id in 20 bytes. */
function entryIn(folder: Buffer, name: Buffer): Entry | undefined {
  for (let at = 0; at < folder.length; ) {
    const [blank, zero] = [folder.indexOf(0x20, at), folder.indexOf(0, at)];
    if (blank < 0 || zero < 0) return undefined;
    if (folder.subarray(blank + 1, zero).equals(name)) {
      const mode = folder.toString('latin1', at, blank).padStart(6, '0');
      const blob = folder.toString('hex', zero + 1, zero + 21);
      return mode.startsWith('10') || mode === linkMode ? { mode, blob } : undefined;
    }
    at = zero + 21;
  }
  return undefined;
}

export const blobOf = (store: Store, { blob }: Entry): Promise<Result<Buffer>> =>
  store.run(['cat-file', 'blob', blob], { mostBytes: mostContentBytes });

export async function entriesOf(store: Store, { tree }: Recording): Promise<Result<Map<PathBytes, Entry>>> {
  const listed = await store.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  if (!listed.ok) return listed;
  const entries = new Map<PathBytes, Entry>();
  const lines = await partsIn(listed.value);
  await inTurns(function* () {
    for (const line of lines) {
      const [mode = '', , blob = ''] = line.slice(0, line.indexOf('\t')).split(' ');
      entries.set(line.slice(line.indexOf('\t') + 1) as PathBytes, { mode, blob });
      yield;
    }
  });
  return accept(entries);
}

/** How long these contents are; undefined for those that are not there. */
export async function sizesOf(
  store: Store,
  blobs: readonly string[],
  from: Partial<GitCall> = {},
): Promise<Result<Map<string, number | undefined>>> {
  if (blobs.length === 0) return accept(new Map());
  const told = await store.run(['cat-file', '--batch-check=%(objecttype) %(objectsize)', '--buffer'], {
    ...from,
    input: linesOf(blobs),
  });
  if (!told.ok) return told;
  const lines = told.value.toString('latin1').split('\n');
  return accept(
    new Map(blobs.map((blob, at) => [blob, numberIn(/^blob (\d+)$/.exec(lines[at] ?? '')?.[1])] as const)),
  );
}

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

export const linesOf = (blobs: readonly string[]): string => blobs.map((blob) => `${blob}\n`).join('');

/** These contents in their order; undefined for those that are not there. */
export async function blobsOf(
  store: Store,
  blobs: readonly string[],
): Promise<Result<(Buffer | undefined)[]>> {
  const read = await store.run(['cat-file', '--batch', '--buffer'], { input: linesOf(blobs) });
  if (!read.ok) return read;
  let at = 0;
  return accept(
    blobs.map(() => {
      const end = read.value.indexOf('\n', at) + 1;
      const size = /^[0-9a-f]+ blob (\d+)\n$/.exec(read.value.toString('latin1', at, end))?.[1];
      at = size === undefined ? end : end + Number(size) + 1;
      return size === undefined ? undefined : read.value.subarray(end, end + Number(size));
    }),
  );
}
