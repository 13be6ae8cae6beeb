import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkPlace, WorkspaceReply, WorkspaceRequest } from '../../engine/ports/workspace.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import type {
  MadeWorktree,
  RemovedWorktree,
  RepositoryView,
  RestorableWorktree,
  RestoredFiles,
  SessionWorktree,
  Worktree,
} from '../../protocol/worktree.ts';
import { isWithin } from '../directory.ts';
import { Git } from './git.ts';
import { type PathBytes, toldPath } from './path-bytes.ts';
import { projectOf, setupIn } from './project.ts';
import { realOr, repositoryOf } from './repository.ts';
import {
  commitOf,
  findCommit,
  headIn,
  openRepository,
  type Ref,
  type RepositoryGit,
  refsOf,
  subjectOf,
} from './repository-git.ts';
import { gitsOn, type Recording } from './store.ts';
import type { Workspaces } from './workspaces.ts';
import { copyIncluded, fillWorktree } from './worktree-files.ts';
import { folderName, freeBranch, obstacleTo } from './worktree-name.ts';
import { type RemovedRecord, type WorktreeRecord, WorktreeRecords } from './worktree-record.ts';
import { planRestore, restoreFiles } from './worktree-restore.ts';
import { adminDirOf, type Standing, standingOf } from './worktree-work.ts';

export interface WorktreesOptions {
  /** Where Beckon keeps its files. */
  readonly dataDir: string;
  /** Where git is found. */
  readonly path: string;
  readonly home?: string;
  /** Records what lies in a work tree before it is removed, and has it when it is brought back. */
  readonly workspaces: Pick<Workspaces, 'at' | 'isKept'>;
}

const mostBranches = 200;
/** Of more that were removed, the oldest can no longer be brought back. */
const mostRemoved = 200;

/**
 * Worktrees of people's repositories, in a folder of ours. What is about to be done is written down first; what a kill left half done
 * is finished or taken back before anything else. One thing is done at a time.
 */
export class Worktrees {
  readonly #git: Git;
  readonly #options: Required<WorktreesOptions>;
  readonly #records: WorktreeRecords;
  #last: Promise<unknown>;

  constructor(options: WorktreesOptions) {
    this.#git = new Git(options.path);
    this.#options = { home: homedir(), ...options };
    this.#records = new WorktreeRecords(join(this.#folder, '.records'));
    this.#last = this.#mend().catch(() => {});
  }

  get #folder(): string {
    return join(this.#options.dataDir, 'worktrees');
  }

