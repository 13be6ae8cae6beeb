import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { z } from 'zod';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { CommitOrder, Committed } from '../../../protocol/landing.ts';
import { blobOf, entriesOf } from '../entries.ts';
import { bytesOf, type PathBytes, pathTold, toldPath } from '../path-bytes.ts';
import { coversPath, type Entry, type Recording, type Store } from '../store.ts';
import { indexEntries, moveBranch } from './ref-and-files.ts';
import { type Head, readHead, underWay } from './refs.ts';
import { type RepositoryGit, withScratch } from './repository-git.ts';
import { authorLine, copyIndex, filteredPaths } from './uncommitted.ts';

type Order = Readonly<z.infer<typeof CommitOrder>>;

/**
 * Commits these paths as they were shown, and nothing else: what is staged besides stays staged. No hook runs and nothing is signed.
 */
export async function commit(
  git: RepositoryGit,
  order: Order & { readonly orderId?: string; readonly store: Store; readonly recording: Recording },
): Promise<Result<Committed>> {
  const { repository } = git;
  const head = await readHead(repository);
  const ready = checkShown(git, head, order);
  if (!ready.ok) return ready;
  const paths: PathBytes[] = [];
  for (const told of order.paths) {
    const path = pathTold(told);
    if (path === undefined) return refuse('invalid_value', `${told} is no path.`, { field: 'paths' });
    paths.push(path);
  }
  const isUnknown = coversPath(order.recording.unrecorded);
  const unknown = paths.find(isUnknown);
  if (unknown !== undefined)
    return refuse(
      'commit_refused',
      `${toldPath(unknown)} is not recorded, so that nobody can say what was shown of it.`,
    );
  const filtered = await filteredPaths(git, paths);
  if (!filtered.ok) return filtered;
  const [first] = filtered.value;
  if (first !== undefined)
    return refuse(
      'commit_refused',
      `${toldPath(first)} goes through a filter (as with LFS), which is not run here.`,
    );

  return withScratch(git, async (scratch) => {
    const index = join(scratch, 'index');
    const tree = await treeWith(git, { index, head, paths });
    if (!tree.ok) return tree;
    const entries = await indexEntries(git, index);
    if (!entries.ok) return entries;
    const same = await areAsShown(git, order, paths, entries.value);
    if (!same.ok) return same;
    if (tree.value === (await treeOf(git, head.commit)))
      return refuse('changes_moved', 'These files are as in the last commit.');
    const parents = head.commit === null ? [] : ['-p', head.commit];
    const made = await git.run(['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree.value], {
      input: cleaned(order.message),
    });
    if (!made.ok) return made;
    const id = made.value.toString().trim();
    const staged = await stagedEntries(git, join(scratch, 'staged'));
    if (!staged.ok) return staged;
    const told = { commit: id, branch: order.shown.branch };
    const moved = await moveBranch(git, {
      branch: order.shown.branch,
      from: head.commit,
      to: id,
      reason: `commit${head.commit === null ? ' (initial)' : ''}: ${order.message.trim().split('\n')[0]}`,
      tree: repository,
      paths: paths.map((path) => ({ path, old: staged.value.get(path), next: entries.value.get(path) })),
      withFiles: false,
      order: { orderId: order.orderId, told },
    });
    return moved.ok ? accept(told) : moved;
  });
}

function checkShown({ repository, settings }: RepositoryGit, head: Head, { shown }: Order): Result<void> {
  const begun = underWay(repository);
  if (begun !== null) return refuse('commit_refused', `A ${begun} is under way here; end it first.`);
  if (head.branch === null)
    return refuse('commit_refused', 'No branch is checked out: the commit would belong to none.');
  if (settings.author === null)
    return refuse(
      'commit_refused',
      'The settings of git name nobody as author: set user.name and user.email.',
    );
  if (head.branch !== shown.branch || head.commit !== shown.head)
    return refuse('changes_moved', 'Another commit, or another branch, is checked out than was shown.');
  if (authorLine(settings.author) !== shown.author)
    return refuse('changes_moved', 'The settings of git name another author than was shown.');
  return accept(undefined);
}

