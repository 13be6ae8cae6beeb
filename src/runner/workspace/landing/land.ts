import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Landed, Landing, LandingCommit, LandingWay, LandOrder } from '../../../protocol/landing.ts';
import { isWithin } from '../../directory.ts';
import { changesIn, type EntryChange } from '../entries.ts';
import { type PathBytes, partsIn, toldPath } from '../path-bytes.ts';
import { looker } from '../recording.ts';
import type { Repository } from '../repository.ts';
import {
  type Merged,
  makeLanding,
  mergeTrees,
  type Rebased,
  rebaseCommits,
  type Sides,
  storeCommit,
} from './merge.ts';
import { moveBranch } from './ref-and-files.ts';
import { readBranch, readHead, underWay, workTreesOf } from './refs.ts';
import { type RepositoryGit, withScratch } from './repository-git.ts';
import { copyIndex, filteredPaths } from './uncommitted.ts';

const mostCommits = 50;

/** What landing the branch that is checked out on a base would be; null where there are not two branches. */
export async function readLanding(
  git: RepositoryGit,
  { base, roots }: { readonly base: string | undefined; readonly roots: readonly string[] },
): Promise<Result<Landing | null>> {
  const { repository } = git;
  const { branch, commit: head } = await readHead(repository);
  // A worktree may have been made from a tag or a commit, on which nothing can land.
  const isBranch = base !== undefined && (await readBranch(repository, base)) !== null;
  const onto = isBranch ? base : await mainBranch(repository);
  const baseCommit = onto === null ? null : await readBranch(repository, onto);
  if (branch === null || head === null || onto === null || baseCommit === null || branch === onto)
    return accept(null);
  const counted = await git.run(['rev-list', '--left-right', '--count', `${baseCommit}...${head}`]);
  if (!counted.ok) return counted;
  const [behind = 0, ahead = 0] = counted.value.toString().trim().split('\t').map(Number);
  const commits = await readCommits(git, `${baseCommit}..${head}`);
  if (!commits.ok) return commits;
  return withScratch(git, async (scratch) => {
    const sides = { base: baseCommit, head, scratch };
    const merged = await mergeTrees(git, sides);
    const rebased = merged.ok ? await rebaseCommits(git, sides) : merged;
    if (!merged.ok) return merged;
    if (!rebased.ok) return rebased;
    const ways = [await toldWay(git, sides, merged.value), await toldWay(git, sides, rebased.value)] as const;
    const [mergedWay, rebasedWay] = ways;
    if (!mergedWay.ok) return mergedWay;
    if (!rebasedWay.ok) return rebasedWay;
    const tree = await treeWithBranch(repository, onto);
    const result = resultOf(merged.value) ?? resultOf(rebased.value);
    const blocking =
      tree === undefined || result === undefined
        ? accept([])
        : await obstaclesIn(git, tree, { ...sides, result });
    if (!blocking.ok) return blocking;
    const isFiltered =
      tree !== undefined && result !== undefined
        ? await needsFilter(git, { ...sides, result })
        : accept(false);
    if (!isFiltered.ok) return isFiltered;
    const told = (way: LandingWay): LandingWay =>
      way.can && isFiltered.value ? { can: false, why: 'filter', conflicts: [] } : way;
    return accept({
      branch,
      head,
      base: onto,
      baseCommit,
      ahead,
      behind,
      commits: commits.value,
      checkedOut:
        tree === undefined
          ? null
          : {
              path: tree.workTree,
              isAllowed: isAllowed(tree, roots),
              inTheWay: blocking.value.slice(0, mostTold).map(toldPath),
              underWay: underWay(tree),
            },
      merged: told(mergedWay.value),
      rebased: told(rebasedWay.value),
    });
  });
}

const mostTold = 200;

