import { createHash } from 'node:crypto';
import { type Dirent, lstatSync } from 'node:fs';
import { copyFile, lstat, readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { Worktree, WorktreeWork } from '../../protocol/worktree.ts';
import { bytesOf, type PathBytes, partsIn, toldPath } from './path-bytes.ts';
import { looker, placeOf } from './recording.ts';
import { smallFile } from './repository.ts';
import { commitOf, findCommit, headIn, type Ref, type RepositoryGit } from './repository-git.ts';
import { ignoredEntries } from './worktree-files.ts';
import type { WorktreeRecord } from './worktree-record.ts';

/** How a worktree stands, and what would be lost with it. */
export interface Standing
  extends Pick<Worktree, 'currentBranch' | 'head' | 'ahead' | 'behind' | 'work' | 'shown'> {
  /** Single files that are ignored; folders are left out. */
  readonly ignoredFiles: readonly PathBytes[];
  /** Folders among what is in no commit: they are told as a whole, and not recorded. */
  readonly folders: readonly PathBytes[];
  /** How many files are in no commit, without those in folders. */
  readonly looseFiles: number;
}

const mostTold = 200;
const isFile = (path: PathBytes): boolean => !path.endsWith('/');

/**
 * Looked at through a git directory of ours and a copy of the worktree's index, so that nothing of the repository runs and nothing is
 * written. Whoever works there may have told git to overlook files: that does not hold here.
 */
export async function standingOf(
  git: RepositoryGit,
  record: WorktreeRecord,
  refs: readonly Ref[],
  path = record.path,
): Promise<Result<Standing>> {
  const admin = await adminDirOf(path, record.commonDir);
  if (admin === undefined)
    return refuse('git_not_available', `What lies in "${path}" is no longer a worktree of its repository.`);
  const { branch: currentBranch, commit: head } = await headIn(path, refs);
  const index = await copiedIndex(git, admin, record.id);
  const there = { workTree: path, index, notFrom: record.repository };
  try {
    const listed = await looseIn(git, there, head);
    if (!listed.ok) return listed;
    const { uncommitted, untracked, ignored } = listed.value;
    const unmerged = head === undefined ? accept([]) : await unmergedIn(git, refs, record, head);
    if (!unmerged.ok) return unmerged;
    const stamps = createHash('sha256');
    const told = async (paths: readonly PathBytes[]): Promise<WorktreeWork['untracked']> => {
      const some = [];
      for (const [at, one] of paths.entries()) {
        const seen = await stampOf(path, one);
        stamps.update(JSON.stringify([one, seen.stamp]));
        if (at < mostTold)
          some.push({ path: toldPath(one), ...(seen.files !== undefined && { files: seen.files }) });
      }
      stamps.update('|');
      return some;
    };
    const work = {
      uncommitted: await told(uncommitted),
      untracked: await told(untracked),
      ignored: await told(ignored),
      unmerged: unmerged.value.slice(0, mostTold),
      isAll: [uncommitted, untracked, ignored, unmerged.value].every((list) => list.length <= mostTold),
    };
    const own = commitOf(refs, `refs/heads/${record.branch}`) ?? null;
    const all = [...uncommitted, ...untracked, ...ignored];
    stamps.update(JSON.stringify([currentBranch, head ?? null, own]));
    return accept({
      currentBranch,
      head: head ?? null,
      ...(await distance(git, refs, record, head)),
      work,
      shown: stamps.digest('hex'),
      ignoredFiles: ignored.filter(isFile),
      folders: all.filter((one) => !isFile(one)),
      looseFiles: all.filter(isFile).length,
    });
  } finally {
    await rm(index, { force: true });
  }
}

/** Where git keeps what concerns a worktree; undefined where its `.git` leads anywhere but into its repository. */
export async function adminDirOf(path: string, commonDir: string): Promise<string | undefined> {
  const text = (await smallFile(join(path, '.git')))?.toString() ?? '';
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  if (named === undefined) return undefined;
  const real = await realpath(resolve(path, named)).catch(() => undefined);
  const home = await realpath(join(commonDir, 'worktrees')).catch(() => undefined);
  return real !== undefined && dirname(real) === home ? real : undefined;
}

/** A little older than the one it was copied from: files of the same second are then compared by what is in them. */
async function copiedIndex({ reader }: RepositoryGit, admin: string, id: string): Promise<string> {
  const copy = join(reader, `index-${id}`);
  await rm(copy, { force: true });
  const index = join(admin, 'index');
  const found = await stat(index).catch(() => undefined);
  if (found?.isFile() !== true) return copy;
  await copyFile(index, copy);
  const second = Math.floor(found.mtimeMs / 1000);
  await utimes(copy, second, second);
  return copy;
}

interface There {
  readonly workTree: string;
  readonly index: string;
  readonly notFrom: string;
}

async function looseIn(
  git: RepositoryGit,
  there: There,
  head: string | undefined,
): Promise<Result<Record<'uncommitted' | 'untracked' | 'ignored', readonly PathBytes[]>>> {
  const list = async (...args: string[]): Promise<Result<readonly PathBytes[]>> => {
    const listed = await git.read([...args, '-z'], there);
    return listed.ok ? accept(await partsIn(listed.value)) : listed;
  };
  const flagged = await list('ls-files', '-v');
  if (!flagged.ok) return flagged;
  const seen = await seeAgain(git, there, flagged.value);
  if (!seen.ok) return seen;
  const entries = await list('ls-files', '--stage');
  if (!entries.ok) return entries;
  const staged =
    head === undefined
      ? accept([])
      : await list('diff-index', '--cached', '--name-only', '--no-renames', head);
  if (!staged.ok) return staged;
  const changed = await list('diff-files', '--name-only', '--no-renames');
  if (!changed.ok) return changed;
  const untracked = await list('ls-files', '--others', '--exclude-standard');
  if (!untracked.ok) return untracked;
  const ignored = await list(...ignoredEntries);
  if (!ignored.ok) return ignored;
  const submodules = await filledSubmodules(there.workTree, entries.value);
  const uncommitted = [...new Set([...staged.value, ...changed.value, ...submodules])].sort();
  return accept({ uncommitted, untracked: untracked.value, ignored: ignored.value });
}

/** Takes the marks away with which git overlooks a file; where one is not there, it was left out on purpose. */
async function seeAgain(
  git: RepositoryGit,
  there: There,
  listed: readonly PathBytes[],
): Promise<Result<void>> {
  const found = looker(there.workTree);
  const overlooked = listed.filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2) as PathBytes);
  const paths = overlooked.filter((path) => found(path) !== undefined);
  if (paths.length === 0) return accept(undefined);
  for (const mark of ['--no-assume-unchanged', '--no-skip-worktree']) {
    const input = bytesOf(`${paths.join('\0')}\0`);
    const cleared = await git.read(['update-index', mark, '-z', '--stdin'], { ...there, input });
    if (!cleared.ok) return cleared;
  }
  return accept(undefined);
}

