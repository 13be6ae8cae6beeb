import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { isAtLeast } from './git-version.ts';
import { bytesOf, type PathBytes, partsIn, pathFrom } from './path-bytes.ts';
import { indexStamp } from './repository.ts';
import { keepTree, type Recording, removeIndex, type Store, type Unrecorded } from './store.ts';
import { inTurns } from './turns.ts';

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
/** From so many on they are written into packs, instead of one file each; by a git that does not make a pack of each one. */
const manyFiles = 1_000;
const isPackingMany = ({ version }: Store): boolean => version !== undefined && isAtLeast(version, 2, 39);
/** For each file of a pack git looks through all that are in it already: a hundred thousand in one took a minute. */
const mostAtOnce = 8_000;

/** What was found the last time, so that the next one looks at less. */
export interface RecordingMemory {
  /** The last recording, as long as the index has the same files. */
  last?: Recording | undefined;
  indexStamp?: string | undefined;
  /** Files that are ignored and all the same in the repository; true for those that our index has. */
  trackedIgnored?: Map<PathBytes, boolean>;
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
  const { last } = memory;
  const unrecorded: Unrecorded[] = [];
  const listed = await candidates(store, memory, unrecorded);
  if (!listed.ok) return listed;
  for (const path of also) listed.value.present.set(path, 'changed');
  const { present, gone } = listed.value;
  if (present.size > limits.files)
    return refuse('directory_too_wide', `More than ${limits.files} files would be recorded.`);

  const sorted = await sortOut(store.repository.workTree, present, limits, unrecorded);
  if (sorted.bytes > limits.newBytes)
    return refuse('directory_too_wide', `${sorted.bytes} bytes would be recorded at once.`);
  const isUnchanged = sorted.files.length + sorted.gone.length + gone.length === 0;
  if (isUnchanged && last !== undefined && isSame(last.unrecorded, unrecorded)) return accept(last);

  // From here on the index may have something else.
  memory.last = undefined;
  const refused: PathBytes[] = [];
  for (const paths of [gone, sorted.gone]) {
    const removed = await remove(store, memory, paths);
    if (!removed.ok) return removed;
  }
  for (let at = 0; at < sorted.files.length; at += mostAtOnce) {
    const added = await add(store, sorted.files.slice(at, at + mostAtOnce), refused);
    if (!added.ok) return added;
  }
  await inTurns(function* () {
    for (const path of sorted.files) {
      if (memory.trackedIgnored?.has(path)) memory.trackedIgnored.set(path, true);
      yield;
    }
  });
  const dropped = await remove(store, memory, refused);
  if (!dropped.ok) return dropped;
  unrecorded.push(...refused.map((path) => ({ path, why: 'unreadable' as const })));
  if (unrecorded.length > mostUnrecorded)
    return refuse('directory_too_wide', `More than ${mostUnrecorded} files cannot be recorded.`);

  // All contents are there: they were written when they were added.
  const tree = await store.run(['write-tree', '--missing-ok']);
  if (!tree.ok) return tree;
  const id = tree.value.toString().trim();
  const isKept = last?.tree === id && isSame(last.unrecorded, unrecorded);
  const kept = isKept ? accept(last) : await keepTree(store, id, unrecorded);
  if (kept.ok) memory.last = kept.value;
  memory.recordings += 1;
  memory.bytes += sorted.bytes;
  return kept;
}

const isSame = (some: readonly Unrecorded[], others: readonly Unrecorded[]): boolean =>
  some.length === others.length &&
  some.every(({ path, why }, index) => others[index]?.path === path && others[index]?.why === why);

/** What is there and may have changed since the index was written: with those that the index has, and those that it has not. */
type Present = Map<PathBytes, 'changed' | 'new'>;

async function candidates(
  store: Store,
  memory: RecordingMemory,
  unrecorded: Unrecorded[],
): Promise<Result<{ present: Present; gone: PathBytes[] }>> {
  const status = await statusOf(store);
  if (!status.ok) return status;
  const present: Present = new Map();
  const gone: PathBytes[] = [];
  const told = await partsIn(status.value);
  await inTurns(function* () {
    for (const line of told) {
      const path = line.slice(3) as PathBytes;
      // The first letter is about what is recorded, the second about the file.
      const letter = line[1];
      if (letter === '?' && path.endsWith('/')) unrecorded.push({ path, why: 'nested' });
      else if (letter === '?') present.set(path, 'new');
      else if (letter === 'D') gone.push(path);
      else if (letter !== ' ') present.set(path, 'changed');
      yield;
    }
  });
  for (const [path, isInIndex] of await trackedIgnored(store, memory, unrecorded))
    if (!isInIndex) present.set(path, 'new');
  return accept({ present, gone });
}

