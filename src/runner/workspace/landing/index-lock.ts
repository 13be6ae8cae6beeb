import { constants, copyFile, link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Repository } from '../repository.ts';

/**
 * Another's git holds the lock for a moment only: it is waited for. The lock appears with its content at once, so that one that a kill
 * left is known to be ours.
 */
export async function lockIndex(tree: Repository, token: string): Promise<Result<void>> {
  const beside = besidePath(tree, token);
  await rm(beside, { force: true });
  const file = await open(beside, 'wx', 0o644).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof file !== 'object') return cannotLock(tree, file);
  await file.writeFile(token);
  await file.sync();
  await file.close();
  let failure: string | undefined;
  await comesTrue(async () => {
    failure = await placeLock(beside, lockPath(tree));
    return failure !== 'EEXIST';
  }, waitForLockMs);
  await rm(beside, { force: true });
  return failure === undefined ? accept(undefined) : cannotLock(tree, failure);
}

const waitForLockMs = 2_000;

async function placeLock(from: string, to: string): Promise<string | undefined> {
  const codeOf = (error: NodeJS.ErrnoException) => error.code ?? 'unknown';
  const failure = await link(from, to).then(() => undefined, codeOf);
  if (failure === undefined || failure === 'EEXIST') return failure;
  // A file system without hard links.
  return copyFile(from, to, constants.COPYFILE_EXCL).then(() => undefined, codeOf);
}

const cannotLock = (tree: Repository, code: string | undefined): Result<never> =>
  refuse(
    'commit_refused',
    `The index in ${tree.gitDir} cannot be locked (${code}): another git may be at work there.`,
  );

/** Only our own: another's lock is there for a reason. */
export async function unlockIndex(tree: Repository, token: string): Promise<void> {
  await rm(besidePath(tree, token), { force: true });
  if (await isLockedBy(tree, token)) await rm(lockPath(tree), { force: true });
}

/** What is about to take the place of the lock, or of the index. */
export const besidePath = ({ gitDir }: Repository, token: string): string => join(gitDir, `index.${token}`);

export const isLockedBy = async (tree: Repository, token: string): Promise<boolean> =>
  (await readFile(lockPath(tree), 'utf8').catch(() => undefined)) === token;

const lockPath = ({ gitDir }: Repository): string => join(gitDir, 'index.lock');

/** Whether it did within this time. */
export async function comesTrue(look: () => Promise<boolean>, longestMs: number): Promise<boolean> {
  const end = performance.now() + longestMs;
  while (!(await look())) {
    if (performance.now() > end) return false;
    await delay(20);
  }
  return true;
}
