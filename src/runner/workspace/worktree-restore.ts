import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type { RestoredFiles } from '../../protocol/worktree.ts';
import { entriesBetween } from './entries.ts';
import { projectOf } from './project.ts';
import type { Ref, RepositoryGit } from './repository-git.ts';
import { treeWith } from './store.ts';
import type { TreeInTurn, Workspaces } from './workspaces.ts';
import { copyIncluded, fillWorktree } from './worktree-files.ts';
import { obstacleTo } from './worktree-name.ts';
import type { RemovedRecord, WorktreeRecord } from './worktree-record.ts';
import { adminDirOf } from './worktree-work.ts';

/** A removed worktree that can be brought back as things are. */
export interface RestorePlan {
  readonly record: WorktreeRecord;
  readonly removed: RemovedRecord;
  /** Where its branch is now, or will be. */
  readonly tip: string;
  /** Whether its branch is gone and is made again. */
  readonly makesBranch: boolean;
}

/** Refused in words where something stands against it; nothing is touched. */
export async function planRestore(
  git: RepositoryGit,
  refs: readonly Ref[],
  record: WorktreeRecord,
  workspaces: Pick<Workspaces, 'isKept'>,
): Promise<Result<RestorePlan>> {
  const { removed } = record;
  if (record.state !== 'removed' || removed === undefined)
    return refuse('worktree_not_found', 'No removed worktree has this id.');
  const { branch, commit, recording } = removed;
  if (existsSync(record.path))
    return refuse('worktree_not_restorable', `Something lies at "${record.path}" by now.`);
  if (recording !== null && !workspaces.isKept(record.path, recording))
    return refuse('worktree_not_restorable', 'The recording of its files is no longer kept.');
  const found = await git.read(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
  if (!found.ok && found.refusal.code === 'shutting_down') return found;
  if (!found.ok)
    return refuse(
      'worktree_not_restorable',
      `The repository no longer has the commit ${commit.slice(0, 12)} that it was on.`,
    );
  const own = refs.find(({ name }) => name === `refs/heads/${branch}`);
  if (branch === null) return accept({ record, removed, tip: commit, makesBranch: false });
  if (own !== undefined && own.worktree !== '')
    return refuse('branch_in_use', `The branch "${branch}" is checked out in "${own.worktree}".`);
  if (own !== undefined) return accept({ record, removed, tip: own.commit, makesBranch: false });
  const obstacle = obstacleTo(refs, branch);
  return obstacle === undefined
    ? accept({ record, removed, tip: commit, makesBranch: true })
    : refuse('branch_in_use', `The repository has the branch "${obstacle}".`);
}

/** Makes the worktree again at its path, with the files that were in no commit. */
export async function restoreFiles(
  git: RepositoryGit,
  { record, removed, tip, makesBranch }: RestorePlan,
  { workspaces, lockReason }: { readonly workspaces: Pick<Workspaces, 'at'>; readonly lockReason: string },
): Promise<Result<Pick<RestoredFiles, 'notes' | 'files' | 'lost' | 'isMoved'>>> {
  const { path, commonDir } = record;
  const { branch, commit, recording, lost } = removed;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const what = branch === null ? ['--detach', path, commit] : [path, branch];
  const added = await git.own([
    ...['worktree', 'add', '--no-checkout'],
    ...(makesBranch && branch !== null ? ['--no-track', '-b', branch, path, commit] : what),
  ]);
  if (!added.ok) return added;
  const locked = await git.own(['worktree', 'lock', '--reason', lockReason, path]);
  if (!locked.ok) return locked;
  const adminDir = await adminDirOf(path, commonDir);
  if (adminDir === undefined) return refuse('git_not_available', 'git made no worktree.');
  const filled = await fillWorktree(git, { path, adminDir, commit });
  if (!filled.ok) return filled;
  const isMoved = tip !== commit;
  const advance = async (): Promise<Result<unknown>> =>
    isMoved
      ? git.read(['read-tree', '-m', '-u', commit, tip], {
          workTree: path,
          index: join(adminDir, 'index'),
          longestMs: 10 * 60_000,
        })
      : accept(undefined);
  const put = await (recording === null
    ? advance()
    : workspaces.at({ cwd: path, realCwd: null, roots: [] }, (tree) =>
        putBack(tree, recording, { advance, isMoved }),
      ));
  if (!put.ok) return put;
  // What was recorded is newer than the person's own copy.
  const { include } = await projectOf(record.repository);
  const copied = await copyIncluded(git, path, include, { overlooksExisting: true });
  if (!copied.ok) return copied;
  const notes = { ...filled.value, ...copied.value };
  return accept({ notes, files: removed.files, lost: [...lost], isMoved });
}

/**
 * Writes what the recording has otherwise than the commit that was checked out then: what the branch has got since stays, but for files
 * that were being edited. Nobody works there yet, so a kill in the middle needs no journal: all of it is taken back.
 */
async function putBack(
  { store, recordNow, recording, forgetIndex }: TreeInTurn,
  id: string,
  { advance, isMoved }: { readonly advance: () => Promise<Result<unknown>>; readonly isMoved: boolean },
): Promise<Result<void>> {
  const recorded = await recording(id);
  if (!recorded.ok) return recorded;
  const committed = await recordNow();
  if (!committed.ok) return committed;
  const loose = await entriesBetween(store, committed.value, recorded.value);
  if (!loose.ok) return loose;
  const moved = await advance();
  if (!moved.ok) return moved;
  const now = isMoved ? await recordNow() : committed;
  if (!now.ok) return now;
  const steps = loose.value.map(({ path, after: to }) => ({ path, to }));
  const target = await treeWith(store, now.value.tree, steps);
  if (!target.ok) return target;
  const written = await store.run(['read-tree', '-m', '-u', now.value.tree, target.value], {
    longestMs: 10 * 60_000,
  });
  // Ignored files came with it, and are no part of what is recorded from now on.
  await forgetIndex();
  return written.ok ? accept(undefined) : written;
}