/** Lands what was shown, in the way that was chosen. The base, and the files where it is checked out, are as before or as asked. */
export async function land(
  git: RepositoryGit,
  {
    how,
    shown,
    roots,
    ...order
  }: Readonly<z.infer<typeof LandOrder>> & { readonly orderId?: string; readonly roots: readonly string[] },
): Promise<Result<Landed>> {
  const { repository, settings } = git;
  const { branch, head, base, baseCommit } = shown;
  const now = await readHead(repository);
  if (now.branch !== branch || now.commit !== head || (await readBranch(repository, base)) !== baseCommit)
    return refuse('changes_moved', 'The branch or its base has other commits than were shown.');
  if (settings.author === null)
    return refuse(
      'commit_refused',
      'The settings of git name nobody as author: set user.name and user.email.',
    );
  const tree = await treeWithBranch(repository, base);
  const ready = await checkTree(repository, base, tree, roots);
  if (!ready.ok) return ready;
  const commits = await readCommits(git, `${baseCommit}..${head}`);
  if (!commits.ok) return commits;
  if (commits.value.length === 0)
    return refuse('changes_moved', `${base} has all commits of ${branch} already.`);
  const message = order.message ?? usualMessage(how, branch, commits.value);

  return withScratch(git, async (scratch) => {
    const sides = { base: baseCommit, head, scratch };
    const made = await makeLanding(git, sides, { how, message });
    if (!made.ok) return made;
    if ('can' in made.value) return blocked(git, made.value);
    const { commit } = made.value;
    const stored = await storeCommit(git, { ...sides, commit });
    if (!stored.ok) return stored;
    const reason = `${how} ${branch}`;
    if (tree === undefined) {
      const moved = await git.moveRef({ ref: `refs/heads/${base}`, from: baseCommit, to: commit, reason });
      return moved.ok ? accept({ base, commit, moved: null }) : moved;
    }
    const blocking = await obstaclesIn(git, tree, { ...sides, result: commit });
    if (!blocking.ok) return blocking;
    if (blocking.value.length > 0) return filesInTheWay(tree, blocking.value);
    const changes = await changesTo(git, { ...sides, result: commit });
    if (!changes.ok) return changes;
    const isFiltered = await needsFilter(git, { ...sides, result: commit });
    if (!isFiltered.ok) return isFiltered;
    if (isFiltered.value) return blocked(git, { can: false, why: 'filter', conflicts: [] });
    const told = { base, commit, moved: tree.workTree };
    const moved = await moveBranch(git, {
      branch: base,
      from: baseCommit,
      to: commit,
      reason,
      tree,
      paths: changes.value.map(({ path, before, after }) => ({ path, old: before, next: after })),
      withFiles: true,
      order: { orderId: order.orderId, told },
    });
    return moved.ok ? accept(told) : moved;
  });
}

const filesInTheWay = ({ workTree }: Repository, paths: readonly PathBytes[]): Result<never> => {
  const told = paths.slice(0, mostTold).map(toldPath);
  const some = told.slice(0, 5).join(', ');
  return refuse('commit_refused', `In ${workTree} these were changed and would be overwritten: ${some}.`, {
    paths: told,
  });
};

function blocked(
  { version: { major, minor } }: RepositoryGit,
  { why, conflicts }: Extract<LandingWay, { can: false }>,
): Result<never> {
  if (why === 'conflicts') return refuse('landing_conflicts', undefined, { conflicts });
  if (why === 'old-git')
    return refuse(
      'commit_refused',
      `git ${major}.${minor} cannot merge without a work tree; git 2.38 and later can.`,
    );
  return refuse('commit_refused', reasons[why]);
}

const reasons = {
  merges: 'The branch has merges in it; a line of commits cannot hold them.',
  many: 'The branch has more commits than are laid anew here.',
  unrelated: 'The branch and its base have no commit in common.',
  filter: 'Files go through a filter (as with LFS), which is not run here.',
} as const;

function usualMessage(how: string, branch: string, commits: readonly LandingCommit[]): string {
  const [only] = commits;
  if (how === 'merge') return `Merge branch '${branch}'`;
  if (commits.length === 1 && only !== undefined) return only.subject;
  return [`Squash branch '${branch}'`, '', ...commits.map(({ subject }) => `* ${subject}`).reverse()].join(
    '\n',
  );
}

/** Of a worktree that has no other base: what the repository itself has checked out. */
async function mainBranch(repository: Repository): Promise<string | null> {
  if (repository.gitDir === repository.commonDir) return null;
  return (await readHead({ ...repository, gitDir: repository.commonDir })).branch;
}

/** The work tree that has a branch checked out. */
export async function treeWithBranch(
  repository: Repository,
  branch: string,
): Promise<Repository | undefined> {
  for (const tree of await workTreesOf(repository)) if ((await readHead(tree)).branch === branch) return tree;
  return undefined;
}

const isAllowed = ({ workTree }: Repository, roots: readonly string[]): boolean =>
  roots.length === 0 || roots.some((root) => isWithin(workTree, root));

