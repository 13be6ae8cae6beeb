import { randomUUID } from 'node:crypto';
import { copyFile, open, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import { writeJson } from '../json-file.ts';
import { bytesOf, type PathBytes, partsIn } from '../path-bytes.ts';
import { looker, placeOf } from '../recording.ts';
import type { Repository } from '../repository.ts';
import { isSameEntry } from '../restore-plan.ts';
import { type Entry, gitsIn } from '../store.ts';
import { besidePath, comesTrue, isLockedBy, lockIndex, unlockIndex } from './index-lock.ts';
import { readBranch } from './refs.ts';
import { type RepositoryGit, withScratch } from './repository-git.ts';
import { copyIndex } from './uncommitted.ts';

/** What a path is before and after: in the index, and where files go along, on the disk. */
export interface PathMove {
  readonly path: PathBytes;
  readonly old: Entry | undefined;
  readonly next: Entry | undefined;
}

export interface BranchMove {
  readonly branch: string;
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
  /** The work tree that has the branch checked out. */
  readonly tree: Repository;
  readonly paths: readonly PathMove[];
  /** Whether the files are changed, too. Without it they are what is committed. */
  readonly withFiles: boolean;
  readonly order: FinishedOrder;
}

/** An order, and what is told of it once it is done. */
export interface FinishedOrder {
  readonly orderId: string | undefined;
  readonly told: unknown;
}

/** As it is written down: first that the index is about to be locked, then with the lock held what is to be done. */
type Journal = JournalOfLock | JournalOfMove;

interface JournalOfLock {
  readonly step: 'lock';
  readonly token: string;
  readonly tree: Repository;
}

interface JournalOfMove extends Omit<BranchMove, 'paths'> {
  readonly step: 'move';
  readonly token: string;
  readonly paths: readonly (readonly [string, Entry | null, Entry | null])[];
}

/**
 * Moves a branch, and with it the index and the files of the work tree that has it checked out. These are three things that a kill can
 * come between: what is to be done is written down first, and whoever comes next finishes it if the branch has moved, and forgets it
 * if not. The index is locked meanwhile in the way git locks it, so that nobody's git works with a half of it. The lock is written down
 * before it is taken: one that nobody knew to be ours would keep the person's git out for good.
 */
export async function moveBranch(git: RepositoryGit, move: BranchMove): Promise<Result<void>> {
  const token = randomUUID();
  const { tree, from, to, branch } = move;
  await writeJournal(git.gitDir, { step: 'lock', token, tree });
  const index = join(git.gitDir, 'index.next');
  try {
    const locked = await lockIndex(tree, token);
    if (!locked.ok) return locked;
    const copied = await copyIndex(git, index, tree);
    if (!copied.ok) return copied;
    if (move.withFiles) {
      const possible = await git.call(['read-tree', '-n', '-m', '-u', from ?? '', to], {
        index,
        workTree: tree.workTree,
      });
      if (possible.end !== 'done') return inTheWay(tree);
    }
    await writeJournal(git.gitDir, {
      ...move,
      step: 'move',
      token,
      paths: move.paths.map(({ path, old, next }) => [path, old ?? null, next ?? null]),
    });
    const moved = await git.moveRef({ ref: `refs/heads/${branch}`, from, to, reason: move.reason });
    if (!moved.ok) return await forget(git, moved);
    if (move.withFiles) {
      const filled = await git.run(['read-tree', '-m', '-u', from ?? '', to], {
        index,
        workTree: tree.workTree,
        longestMs,
      });
      if (!filled.ok) {
        // Git looks at everything before it changes anything; what it changed all the same, as when the disk was full, is put back.
        const back = await settleFiles(
          git,
          tree,
          move.paths.map(({ path, old, next }) => ({ path, old: next, next: old })),
        );
        const unmoved = await git.moveRef({
          ref: `refs/heads/${branch}`,
          from: to,
          to: from ?? '',
          reason: 'undone',
        });
        return back.ok && unmoved.ok ? await forget(git, filled) : filled;
      }
    }
    const swapped = await swapIndex(git, { index, tree, token, paths: move.withFiles ? [] : move.paths });
    if (!swapped.ok) return swapped;
    return await forget(git, accept(undefined));
  } finally {
    await rm(index, { force: true });
    // A move that is still written down needs the lock until it is finished.
    if ((await readJournal(git.gitDir))?.step !== 'move') {
      await unlockIndex(tree, token);
      await forget(git, undefined);
    }
  }
}

const longestMs = 10 * 60_000;

const inTheWay = (tree: Repository): Result<never> =>
  refuse(
    'commit_refused',
    `Files in ${tree.workTree} were changed and are not committed; they would be overwritten.`,
  );

async function forget<T>({ gitDir }: RepositoryGit, result: T): Promise<T> {
  await rm(journalPath(gitDir), { force: true });
  return result;
}

/** What was under way when the server was killed; undefined if nothing was. */
export const unfinished = async (gitDir: string): Promise<Repository | undefined> =>
  (await readJournal(gitDir))?.tree;

/** Finishes a move that was cut short by a kill: forward if the branch has moved, else nothing of it was done. */
export async function finishMove(
  git: RepositoryGit,
  keep: (order: FinishedOrder) => Promise<void>,
): Promise<Result<void>> {
  const journal = await readJournal(git.gitDir);
  if (journal === undefined) return accept(undefined);
  const { tree, token } = journal;
  if (!(await areOver(tree)))
    return refuse('commit_refused', `A git that was started for ${tree.workTree} is still at work.`);
  if (journal.step === 'lock' || (await readBranch(tree, journal.branch)) === journal.from) {
    await unlockIndex(tree, token);
    return forget(git, accept(undefined));
  }
  const locked = (await isLockedBy(tree, token)) ? accept(undefined) : await lockIndex(tree, token);
  if (!locked.ok) return locked;
  const paths = journal.paths.map(
    ([path, old, next]): PathMove => ({
      path: path as PathBytes,
      old: old ?? undefined,
      next: next ?? undefined,
    }),
  );
  const settled = journal.withFiles ? await settleFiles(git, tree, paths) : accept(undefined);
  if (!settled.ok) return settled;
  const index = join(git.gitDir, 'index.next');
  const copied = await copyIndex(git, index, tree);
  const swapped = copied.ok ? await swapIndex(git, { index, tree, token, paths }) : copied;
  if (!swapped.ok) return swapped;
  await rm(index, { force: true });
  await unlockIndex(tree, token);
  // Kept before it is forgotten that it was under way: the order may be given again.
  await keep(journal.order);
  return forget(git, accept(undefined));
}

/** A git that the killed server had started lives on, and may be about to move the branch: it is not ended, which would leave its lock. */
const areOver = ({ commonDir }: Repository): Promise<boolean> =>
  comesTrue(async () => gitsIn(commonDir).length === 0, 20_000);

/** Puts the copy of the index, with these paths replaced where they are still as they were, in the place of the person's. */
async function swapIndex(
  git: RepositoryGit,
  {
    index,
    tree,
    token,
    paths,
  }: { index: string; tree: Repository; token: string; paths: readonly PathMove[] },
): Promise<Result<void>> {
  const { workTree, gitDir } = tree;
  if (paths.length > 0) {
    const now = await indexEntries(git, index);
    if (!now.ok) return now;
    const lines = paths
      .filter(({ path, old }) => isSameEntry(now.value.get(path), old))
      .sort((one, other) => Number(one.next !== undefined) - Number(other.next !== undefined))
      .map(({ path, next }) => `${next?.mode ?? '0'} ${next?.blob ?? '0'.repeat(40)}\t${path}\0`);
    const replaced = await git.run(['update-index', '-z', '--index-info'], {
      index,
      workTree,
      input: bytesOf(lines.join('')),
    });
    if (!replaced.ok) return replaced;
    // What it knows of the times of these files; it fails for those that differ, and they do.
    await git.call(['update-index', '-q', '--refresh'], { index, workTree });
  }
  const beside = besidePath(tree, token);
  // A kill may have left it as another name of the lock.
  await rm(beside, { force: true });
  await copyFile(index, beside);
  const file = await open(beside, 'r+');
  await file.sync().finally(() => file.close());
  await rename(beside, join(gitDir, 'index'));
  return accept(undefined);
}

/** What an index has, by path; of one that is merged, nothing. */
export async function indexEntries(
  git: RepositoryGit,
  index: string,
): Promise<Result<Map<PathBytes, Entry>>> {
  const listed = await git.run(['ls-files', '--stage', '-z'], { index });
  if (!listed.ok) return listed;
  const entries = new Map<PathBytes, Entry>();
  for (const line of await partsIn(listed.value)) {
    const [mode = '', blob = '', stage = ''] = line.slice(0, line.indexOf('\t')).split(' ');
    if (stage === '0') entries.set(line.slice(line.indexOf('\t') + 1) as PathBytes, { mode, blob });
  }
  return accept(entries);
}

/** Brings files that were left between two states to the second. What is like neither was edited by somebody since, and stays. */
async function settleFiles(
  git: RepositoryGit,
  { workTree }: Repository,
  paths: readonly PathMove[],
): Promise<Result<void>> {
  return withScratch(git, async (scratch) => {
    const look = looker(workTree);
    const isThere = ({ path }: PathMove): boolean => look(path)?.isDirectory() === false;
    const [seen, wanted] = [join(scratch, 'seen'), join(scratch, 'wanted')];
    const input = paths.filter(isThere).map(({ path }) => `${path}\0`);
    const added = await git.run(['update-index', '--add', '--replace', '-z', '--stdin'], {
      index: seen,
      workTree,
      scratch,
      input: bytesOf(input.join('')),
    });
    if (!added.ok) return added;
    const now = await indexEntries(git, seen);
    if (!now.ok) return now;
    const steps: PathMove[] = [];
    for (const move of paths) {
      const found = now.value.get(move.path);
      const isOurs = isSameEntry(found, move.old) || (await isCutShort(git, scratch, found, move));
      if (isOurs && !isSameEntry(found, move.next)) steps.push(move);
    }
    for (const { path } of steps.filter(({ next }) => next === undefined)) await removeFile(workTree, path);
    const written = steps.flatMap(({ path, next }) =>
      next === undefined || next.mode === '160000' ? [] : [{ path, next }],
    );
    const lines = written.map(({ path, next }) => `${next.mode} ${next.blob}\t${path}\0`);
    const prepared = await git.run(['update-index', '-z', '--index-info'], {
      index: wanted,
      workTree,
      input: bytesOf(lines.join('')),
    });
    if (!prepared.ok) return prepared;
    const filled = await git.run(['checkout-index', '-f', '-q', '-z', '--stdin'], {
      index: wanted,
      workTree,
      input: bytesOf(written.map(({ path }) => `${path}\0`).join('')),
      longestMs,
    });
    return filled.ok ? accept(undefined) : filled;
  });
}

/** Git removes a file before it writes the new one: it may have been killed with none of it written, or a part. */
async function isCutShort(
  git: RepositoryGit,
  scratch: string,
  found: Entry | undefined,
  { old, next }: PathMove,
): Promise<boolean> {
  if (next === undefined) return false;
  if (found === undefined) return old !== undefined;
  const part = await git.run(['cat-file', 'blob', found.blob], { scratch });
  const whole = await git.run(['cat-file', 'blob', next.blob], { scratch });
  if (!part.ok || !whole.ok) return false;
  return (
    part.value.length < whole.value.length && whole.value.subarray(0, part.value.length).equals(part.value)
  );
}

async function removeFile(workTree: string, path: PathBytes): Promise<void> {
  await unlink(placeOf(workTree, path)).catch(() => {});
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const place = placeOf(workTree, folder);
    if ((await readdir(place).catch(() => ['?'])).length > 0) return;
    await rmdir(place);
  }
}

const journalPath = (gitDir: string): string => join(gitDir, 'move.json');

async function readJournal(gitDir: string): Promise<Journal | undefined> {
  const text = await readFile(journalPath(gitDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // One of an older server names no step: it was written with the lock held.
  const { step = 'move', ...rest } = JSON.parse(text);
  return { step, ...rest } as Journal;
}

/** On the disk before the branch is moved. */
const writeJournal = (gitDir: string, journal: Journal): Promise<void> =>
  writeJson(journalPath(gitDir), journal);