/** One walk tells what is new, changed and gone. An index that cannot be read, as after a crash of the machine, is made anew. */
async function statusOf(store: Store): Promise<Result<Buffer>> {
  const { end, output } = await store.call(walk, { mayRefresh: true });
  if (end === 'done') return accept(output);
  if (end === 'failed') await removeIndex(store.gitDir);
  return store.run(walk, { mayRefresh: true });
}

const walk = [
  ...['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'],
];

/** Asked with the private git directory: no setting of the repository holds while its index is read. */
async function trackedIgnored(
  { repository, call }: Store,
  memory: RecordingMemory,
  unrecorded: Unrecorded[],
): Promise<ReadonlyMap<PathBytes, boolean>> {
  const stamp = await indexStamp(repository);
  if (stamp === undefined) return new Map();
  if (stamp !== memory.indexStamp || memory.trackedIgnored === undefined) {
    const index = join(repository.gitDir, 'index');
    const args = ['ls-files', '--cached', '--ignored', '--exclude-standard', '--stage', '-z'];
    const { end, output } = await call(args, { index });
    if (end !== 'done') {
      unrecorded.push({ path: pathFrom(Buffer.from('.git/index')), why: 'unreadable' });
      return new Map();
    }
    const before = memory.trackedIgnored;
    memory.indexStamp = stamp;
    memory.trackedIgnored = new Map(
      (await partsIn(output))
        .filter((line) => !line.startsWith('160000 '))
        .map((line) => line.slice(line.indexOf('\t') + 1) as PathBytes)
        .map((path) => [path, before?.get(path) ?? false]),
    );
  }
  return memory.trackedIgnored;
}

interface Sorted {
  readonly files: PathBytes[];
  readonly gone: PathBytes[];
  bytes: number;
}

async function sortOut(
  workTree: string,
  present: Present,
  { fileBytes }: RecordingLimits,
  unrecorded: Unrecorded[],
): Promise<Sorted> {
  const sorted: Sorted = { files: [], gone: [], bytes: 0 };
  const look = looker(workTree);
  await inTurns(function* () {
    for (const [path, state] of present) {
      yield;
      const found = look(path);
      const why = found === undefined ? undefined : obstacleOf(workTree, path, found, fileBytes);
      if (found !== undefined && why === undefined) {
        sorted.files.push(path);
        sorted.bytes += found.size;
        continue;
      }
      if (state === 'changed') sorted.gone.push(path);
      // What is a folder now is listed by the files in it.
      if (why !== undefined && why !== 'folder') unrecorded.push({ path, why });
    }
  });
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
  // What everybody can read needs no further look.
  if ((found.mode & 0o444) === 0o444) return undefined;
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
    const is = isFolder(parentOf(path)) && statOf(plainPlaceOf(workTree, path))?.isDirectory() === true;
    folders.set(path, is);
    return is;
  };
  return (path) => (isFolder(parentOf(path)) ? statOf(plainPlaceOf(workTree, path)) : undefined);
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const statOf = (place: Buffer | string): Stats | undefined => {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

export const placeOf = (workTree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${workTree}/`), bytesOf(path)]);

/** The same, quicker where the path is plain. */
const plainPlaceOf = (workTree: string, path: string): Buffer | string =>
  /^[\x20-\x7e]*$/.test(path) ? `${workTree}/${path}` : placeOf(workTree, path);

/**
 * Git adds all paths of a call or none. Where it refuses, the halves are tried, until it is known which one it was; many of them mean
 * that something else is wrong.
 */
async function add(store: Store, paths: readonly PathBytes[], refused: PathBytes[]): Promise<Result<void>> {
  if (paths.length === 0) return accept(undefined);
  const { end } = await store.call(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    input: bytesOf(`${paths.join('\0')}\0`),
    longestMs: 10 * 60_000,
    ...(paths.length >= manyFiles &&
      isPackingMany(store) && { settings: ['core.bigFileThreshold=1', 'core.splitIndex=false'] }),
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

async function remove(
  store: Store,
  { trackedIgnored: ignored }: RecordingMemory,
  paths: readonly PathBytes[],
): Promise<Result<void>> {
  for (let at = 0; at < paths.length; at += mostAtOnce) {
    const some = paths.slice(at, at + mostAtOnce);
    const removed = await store.run(['update-index', '-z', '--index-info'], {
      input: bytesOf(some.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`).join('')),
    });
    if (!removed.ok) return removed;
    for (const path of some) if (ignored?.has(path)) ignored.set(path, false);
  }
  return accept(undefined);
}