async function checkTree(
  repository: Repository,
  base: string,
  tree: Repository | undefined,
  roots: readonly string[],
): Promise<Result<void>> {
  if (tree !== undefined && !isAllowed(tree, roots))
    return refuse(
      'commit_refused',
      `${base} is checked out in ${tree.workTree}, outside of the configured roots.`,
    );
  const begun = tree === undefined ? null : underWay(tree);
  if (begun !== null)
    return refuse('commit_refused', `A ${begun} is under way in ${tree?.workTree}; end it first.`);
  // While it is rebased a branch is checked out nowhere, and set when that ends.
  for (const { gitDir, workTree } of await workTreesOf(repository)) {
    for (const folder of ['rebase-merge', 'rebase-apply']) {
      const name = await readFile(join(gitDir, folder, 'head-name'), 'utf8').catch(() => '');
      if (name.trim() === `refs/heads/${base}`)
        return refuse('commit_refused', `${base} is being rebased in ${workTree}; end that first.`);
    }
  }
  return accept(undefined);
}

async function readCommits(git: RepositoryGit, range: string): Promise<Result<LandingCommit[]>> {
  const format = '--format=%H%x00%an%x00%aI%x00%s%x00';
  const listed = await git.run(['log', `--max-count=${mostCommits}`, '--no-show-signature', format, range]);
  if (!listed.ok) return listed;
  const parts = listed.value.toString('utf8').split('\0');
  const commits: LandingCommit[] = [];
  for (let at = 0; at + 4 < parts.length; at += 4) {
    const [id = '', author = '', when = '', subject = ''] = parts.slice(at, at + 4);
    commits.push({ id: id.trim(), author, at: when, subject });
  }
  return accept(commits);
}

interface ToResult extends Sides {
  /** A commit or a tree. */
  readonly result: string;
}

const resultOf = (way: Merged | Rebased): string | undefined =>
  'can' in way ? undefined : 'tree' in way ? way.tree : way.commit;

async function toldWay(git: RepositoryGit, sides: Sides, way: Merged | Rebased): Promise<Result<LandingWay>> {
  if ('can' in way) return accept(way);
  const result = resultOf(way) ?? '';
  const counted = await git.run(['diff-tree', '-r', '-z', '--numstat', '--no-renames', sides.base, result], {
    scratch: sides.scratch,
  });
  if (!counted.ok) return counted;
  let [files, added, removed] = [0, 0, 0];
  for (const line of await partsIn(counted.value)) {
    const [plus = '', minus = ''] = line.split('\t');
    files += 1;
    added += Number(plus) || 0;
    removed += Number(minus) || 0;
  }
  return accept({ can: true, files, added, removed, commits: 'commits' in way ? way.commits : 1 });
}

async function changesTo(
  git: RepositoryGit,
  { base, result, scratch }: ToResult,
): Promise<Result<EntryChange[]>> {
  const raw = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', base, result], { scratch });
  return raw.ok ? accept(await changesIn(await partsIn(raw.value))) : raw;
}

/** Whether a program of the repository's choice would have to change files on their way into a work tree. */
async function needsFilter(git: RepositoryGit, sides: ToResult): Promise<Result<boolean>> {
  const { result, scratch } = sides;
  const changes = await changesTo(git, sides);
  if (!changes.ok) return changes;
  const index = join(scratch, 'result');
  const read = await git.run(['read-tree', result], { index, scratch });
  if (!read.ok) return read;
  const paths = changes.value.map(({ path }) => path);
  const filtered = await filteredPaths(git, paths, { index, scratch, cached: true });
  return filtered.ok ? accept(filtered.value.size > 0) : filtered;
}

/** What in a work tree would be lost, were its files moved along: edited, staged, or lying where a new file would. */
async function obstaclesIn(
  git: RepositoryGit,
  tree: Repository,
  sides: ToResult,
): Promise<Result<PathBytes[]>> {
  const { workTree } = tree;
  const index = join(sides.scratch, 'checked-out');
  const copied = await copyIndex(git, index, tree);
  if (!copied.ok) return copied;
  const differing = await git.run(['diff-index', '-z', '--name-only', '--no-renames', sides.base], {
    index,
    workTree,
  });
  if (!differing.ok) return differing;
  const edited = new Set(await partsIn(differing.value));
  const changes = await changesTo(git, sides);
  if (!changes.ok) return changes;
  const look = looker(workTree);
  return accept(
    changes.value
      // Git overwrites an ignored file without a word.
      .filter(({ path, before }) => edited.has(path) || (before === undefined && look(path) !== undefined))
      .map(({ path }) => path),
  );
}