/** They arrive empty; what was put into them since is told as a whole. */
async function filledSubmodules(top: string, entries: readonly PathBytes[]): Promise<PathBytes[]> {
  const filled: PathBytes[] = [];
  for (const line of entries.filter((one) => one.startsWith('160000 '))) {
    const path = line.slice(line.indexOf('\t') + 1) as PathBytes;
    const names = await readdir(placeOf(top, path)).catch(() => []);
    if (names.length > 0) filled.push(`${path}/` as PathBytes);
  }
  return filled;
}

/** What only this worktree and its branch lead to. */
async function unmergedIn(
  { read }: RepositoryGit,
  refs: readonly Ref[],
  { branch }: WorktreeRecord,
  head: string,
): Promise<Result<WorktreeWork['unmerged']>> {
  const own = `refs/heads/${branch}`;
  const others = new Set(refs.filter(({ name }) => name !== own).map(({ commit }) => commit));
  const tips = [...new Set([head, commitOf(refs, own) ?? head])];
  const input = [...tips, ...[...others].map((commit) => `^${commit}`), ''].join('\n');
  const listed = await read(
    ['log', '--format=%H %s', `--max-count=${mostTold + 1}`, '--ignore-missing', '--stdin'],
    {
      input,
    },
  );
  if (!listed.ok) return listed;
  const lines = listed.value.toString().split('\n').filter(Boolean);
  return accept(
    lines.map((line) => {
      const [commit = ''] = line.split(' ', 1);
      return { commit, subject: line.slice(commit.length + 1, 200) };
    }),
  );
}

async function distance(
  git: RepositoryGit,
  refs: readonly Ref[],
  { base, baseCommit }: WorktreeRecord,
  head: string | undefined,
): Promise<Pick<Worktree, 'ahead' | 'behind'>> {
  const unknown = { ahead: null, behind: null };
  if (head === undefined) return unknown;
  const now = (await findCommit(git, refs, base)) ?? baseCommit;
  const counted = await git.read(['rev-list', '--left-right', '--count', `${head}...${now}`]);
  const [, ahead, behind] = (counted.ok && /^(\d+)\t(\d+)/.exec(counted.value.toString())) || [];
  return ahead === undefined ? unknown : { ahead: Number(ahead), behind: Number(behind) };
}

const mostCounted = 1_000;

/** Changes when what lies at a path does. Of a folder so many files are counted at most. */
async function stampOf(
  top: string,
  path: PathBytes,
): Promise<{ readonly stamp: string; readonly files?: number }> {
  if (!path.endsWith('/')) {
    const found = await lstat(placeOf(top, path), { bigint: true }).catch(() => undefined);
    return { stamp: found === undefined ? 'gone' : `${found.size} ${found.mtimeNs}` };
  }
  let [files, latest] = [0, 0];
  const ahead = [placeOf(top, path.slice(0, -1))];
  for (let next = ahead.shift(); next !== undefined && files < mostCounted; next = ahead.shift()) {
    const entries: Dirent<Buffer>[] = await readdir(next, { withFileTypes: true, encoding: 'buffer' }).catch(
      () => [],
    );
    for (const entry of entries.slice(0, mostCounted - files)) {
      const place = Buffer.concat([next, Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) ahead.push(place);
      else {
        files += 1;
        latest = Math.max(latest, lstatSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      }
    }
  }
  return { stamp: `${files} ${latest}`, files };
}