/** The last commit with these paths as they are on the disk. */
async function treeWith(
  git: RepositoryGit,
  {
    index,
    head,
    paths,
  }: { readonly index: string; readonly head: Head; readonly paths: readonly PathBytes[] },
): Promise<Result<string>> {
  const read = await git.run(head.commit === null ? ['read-tree', '--empty'] : ['read-tree', head.commit], {
    index,
  });
  if (!read.ok) return read;
  const added = await git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    index,
    input: bytesOf(`${paths.join('\0')}\0`),
    longestMs: 10 * 60_000,
  });
  if (!added.ok) return added;
  const tree = await git.run(['write-tree'], { index });
  return tree.ok ? accept(tree.value.toString().trim()) : tree;
}

const treeOf = async (git: RepositoryGit, commitId: string | null): Promise<string | undefined> => {
  if (commitId === null) return undefined;
  const found = await git.run(['rev-parse', '--verify', '-q', `${commitId}^{tree}`]);
  return found.ok ? found.value.toString().trim() : undefined;
};

/**
 * Whether what would be committed is what was shown. It is held against the recording, which borrows no object of the repository; and
 * the object that stands in the repository under that name is read, for git believes one that is there already.
 */
async function areAsShown(
  git: RepositoryGit,
  { store, recording }: { readonly store: Store; readonly recording: Recording },
  paths: readonly PathBytes[],
  entries: ReadonlyMap<PathBytes, Entry>,
): Promise<Result<void>> {
  const shown = await entriesOf(store, recording);
  if (!shown.ok) return shown;
  const keepsModes = !git.settings.conversion.includes('core.filemode=false');
  for (const path of paths) {
    const [was, is] = [shown.value.get(path), entries.get(path)];
    const isMoved = (was === undefined) !== (is === undefined) || (keepsModes && was?.mode !== is?.mode);
    if (isMoved || !(await isSameContent(path, was, is)))
      return refuse('changes_moved', `${toldPath(path)} is not as it was shown.`, { path: toldPath(path) });
  }
  return areTrue(git, [...new Set(paths.flatMap((path) => entries.get(path)?.blob ?? []))]);

  async function isSameContent(
    path: PathBytes,
    was: Entry | undefined,
    is: Entry | undefined,
  ): Promise<boolean> {
    if (was === undefined || is === undefined || was.blob === is.blob) return true;
    // Lines may end otherwise in the repository than on the disk.
    const content = await blobOf(store, was);
    if (!content.ok || was.mode === '120000' || !isPlain(path)) return false;
    const args = ['hash-object', '--stdin', `--path=${bytesOf(path).toString('utf8')}`];
    const hashed = await git.run(args, { input: content.value });
    return hashed.ok && hashed.value.toString().trim() === is.blob;
  }
}

/** Whether the repository has under these names what they name. */
async function areTrue(git: RepositoryGit, blobs: readonly string[]): Promise<Result<void>> {
  for (let at = 0; at < blobs.length; at += manyBlobs) {
    const some = blobs.slice(at, at + manyBlobs);
    const input = some.map((blob) => `${blob}\n`).join('');
    const stored = await git.run(['cat-file', '--batch'], { input, mostBytes: mostBlobBytes });
    if (!stored.ok) return stored;
    let rest = stored.value;
    for (const blob of some) {
      const line = rest.subarray(0, rest.indexOf('\n') + 1);
      const length = Number(/ blob (\d+)\n$/.exec(line.toString())?.[1] ?? -1);
      const content = rest.subarray(line.length, line.length + length);
      if (length < 0 || blobId(content) !== blob)
        return refuse('commit_refused', `The repository has a false object in the place of ${blob}.`);
      rest = rest.subarray(line.length + length + 1);
    }
  }
  return accept(undefined);
}

const manyBlobs = 20;
const mostBlobBytes = 512 * 1024 * 1024;

/** Whether it can be an argument. */
const isPlain = (path: PathBytes): boolean =>
  Buffer.from(bytesOf(path).toString('utf8')).equals(bytesOf(path));

const blobId = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

async function stagedEntries(
  git: RepositoryGit,
  index: string,
): Promise<Result<ReadonlyMap<PathBytes, Entry>>> {
  const copied = await copyIndex(git, index);
  return copied.ok ? indexEntries(git, index) : copied;
}

/** As git cleans a message, but for lines that begin with `#`: nobody wrote them as comments here. */
const cleaned = (message: string): string =>
  `${message
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
