import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { bytesOf, type PathBytes, partsIn, pathFrom } from './path-bytes.ts';
import { indexStamp } from './repository.ts';
import { keepTree, type Recording, type Store, type Unrecorded } from './store.ts';

export interface RecordingLimits {
  /** A longer file is not recorded, and told. */
  readonly fileBytes: number;
  /** More new content at once is refused. */
  readonly newBytes: number;
  readonly files: number;
}

export const recordingLimits: RecordingLimits = {
  fileBytes: 10 * 1024 * 1024,
  newBytes: 2 * 1024 * 1024 * 1024,
  files: 400_000,
};
/** What is known of them goes with each recording. */
const mostUnrecorded = 10_000;
/** From so many on they are written into packs, instead of one file each. */
const manyFiles = 1_000;
/** For each file of a pack git looks through all that are in it already: a hundred thousand in one took a minute. */
const mostInPack = 4_000;

/** What was found the last time, so that the next one looks at less. */
export interface RecordingMemory {
  last?: Recording;
  indexStamp?: string | undefined;
  /** Files that are ignored and all the same in the repository. */
  trackedIgnored?: readonly PathBytes[];
  /** How much was added since the store was last tidied. */
  recordings: number;
  bytes: number;
}

export interface RecordOptions {
  readonly memory: RecordingMemory;
  readonly limits: RecordingLimits;
  /** Recorded although they are ignored: they are about to be overwritten. */
  readonly also?: readonly PathBytes[];
}

/**
 * Records all files of the work tree that are not ignored, and those that are and all the same in the repository. Only the private git
 * directory is written; of the repository's own only the index is read.
 */
export async function record(store: Store, options: RecordOptions): Promise<Result<Recording>> {
  const { memory, limits, also = [] } = options;
  const unrecorded: Unrecorded[] = [];
  const listed = await candidates(store, memory, unrecorded);
  if (!listed.ok) return listed;
  const paths = [...new Set([...listed.value.present, ...also])];
  if (paths.length > limits.files)
    return refuse('directory_too_wide', `More than ${limits.files} files would be recorded.`);

  const sorted = await sortOut(store.repository.workTree, paths, limits, unrecorded);
  if (sorted.bytes > limits.newBytes)
    return refuse('directory_too_wide', `${sorted.bytes} bytes would be recorded at once.`);
  const refused: PathBytes[] = [];
  const removed = await remove(store, [...listed.value.gone, ...sorted.gone]);
  if (!removed.ok) return removed;
  for (let at = 0; at < sorted.files.length; at += mostInPack) {
    const added = await add(store, sorted.files.slice(at, at + mostInPack), refused);
    if (!added.ok) return added;
  }
  const dropped = await remove(store, refused);
  if (!dropped.ok) return dropped;
  unrecorded.push(...refused.map((path) => ({ path, why: 'unreadable' as const })));
  if (unrecorded.length > mostUnrecorded)
    return refuse('directory_too_wide', `More than ${mostUnrecorded} files cannot be recorded.`);

  const tree = await store.run(['write-tree']);
  if (!tree.ok) return tree;
  const id = tree.value.toString().trim();
  const { last } = memory;
  if (last?.tree === id && isSame(last.unrecorded, unrecorded)) return accept(last);
  const kept = await keepTree(store, id, unrecorded);
  if (kept.ok) memory.last = kept.value;
  memory.recordings += 1;
  memory.bytes += sorted.bytes;
  return kept;
}

const isSame = (some: readonly Unrecorded[], others: readonly Unrecorded[]): boolean =>
  some.length === others.length &&
  some.every(({ path, why }, index) => others[index]?.path === path && others[index]?.why === why);

/** What may have changed since the index was written. */
async function candidates(
  store: Store,
  memory: RecordingMemory,
  unrecorded: Unrecorded[],
): Promise<Result<{ present: PathBytes[]; gone: PathBytes[] }>> {
  const others = await store.run(['ls-files', '--others', '--exclude-standard', '-z']);
  if (!others.ok) return others;
  const changed = await store.run(['diff-files', '--name-status', '--no-renames', '-z']);
  if (!changed.ok) return changed;
  const present: PathBytes[] = [];
  const gone: PathBytes[] = [];
  for (const path of await partsIn(others.value)) {
    if (path.endsWith('/')) unrecorded.push({ path, why: 'nested' });
    else present.push(path);
  }
  const told = await partsIn(changed.value);
  for (let at = 0; at + 1 < told.length; at += 2) {
    const path = told[at + 1];
    if (path !== undefined) (told[at] === 'D' ? gone : present).push(path);
  }
  for (const path of await trackedIgnored(store, memory, unrecorded)) present.push(path);
  return accept({ present, gone });
}

