import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Uncommitted } from '../../../protocol/landing.ts';
import { type Repository, smallFile } from '../repository.ts';

/** What a work tree has checked out. */
export interface Head {
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly commit: string | null;
}

/** Read from the files: git is never asked about a git directory whose settings could run something. */
export async function readHead(repository: Repository): Promise<Head> {
  const text = (await smallFile(join(repository.gitDir, 'HEAD')))?.toString().trim() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
  if (branch !== undefined && isBranchName(branch))
    return { branch, commit: await readBranch(repository, branch) };
  return { branch: null, commit: isCommitId(text) ? text : null };
}

/** The newest commit of a branch; null where there is no such branch. */
export async function readBranch({ commonDir }: Repository, branch: string): Promise<string | null> {
  if (!isBranchName(branch)) return null;
  const loose = (await smallFile(join(commonDir, 'refs/heads', branch)))?.toString().trim();
  if (loose !== undefined && isCommitId(loose)) return loose;
  const packed = await smallFile(join(commonDir, 'packed-refs'), mostPackedBytes);
  const end = packed?.indexOf(` refs/heads/${branch}\n`) ?? -1;
  const found = end < 40 ? '' : (packed?.toString('latin1', end - 40, end) ?? '');
  return isCommitId(found) ? found : null;
}

const mostPackedBytes = 64 * 1024 * 1024;

const isCommitId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** As git has them. None leads out of the folder of branches, and none can be taken for an option. */
const isBranchName = (name: string): boolean =>
  name.length <= 250 &&
  !/[\p{C} ~^:?*[\\]|\.\.|@\{|\.lock(?:\/|$)|(?:^|\/)[.-]|\/\/|\/$|^\/|\.$/u.test(name) &&
  name !== '@';

/** Something of git that was begun in a work tree and is not ended. */
export function underWay({ gitDir }: Repository): Uncommitted['underWay'] {
  const has = (name: string): boolean => existsSync(join(gitDir, name));
  if (has('rebase-merge') || has('rebase-apply')) return 'rebase';
  if (has('MERGE_HEAD')) return 'merge';
  if (has('CHERRY_PICK_HEAD')) return 'cherry-pick';
  return has('REVERT_HEAD') ? 'revert' : null;
}

/** All work trees of a repository that are there, each as it says itself: a git directory may point anywhere. */
export async function workTreesOf({ commonDir }: Repository): Promise<Repository[]> {
  const linked = join(commonDir, 'worktrees');
  const names = await readdir(linked).catch(() => []);
  const places = basename(commonDir) === '.git' ? [{ workTree: dirname(commonDir), gitDir: commonDir }] : [];
  for (const name of names) {
    const gitDir = join(linked, name);
    const dotGit = (await smallFile(join(gitDir, 'gitdir')))?.toString().trim();
    if (dotGit !== undefined) places.push({ workTree: dirname(resolve(gitDir, dotGit)), gitDir });
  }
  const found: Repository[] = [];
  for (const { workTree, gitDir } of places) {
    const real = await realpath(workTree).catch(() => undefined);
    if (real === undefined) continue;
    const dotGit = join(real, '.git');
    const named = /^gitdir: (.+)$/m.exec((await smallFile(dotGit))?.toString() ?? '')?.[1];
    const own = await realpath(named === undefined ? dotGit : resolve(real, named)).catch(() => undefined);
    if (own === (await realpath(gitDir))) found.push({ workTree: real, gitDir, commonDir });
  }
  return found;
}
