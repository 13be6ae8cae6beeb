import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnrecordedFile } from '../../protocol/changes.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { blobOf, entriesBetween, entryAt, linesOf, sizesOf } from './entries.ts';
import type { GitCall } from './git.ts';
import { headCommit } from './repository.ts';
import { type Recording, type Step, type Store, treeWith, type Unrecorded } from './store.ts';
import { unconverted } from './unconverted.ts';

const mark = 'commit:';
/** What is checked out before the first commit: nothing. Git knows this tree without storing it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const isCommit = (point: string): boolean => point.startsWith(mark);

/** The commit that is checked out, as something to compare with. */
export async function checkedOut({ repository }: Store): Promise<Result<string>> {
  const head = await headCommit(repository);
  return head.ok ? accept(mark + (head.value ?? emptyTree)) : head;
}

/**
 * The files of a commit, to be compared like a recording. The repository's objects are read with our settings, by calls that write
 * nothing; whoever works there may have put false ones among them. So what was read is hashed again: the commit here, its trees as they
 * are written into our own directory.
 */
export async function findCommit(store: Store, point: string): Promise<Result<Recording>> {
  const commit = point.slice(mark.length);
  if (!/^[0-9a-f]{40}$/.test(commit)) return refuse('recording_not_found');
  if (commit === emptyTree) return accept({ id: point, tree: emptyTree, unrecorded: [] });
  const found = await readThere(store, ['cat-file', 'commit', commit], { mostBytes: mostCommitBytes });
  if (!found.ok) return found;
  const tree = /^tree ([0-9a-f]{40})\n/.exec(found.value.toString('latin1'))?.[1];
  if (tree === undefined || idOf('commit', found.value) !== commit) return unreadable();

  const index = join(store.gitDir, 'index.commit');
  await rm(index, { force: true });
  const files = await readThere(store, ['ls-tree', '-r', '-z', '--full-tree', tree]);
  if (!files.ok) return files;
  const listed = await store.call(['update-index', '-z', '--index-info'], { index, input: files.value });
  if (listed.end === 'failed') return unreadable();
  const written = await store.run(['write-tree', '--missing-ok'], { index });
  if (!written.ok) return written;
  await rm(index, { force: true });
  return written.value.toString().trim() === tree
    ? accept({ id: point, tree, unrecorded: [] })
    : unreadable();
}

/**
 * Brings in the contents of a commit that differ from what they are compared with. Of those that are too long, that are lacking as in a
 * partial clone, or that are not what their name says, nothing is known.
 */
export async function withContents(
  store: Store,
  commit: Recording,
  other: Recording,
  mostFileBytes: number,
): Promise<Result<Recording>> {
  const between = await entriesBetween(store, commit, other);
  if (!between.ok) return between;
  const changes = between.value;
  const blobs = new Set(changes.flatMap(({ before }) => (before === undefined ? [] : [before.blob])));
  const why = await bringIn(store, [...blobs], mostFileBytes);
  if (!why.ok) return why;
  const same = await unconverted(store, changes);
  if (!same.ok) return same;
  if (why.value.size + same.value.size === 0) return accept(commit);
  const unrecorded: Unrecorded[] = [];
  const steps: Step[] = [];
  for (const { path, before, after } of changes) {
    const reason = before && why.value.get(before.blob);
    if (reason !== undefined) unrecorded.push({ path, why: reason });
    // Git reads all that differs: there must be no difference where there is nothing to be read.
    if (reason !== undefined || same.value.has(path)) steps.push({ path, to: after });
  }
  const tree = await treeWith(store, commit.tree, steps, { mayLack: true });
  return tree.ok ? accept({ ...commit, tree: tree.value, unrecorded }) : tree;
}

/** What a file held in a commit; undefined where it was not there. */
export async function contentOfCommit(
  store: Store,
  commit: Recording,
  path: string,
  mostFileBytes: number,
): Promise<Result<Buffer | undefined>> {
  const entry = await entryAt(store, commit, path);
  if (!entry.ok || entry.value === undefined) return entry.ok ? accept(undefined) : entry;
  const why = await bringIn(store, [entry.value.blob], mostFileBytes);
  if (!why.ok) return why;
  return why.value.size === 0 ? blobOf(store, entry.value) : unreadable();
}

/** Copies what is lacking of these contents into our own directory, which hashes them. Gives those that are still lacking, and why. */
async function bringIn(
  store: Store,
  blobs: readonly string[],
  mostFileBytes: number,
): Promise<Result<Map<string, UnrecordedFile['why']>>> {
  const why = new Map<string, UnrecordedFile['why']>();
  const lackingNow = async (): Promise<Result<string[]>> => {
    const sizes = await sizesOf(store, blobs);
    if (!sizes.ok) return sizes;
    return accept([...sizes.value].flatMap(([blob, size]) => (size === undefined ? [blob] : [])));
  };
  const wanted = await lackingNow();
  if (!wanted.ok) return wanted;
  if (wanted.value.length === 0) return accept(why);
  const there = await sizesOf(store, wanted.value, thereIn(store));
  if (!there.ok) return there;
  for (const batch of batchesOf(there.value, mostFileBytes, why)) {
    const packed = await readThere(store, ['pack-objects', '--stdout', '-q', '--window=0'], {
      input: linesOf(batch),
      mostBytes: 4 * batchBytes,
    });
    if (packed.ok) await store.call(['unpack-objects', '-q'], { input: packed.value });
  }
  const lacking = await lackingNow();
  if (!lacking.ok) return lacking;
  for (const blob of lacking.value) if (!why.has(blob)) why.set(blob, 'unreadable');
  return accept(why);
}

const mostCommitBytes = 1024 * 1024;
const batchBytes = 16 * 1024 * 1024;
/** More than this of one commit is not brought in. */
const mostBytes = 512 * 1024 * 1024;

function* batchesOf(
  sizes: ReadonlyMap<string, number | undefined>,
  mostFileBytes: number,
  why: Map<string, UnrecordedFile['why']>,
): Generator<string[]> {
  let batch: string[] = [];
  let [inBatch, all] = [0, 0];
  for (const [blob, size] of sizes) {
    if (size === undefined) continue;
    if (size > mostFileBytes || all + size > mostBytes) {
      why.set(blob, 'size');
      continue;
    }
    if (batch.length > 0 && inBatch + size > batchBytes) {
      yield batch;
      [batch, inBatch] = [[], 0];
    }
    batch.push(blob);
    inBatch += size;
    all += size;
  }
  if (batch.length > 0) yield batch;
}

/** The repository's objects, and none of ours. */
const thereIn = ({ repository }: Store): Partial<GitCall> => ({
  objects: join(repository.commonDir, 'objects'),
});

async function readThere(
  store: Store,
  args: readonly string[],
  more: Partial<GitCall> = {},
): Promise<Result<Buffer>> {
  const { end, output } = await store.call(args, { ...more, ...thereIn(store) });
  if (end === 'done') return accept(output);
  return end === 'closed' ? refuse('shutting_down') : unreadable();
}

const unreadable = () => refuse('commit_unreadable');

const idOf = (kind: string, content: Buffer): string =>
  createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex');