/** Asked with the private git directory: no setting of the repository holds while its index is read. */
async function trackedIgnored(
  { repository, call }: Store,
  memory: RecordingMemory,
  unrecorded: Unrecorded[],
): Promise<readonly PathBytes[]> {
  const stamp = await indexStamp(repository);
  if (stamp === undefined) return [];
  if (stamp !== memory.indexStamp || memory.trackedIgnored === undefined) {
    const index = join(repository.gitDir, 'index');
    const args = ['ls-files', '--cached', '--ignored', '--exclude-standard', '--stage', '-z'];
    const { end, output } = await call(args, { index });
    if (end !== 'done') {
      unrecorded.push({ path: pathFrom(Buffer.from('.git/index')), why: 'unreadable' });
      return [];
    }
    memory.indexStamp = stamp;
    memory.trackedIgnored = (await partsIn(output))
      .filter((line) => !line.startsWith('160000 '))
      .map((line) => line.slice(line.indexOf('\t') + 1) as PathBytes);
  }
  return memory.trackedIgnored;
}

interface Sorted {
  readonly files: PathBytes[];
  readonly gone: PathBytes[];
  bytes: number;
}

/** Looked at in pieces: a hundred thousand files must not keep everything else waiting. */
async function sortOut(
  workTree: string,
  paths: readonly PathBytes[],
  { fileBytes }: RecordingLimits,
  unrecorded: Unrecorded[],
): Promise<Sorted> {
  const sorted: Sorted = { files: [], gone: [], bytes: 0 };
  const look = looker(workTree);
  for (const [index, path] of paths.entries()) {
    if (index % 500 === 499) await nextTurn();
    const found = look(path);
    const why = found === undefined ? undefined : obstacleOf(workTree, path, found, fileBytes);
    if (found !== undefined && why === undefined) {
      sorted.files.push(path);
      sorted.bytes += found.size;
      continue;
    }
    sorted.gone.push(path);
    // What is a folder now is listed by the files in it.
    if (why !== undefined && why !== 'folder') unrecorded.push({ path, why });
  }
  return sorted;
}

function obstacleOf(
  workTree: string,
  path: PathBytes,
  found: Stats,
  fileBytes: number,
): Unrecorded['why'] | 'folder' | undefined {
  if (found.isDirectory()) return 'folder';
  if (/(?:^|\/)\.git(?:\/|$)/i.test(path)) return 'name';
  if (found.isSymbolicLink()) return /(?:^|\/)\.gitmodules$/i.test(path) ? 'name' : undefined;
  if (!found.isFile()) return 'kind';
  if (found.size > fileBytes) return 'size';
  try {
    accessSync(placeOf(workTree, path), constants.R_OK);
    return undefined;
  } catch {
    return 'unreadable';
  }
}

/** What lies at a path; nothing where the way to it leads over a link. */
export function looker(workTree: string): (path: PathBytes) => Stats | undefined {
  const folders = new Map<string, boolean>([['', true]]);
  const isFolder = (path: string): boolean => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const is = isFolder(parentOf(path)) && statOf(placeOf(workTree, path))?.isDirectory() === true;
    folders.set(path, is);
    return is;
  };
  return (path) => (isFolder(parentOf(path)) ? statOf(placeOf(workTree, path)) : undefined);
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const statOf = (place: Buffer): Stats | undefined => {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

export const placeOf = (workTree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${workTree}/`), bytesOf(path)]);

/**
 * Git adds all paths of a call or none. Where it refuses, the halves are tried, until it is known which one it was; many of them mean
 * that something else is wrong.
 */
async function add(store: Store, paths: readonly PathBytes[], refused: PathBytes[]): Promise<Result<void>> {
  if (paths.length === 0) return accept(undefined);
  const { end } = await store.call(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    input: bytesOf(`${paths.join('\0')}\0`),
    longestMs: 10 * 60_000,
    ...(paths.length >= manyFiles && { settings: ['core.bigFileThreshold=1'] }),
  });
  if (end === 'done') return accept(undefined);
  const [only] = paths;
  if (end !== 'failed' || refused.length === mostRefused)
    return refuse(
      end === 'closed' ? 'shutting_down' : 'git_not_available',
      'git could not record the files.',
    );
  if (paths.length === 1 && only !== undefined) {
    refused.push(only);
    return accept(undefined);
  }
  const half = Math.ceil(paths.length / 2);
  const first = await add(store, paths.slice(0, half), refused);
  return first.ok ? add(store, paths.slice(half), refused) : first;
}

const mostRefused = 50;

async function remove(store: Store, paths: readonly PathBytes[]): Promise<Result<void>> {
  if (paths.length === 0) return accept(undefined);
  const removed = await store.run(['update-index', '-z', '--index-info'], {
    input: bytesOf(paths.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`).join('')),
  });
  return removed.ok ? accept(undefined) : removed;
}