  /** What a worktree would be made from. */
  repository({ place, base }: WorkspaceRequest<'repository'>): Promise<Result<RepositoryView>> {
    return this.#inTurn(async () => {
      const opened = await this.#open(place);
      if (!opened.ok) return opened;
      const { git, refs } = opened.value;
      const { workTree } = git.repository;
      const { branch } = await headIn(workTree, refs);
      const { isDefault, include } = await projectOf(workTree);
      const found = await baseOf(git, refs, base);
      // Without a commit there is nothing to choose from yet; a base that was asked for is another matter.
      if (!found.ok && base !== undefined) return found;
      const commit = found.ok ? found.value.commit : undefined;
      return accept({
        workTree,
        branch,
        base: found.ok ? { ...found.value, subject: await subjectOf(git, found.value.commit) } : null,
        branches: branchNames(refs),
        isDefault,
        include: [...include],
        setup: commit === undefined ? null : await setupIn(git, commit),
      });
    });
  }

  /** Asked for again under the same id, it gives what was made. */
  make(wish: WorkspaceRequest<'makeWorktree'>): Promise<Result<MadeWorktree>> {
    return this.#inTurn(async () => {
      const known = await this.#records.find(wish.orderId);
      if (known?.state === 'made') return this.#madeBefore(known);
      const opened = await this.#open(wish.place);
      if (!opened.ok) return opened;
      const { git, refs } = opened.value;
      const found = await baseOf(git, refs, wish.base);
      if (!found.ok) return found;
      if (wish.commit !== undefined && wish.commit !== found.value.commit)
        return refuse(
          'worktree_changed',
          `"${found.value.name}" is no longer at the commit that was shown.`,
          {
            field: 'worktree',
          },
        );
      const branch = wish.branch ?? freeBranch(refs, wish.title);
      const obstacle = obstacleTo(refs, branch);
      if (obstacle !== undefined)
        return refuse('branch_in_use', `The repository has the branch "${obstacle}".`, { field: 'worktree' });
      const record: WorktreeRecord = {
        state: 'making',
        id: wish.orderId,
        path: await this.#freePath(git, branch),
        repository: git.repository.workTree,
        gitDir: git.repository.gitDir,
        commonDir: git.repository.commonDir,
        branch,
        base: found.value.name,
        baseCommit: found.value.commit,
        below: relative(git.repository.workTree, await realOr(wish.place.cwd)),
        createdAt: new Date().toISOString(),
      };
      await this.#records.write(record);
      const made = await this.#make(git, record);
      if (made.ok || made.refusal.code === 'shutting_down') return made;
      await this.#takeBack(git, record);
      return made;
    });
  }

  list(): Promise<Result<WorkspaceReply<'listWorktrees'>>> {
    return this.#inTurn(async () => {
      const records = await this.#records.all();
      const worktrees: Worktree[] = [];
      for (const record of records) if (record.state === 'made') worktrees.push(await this.#look(record));
      const removed = records.flatMap((record) => this.#restorable(record));
      return accept({ worktrees, removed: removed.sort((a, b) => (a.removedAt < b.removedAt ? 1 : -1)) });
    });
  }

  /** Makes a removed worktree again where it was, on its branch, with the files that were in no commit. */
  restore({ worktreeId: id }: WorkspaceRequest<'restoreWorktree'>): Promise<Result<RestoredFiles>> {
    return this.#inTurn(async () => {
      const record = await this.#records.find(id);
      if (record === undefined) return refuse('worktree_not_found');
      const opened = await this.#openAgain(record);
      if (!opened.ok) return opened;
      const { git, refs } = opened.value;
      const { workspaces } = this.#options;
      const plan = await planRestore(git, refs, record, workspaces);
      if (!plan.ok) return plan;
      const { makesBranch, removed, tip } = plan.value;
      const dropsBranchAt = makesBranch ? removed.commit : null;
      await this.#records.write({ ...record, state: 'restoring', dropsBranchAt });
      const restored = await restoreFiles(git, plan.value, { workspaces, lockReason });
      if (!restored.ok) {
        if (restored.refusal.code !== 'shutting_down')
          await this.#takeBackRestore(git, { ...record, dropsBranchAt });
        return restored;
      }
      const { removed: _, dropsBranchAt: __, ...made } = record;
      await this.#records.write({ ...made, state: 'made' });
      const [cwd, setup] = [await cwdIn(record), await setupIn(git, tip)];
      return accept({ worktree: told(record), cwd, ...restored.value, setup });
    });
  }

  /** Refused when what lies there is not what was shown. The commits stay on the branch unless that is to go, too. */
  remove({
    worktreeId: id,
    shown,
    branch,
    isForgotten = false,
  }: WorkspaceRequest<'removeWorktree'>): Promise<Result<RemovedWorktree>> {
    return this.#inTurn(async () => {
      const record = await this.#records.find(id);
      if (record?.state !== 'made') return refuse('worktree_not_found');
      const opened = await this.#openAgain(record);
      const isThere = existsSync(record.path);
      if (!opened.ok && opened.refusal.code === 'no_repository' && !isThere && shown === missing) {
        // Neither it nor its repository is there: there is nothing to be done but to forget it.
        await this.#records.remove(id);
        return accept({ recording: null, branch: null });
      }
      if (!opened.ok) return opened;
      const { git, refs } = opened.value;
      const standing = isThere ? await standingOf(git, record, refs) : undefined;
      if (standing?.ok === false) return standing;
      if ((standing?.value.shown ?? missing) !== shown) return refuse('worktree_changed');
      const recorded = await this.#recorded(record, standing?.value);
      if (!recorded.ok) return recorded;
      const kept = await keepDetached(git, refs, record, standing?.value);
      if (!kept.ok) return kept;
      const tip = commitOf(refs, `refs/heads/${record.branch}`);
      const isElsewhere = refs.some(
        ({ name, worktree }) =>
          name === `refs/heads/${record.branch}` && worktree !== '' && worktree !== record.path,
      );
      const drops = branch === 'remove' && tip !== undefined && !isElsewhere;
      const removing: WorktreeRecord = {
        ...record,
        state: 'removing',
        dropsBranchAt: drops ? tip : null,
        ...(!isForgotten && { removed: removedFrom(record, standing?.value, tip, recorded.value) }),
      };
      await this.#records.write(removing);
      if (isThere) {
        // From here on nobody finds it under its name, so what is looked at now is what goes.
        await rename(record.path, awayFrom(record));
        const again = await standingOf(git, record, refs, awayFrom(record));
        if (!again.ok || again.value.shown !== shown) {
          await rename(awayFrom(record), record.path);
          await this.#records.write(record);
          return again.ok ? refuse('worktree_changed') : again;
        }
        await this.#records.write({ ...removing, isChecked: true });
      }
      const removed = await this.#finishRemoval(git, removing);
      if (!removed.ok) return removed;
      const isDropped = drops && removed.value.isBranchDropped;
      const left = kept.value ?? (isDropped || tip === undefined ? null : record.branch);
      return accept({ recording: recorded.value?.id ?? null, branch: left });
    });
  }

  /** Lets git's own commands take the worktree away: no session has it any more. */
  release({ worktreeId: id }: WorkspaceRequest<'releaseWorktree'>): Promise<Result<{ released: boolean }>> {
    return this.#inTurn(async () => {
      const record = await this.#records.find(id);
      const opened = record && (await this.#openAgain(record));
      if (record === undefined || opened?.ok !== true) return accept({ released: false });
      const unlocked = await opened.value.git.own(['worktree', 'unlock', record.path]);
      return accept({ released: unlocked.ok });
    });
  }

  /** Where a worktree lies; undefined for what is none of ours. */
  async pathOf(id: string): Promise<string | undefined> {
    const record = await this.#records.find(id);
    return record?.state === 'made' ? record.path : undefined;
  }

  async close(): Promise<void> {
    this.#git.close();
    await this.#last;
  }

  async #make(git: RepositoryGit, record: WorktreeRecord): Promise<Result<MadeWorktree>> {
    const { path, branch, baseCommit, commonDir } = record;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const added = await git.own([
      'worktree',
      'add',
      '--no-checkout',
      '--no-track',
      '-b',
      branch,
      path,
      baseCommit,
    ]);
    if (!added.ok) return added;
    const locked = await git.own(['worktree', 'lock', '--reason', lockReason, path]);
    if (!locked.ok) return locked;
    const adminDir = await adminDirOf(path, commonDir);
    if (adminDir === undefined) return refuse('git_not_available', 'git made no worktree.');
    const filled = await fillWorktree(git, { path, adminDir, commit: baseCommit });
    if (!filled.ok) return filled;
    const { include } = await projectOf(record.repository);
    const copied = await copyIncluded(git, path, include);
    if (!copied.ok) return copied;
    await this.#records.write({ ...record, state: 'made' });
    return accept({
      worktree: told(record),
      cwd: await cwdIn(record),
      notes: { ...filled.value, ...copied.value },
      setup: await setupIn(git, baseCommit),
    });
  }

  async #madeBefore(record: WorktreeRecord): Promise<Result<MadeWorktree>> {
    const opened = await this.#openAgain(record);
    if (!opened.ok) return opened;
    const setup = await setupIn(opened.value.git, record.baseCommit);
    return accept({ worktree: told(record), cwd: await cwdIn(record), notes: noNotes, setup });
  }

  async #look(record: WorktreeRecord): Promise<Worktree> {
    const { createdAt } = record;
    const none = { uncommitted: [], untracked: [], ignored: [], unmerged: [], isAll: true };
    const unknown = { currentBranch: null, head: null, ahead: null, behind: null, work: none };
    if (!existsSync(record.path))
      return { ...told(record), createdAt, state: 'missing', ...unknown, shown: missing };
    const opened = await this.#openAgain(record);
    const standing = opened.ok ? await standingOf(opened.value.git, record, opened.value.refs) : opened;
    if (!standing.ok)
      return { ...told(record), createdAt, state: 'unreadable', ...unknown, shown: 'unreadable' };
    const { ignoredFiles: _, folders: __, looseFiles: ___, ...shown } = standing.value;
    return { ...told(record), createdAt, state: 'there', ...shown };
  }

  async #recorded(
    { path }: WorktreeRecord,
    standing: { readonly ignoredFiles: readonly PathBytes[]; readonly work: Worktree['work'] } | undefined,
  ): Promise<Result<Recording | null>> {
    if (standing === undefined) return accept(null);
    const { uncommitted, untracked } = standing.work;
    if (uncommitted.length + untracked.length + standing.ignoredFiles.length === 0) return accept(null);
    return this.#options.workspaces.at({ cwd: path, realCwd: null, roots: [] }, async (tree) => {
      const recorded = await tree.recordNow(standing.ignoredFiles);
      // Should it stay all the same, its ignored files are no part of what is recorded later.
      if (standing.ignoredFiles.length > 0) await tree.forgetIndex();
      return recorded;
    });
  }

  async #finishRemoval(
    git: RepositoryGit,
    record: WorktreeRecord,
  ): Promise<Result<{ readonly isBranchDropped: boolean }>> {
    await removeFolder(awayFrom(record));
    // The folder is gone: git has nothing to look at, and forgets only this one.
    const forgotten = await git.own(['worktree', 'remove', '--force', '--force', record.path]);
    const { dropsBranchAt } = record;
    const dropped =
      dropsBranchAt == null
        ? forgotten
        : await git.own(['update-ref', '-d', `refs/heads/${record.branch}`, dropsBranchAt]);
    if (!dropped.ok && dropped.refusal.code === 'shutting_down') return dropped;
    await this.#noteRemoved(record);
    return accept({ isBranchDropped: dropsBranchAt != null && dropped.ok });
  }

  async #noteRemoved(record: WorktreeRecord): Promise<void> {
    const { isChecked: _, dropsBranchAt: __, ...rest } = record;
    if (rest.removed === undefined) return this.#records.remove(record.id);
    await this.#records.write({ ...rest, state: 'removed' });
    const all = (await this.#records.all()).filter(({ state }) => state === 'removed');
    const oldest = all
      .sort((a, b) => ((a.removed?.at ?? '') < (b.removed?.at ?? '') ? 1 : -1))
      .slice(mostRemoved);
    for (const { id } of oldest) await this.#records.remove(id);
  }

  #restorable(record: WorktreeRecord): RestorableWorktree[] {
    const { removed, state, path } = record;
    if (state !== 'removed' || removed === undefined) return [];
    const { recording, at: removedAt, branch: currentBranch, commit: head, files, lost } = removed;
    if (recording !== null && !this.#options.workspaces.isKept(path, recording)) return [];
    return [{ ...told(record), removedAt, currentBranch, head, files, lost }];
  }

  /** Nobody has been told that it is back: it is removed as before, and can be brought back again. */
  async #takeBackRestore(git: RepositoryGit, record: WorktreeRecord): Promise<void> {
    await removeFolder(record.path);
    await git.own(['worktree', 'remove', '--force', '--force', record.path]);
    if (record.dropsBranchAt != null && record.removed?.branch != null)
      await git.own(['update-ref', '-d', `refs/heads/${record.removed.branch}`, record.dropsBranchAt]);
    const { dropsBranchAt: _, ...removed } = record;
    await this.#records.write({ ...removed, state: 'removed' });
  }

  /** Nobody has been told of it: whatever of it is there goes, and the branch if nothing was put on it. */
  async #takeBack(git: RepositoryGit, record: WorktreeRecord): Promise<void> {
    await rm(record.path, { recursive: true, force: true, maxRetries: 3 });
    await git.own(['worktree', 'remove', '--force', '--force', record.path]);
    await git.own(['update-ref', '-d', `refs/heads/${record.branch}`, record.baseCommit]);
    await this.#records.remove(record.id);
  }

  /** What an earlier server was killed in the middle of. */
  async #mend(): Promise<void> {
    for (const record of await this.#records.all()) {
      // One that cannot be mended, as where the disk says no, stands in no other's way.
      if (record.state !== 'made') await this.#mendOne(record).catch(() => {});
    }
  }

  async #mendOne(record: WorktreeRecord): Promise<void> {
    const away = awayFrom(record);
    if (record.state === 'removed') return existsSync(away) ? removeFolder(away) : undefined;
    // Git may still be at it: ended in the middle, it would leave a lock in the repository.
    for (let tries = 0; gitsOn(record.commonDir).length > 0 && tries < 100; tries += 1) await delay(50);
    const opened = await this.#openAgain(record);
    // The repository is not there any more; neither is what was done to it.
    if (!opened.ok) return;
    const { git } = opened.value;
    if (record.state === 'making') return this.#takeBack(git, record);
    if (record.state === 'restoring') return this.#takeBackRestore(git, record);
    const isStaying = existsSync(away) ? record.isChecked !== true : existsSync(record.path);
    if (!isStaying) return void (await this.#finishRemoval(git, record));
    // Somebody may have written there between the look and the kill: it goes only as it was shown.
    if (existsSync(away)) await rename(away, record.path);
    const { removed: _, dropsBranchAt: __, ...made } = record;
    await this.#records.write({ ...made, state: 'made' });
  }

  async #open(place: WorkPlace): Promise<Result<Opened>> {
    const found = await repositoryOf(place, this.#options.home);
    if (!found.ok) return found;
    const roots = await Promise.all(place.roots.map(realOr));
    const real = await realOr(found.value.commonDir);
    if (roots.length > 0 && !roots.some((root) => isWithin(real, root)))
      return refuse(
        'directory_not_allowed',
        `The repository of "${place.cwd}" lies outside the configured roots.`,
        {
          field: 'cwd',
        },
      );
    return this.#opened({ ...found.value, commonDir: real });
  }

  #openAgain({ repository: workTree, gitDir, commonDir }: WorktreeRecord): Promise<Result<Opened>> {
    // The work tree that it was made from may be gone; the repository is what counts.
    return this.#opened({ workTree: existsSync(workTree) ? workTree : commonDir, gitDir, commonDir });
  }

  async #opened(repository: RepositoryGit['repository']): Promise<Result<Opened>> {
    if (!existsSync(repository.commonDir)) return refuse('no_repository');
    const git = await openRepository(this.#git, repository, this.#options);
    if (!git.ok) return git;
    const refs = await refsOf(git.value);
    return refs.ok ? accept({ git: git.value, refs: refs.value }) : refs;
  }

  async #freePath({ name, key }: RepositoryGit, branch: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const folder = join(await realpath(this.#folder), `${folderName(name)}-${key}`);
    const taken = new Set((await this.#records.all()).map(({ path }) => path));
    for (let number = 1; ; number += 1) {
      const path = join(folder, folderName(basename(branch)) + (number === 1 ? '' : `-${number}`));
      if (!taken.has(path) && !existsSync(path)) return path;
    }
  }

  #inTurn<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

interface Opened {
  readonly git: RepositoryGit;
  readonly refs: readonly Ref[];
}

const lockReason = 'A session of Beckon works here; see: beckon worktrees';
/** What is shown of a worktree whose folder is gone. */
const missing = 'missing';
const noNotes = { copied: 0, left: [], submodules: 0, filters: [] };

const awayFrom = ({ path, id }: WorktreeRecord): string => join(dirname(path), `.removing-${id}`);

function told({ id, path, repository, branch, base, baseCommit }: WorktreeRecord): SessionWorktree {
  return { id, path, repository, branch, base, baseCommit };
}

const mostLost = 50;

/** What it takes to bring it back; undefined where nothing is left to be made from. */
function removedFrom(
  record: WorktreeRecord,
  standing: Standing | undefined,
  tip: string | undefined,
  recording: Recording | null,
): RemovedRecord | undefined {
  const commit = standing === undefined ? tip : standing.head;
  if (commit == null) return undefined;
  const lost = [...(standing?.folders ?? []), ...(recording?.unrecorded ?? []).map(({ path }) => path)];
  return {
    at: new Date().toISOString(),
    branch: standing === undefined ? record.branch : standing.currentBranch,
    commit,
    recording: recording?.id ?? null,
    files: standing === undefined ? 0 : standing.looseFiles - (recording?.unrecorded.length ?? 0),
    lost: [...new Set(lost.map(toldPath))].slice(0, mostLost),
  };
}

/** Folders that may not be written to, as caches of some programs are, are made so first. What stays all the same goes at the next start. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o700).catch(() => {});
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** The same folder as in the person's own tree, where the base has it. */
async function cwdIn({ path, below }: WorktreeRecord): Promise<string> {
  const wanted = await realpath(join(path, below)).catch(() => path);
  const isFolder = isWithin(wanted, path) && (await stat(wanted)).isDirectory();
  return isFolder ? wanted : path;
}

async function baseOf(
  git: RepositoryGit,
  refs: readonly Ref[],
  asked: string | undefined,
): Promise<Result<{ name: string; commit: string }>> {
  const { workTree } = git.repository;
  const wanted = asked ?? (await projectOf(workTree)).base;
  const head = await headIn(workTree, refs);
  if (wanted === undefined || wanted === 'HEAD') {
    if (head.commit === undefined)
      return refuse('base_not_found', 'The repository has no commit yet: make one first.', {
        field: 'worktree',
      });
    return accept({ name: head.branch ?? head.commit.slice(0, 12), commit: head.commit });
  }
  const commit = await findCommit(git, refs, wanted);
  if (commit !== undefined) return accept({ name: wanted, commit });
  return refuse('base_not_found', `The repository has no branch, tag or commit "${wanted}".`, {
    field: 'worktree',
  });
}

const branchNames = (refs: readonly Ref[]): string[] =>
  ['refs/heads/', 'refs/remotes/']
    .flatMap((folder) =>
      refs.filter(({ name }) => name.startsWith(folder)).map(({ name }) => name.slice(folder.length)),
    )
    .filter((name) => !name.endsWith('/HEAD'))
    .slice(0, mostBranches);

/** Commits that no branch has are put on one: without the worktree nothing would lead to them. */
async function keepDetached(
  { own }: RepositoryGit,
  refs: readonly Ref[],
  { branch }: WorktreeRecord,
  standing: Pick<Worktree, 'currentBranch' | 'head' | 'work'> | undefined,
): Promise<Result<string | null>> {
  if (standing === undefined || standing.head === null || standing.currentBranch !== null)
    return accept(null);
  const isLost = standing.work.unmerged.some(({ commit }) => commit === standing.head);
  if (!isLost || refs.some(({ commit }) => commit === standing.head)) return accept(null);
  const name = freeBranch(refs, `${branch} detached`);
  const created = await own([
    'update-ref',
    `refs/heads/${name}`,
    standing.head,
    '0'.repeat(standing.head.length),
  ]);
  return created.ok ? accept(name) : created;
}
