import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import type { WorkPlace } from '../../../engine/ports/workspace.ts';
import { accept, type Result } from '../../../protocol/errors.ts';
import type {
  CommitOrder,
  Committed,
  Landed,
  LandOrder,
  Pushed,
  PushOrder,
  PushTarget,
  WorktreeState,
} from '../../../protocol/landing.ts';
import { type Repository, repositoryOf } from '../repository.ts';
import type { TreeInTurn, Workspaces, WorkspacesOptions } from '../workspaces.ts';
import { commit } from './commit.ts';
import { land, readLanding, treeWithBranch } from './land.ts';
import { type PushOptions, push, readPush } from './push.ts';
import { finishMove, unfinished } from './ref-and-files.ts';
import {
  openRepositoryGit,
  prepareRepositoryGit,
  type RepositoryGit,
  repositoryGitDir,
} from './repository-git.ts';
import { readUncommitted } from './uncommitted.ts';

type Order<T extends z.ZodType> = Readonly<z.infer<T>> & { readonly orderId?: string };

/** What is done to a person's own repository, each time because they pressed for it: commits, landing, pushing. */
export class Landings {
  readonly #workspaces: Workspaces;
  readonly #dataDir: string;
  readonly #home: string;
  readonly #push: PushOptions;
  #landing: Promise<unknown> = Promise.resolve();
  readonly #prepared = new Map<string, Promise<void>>();
  /** Settles when nothing is under way in a repository, by its directory of ours. */
  readonly #lastOf = new Map<string, Promise<unknown>>();
  /** What a killed server left half done is finished before anything else is begun. */
  readonly finished: Promise<void>;

  constructor(workspaces: Workspaces, { dataDir, home = homedir(), sshAgent }: WorkspacesOptions) {
    this.#workspaces = workspaces;
    this.#dataDir = dataDir;
    this.#home = home;
    this.#push = { home, sshAgent };
    this.finished = this.#finishAll();
  }

  commit(place: WorkPlace, order: Order<typeof CommitOrder>): Promise<Result<Committed>> {
    return this.#at(place, async (git, { store, recording }) => {
      const shown = await recording(order.shown.recording);
      return shown.ok ? commit(git, { ...order, store, recording: shown.value }) : shown;
    });
  }

  /** How a work tree stands towards its repository: what is not committed, what its branch would bring, where it can be pushed. */
  async worktree(place: WorkPlace, base?: string): Promise<Result<WorktreeState>> {
    const roots = await realRoots(place);
    return this.#at(place, async (git, { store, recordNow }) => {
      const recording = await recordNow();
      if (!recording.ok) return recording;
      const excludes = join(store.gitDir, 'info/exclude');
      const uncommitted = await readUncommitted(git, { recording: recording.value, excludes });
      if (!uncommitted.ok) return uncommitted;
      const landing = await readLanding(git, { base, roots });
      if (!landing.ok) return landing;
      const pushes: PushTarget[] = [];
      for (const branch of [uncommitted.value.branch, landing.value?.base ?? null]) {
        const target = branch === null ? accept(undefined) : await readPush(git, branch, this.#push);
        if (!target.ok) return target;
        if (target.value !== undefined) pushes.push(target.value);
      }
      return accept({ uncommitted: uncommitted.value, landing: landing.value, pushes });
    });
  }

  /** One at a time: each holds two work trees. */
  land(place: WorkPlace, order: Order<typeof LandOrder>): Promise<Result<Landed>> {
    const done = this.#landing.then(async () => {
      const roots = await realRoots(place);
      const repository = await repositoryOf(place, this.#home);
      if (!repository.ok) return repository;
      const tree = await treeWithBranch(repository.value, order.shown.base);
      const work = () => this.#at(place, (git) => land(git, { ...order, roots }));
      if (tree === undefined || tree.workTree === repository.value.workTree) return work();
      // Nothing else is done to the files that go along.
      return this.#workspaces.at({ cwd: tree.workTree, realCwd: null, roots: place.roots }, work);
    });
    this.#landing = done.catch(() => {});
    return done;
  }

  push(place: WorkPlace, { shown }: Order<typeof PushOrder>): Promise<Result<Pushed>> {
    return this.#at(place, (git) => push(git, { shown, ...this.#push }));
  }

  async #at<T>(
    place: WorkPlace,
    work: (git: RepositoryGit, tree: TreeInTurn) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    await this.finished;
    return this.#workspaces.at(place, (tree) =>
      this.#inRepository(tree.store.repository, (git) => work(git, tree)),
    );
  }

  async #inRepository<T>(
    repository: Repository,
    work: (git: RepositoryGit) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const gitDir = repositoryGitDir(this.#dataDir, repository);
    const before = this.#lastOf.get(gitDir) ?? Promise.resolve();
    const done = before.then(async (): Promise<Result<T>> => {
      await this.#prepare(gitDir);
      const opened = await openRepositoryGit(this.#workspaces.git, { repository, gitDir, home: this.#home });
      if (!opened.ok) return opened;
      const finished = await finishMove(opened.value, async ({ orderId, told }) => {
        if (orderId !== undefined) await this.#workspaces.orders.keep(orderId, accept(told));
      });
      return finished.ok ? work(opened.value) : finished;
    });
    this.#lastOf.set(
      gitDir,
      done.catch(() => {}),
    );
    return done;
  }

  #prepare(gitDir: string): Promise<void> {
    const known = this.#prepared.get(gitDir) ?? prepareRepositoryGit(gitDir);
    this.#prepared.set(gitDir, known);
    return known;
  }

  /** One that cannot be finished now, as when its disk is away, is tried again before anything is done there. */
  async #finishAll(): Promise<void> {
    const folder = join(this.#dataDir, 'repositories');
    for (const name of await readdir(folder).catch(() => [])) {
      const repository = await unfinished(join(folder, name));
      if (repository === undefined || !existsSync(repository.gitDir)) continue;
      await this.#inRepository(repository, async () => accept(undefined));
    }
  }
}

const realRoots = ({ roots }: WorkPlace): Promise<string[]> =>
  Promise.all(roots.map((root) => realpath(resolve(root)).catch(() => root)));
