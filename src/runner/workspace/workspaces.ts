import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WorkPlace } from '../../engine/ports/workspace.ts';
import type { Changes, Patch } from '../../protocol/changes.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { type Comparison, compare } from './changes.ts';
import { checkedOut, contentOfCommit, findCommit, isCommit, withContents } from './commit.ts';
import { contentIn, entriesBetween } from './entries.ts';
import { Git } from './git.ts';
import { forgetSession, keepFor } from './keepers.ts';
import { Orders } from './orders.ts';
import { patchOf, wholePatch } from './patch.ts';
import { type PathBytes, toldPath } from './path-bytes.ts';
import { type RecordingLimits, type RecordingMemory, record, recordingLimits } from './recording.ts';
import { excludesOf, type Repository, repositoryOf } from './repository.ts';
import {
  finishRestore,
  type KeepOutcome,
  type RecordNow,
  type Restored,
  type RestoreOrder,
  restore,
} from './restore.ts';
import {
  findRecording,
  isRecordingKept,
  prepareStore,
  type Recording,
  removeIndex,
  type Store,
  storeAt,
  tidyStore,
} from './store.ts';

export interface WorkspacesOptions {
  /** Where Beckon keeps its files. */
  readonly dataDir: string;
  /** Where git is found. */
  readonly path: string;
  readonly home?: string;
  /** Where the person's agent for keys listens; for pushing alone. */
  readonly sshAgent?: string | undefined;
  readonly limits?: Partial<RecordingLimits>;
  /** What the recordings of one work tree may take; the oldest go first. */
  readonly storeBytes?: number;
}

/** Two recordings, by their ids; or commits, as `commit:` with their id, and `commit` for the one that is checked out. */
export interface Span {
  readonly before: string;
  readonly after: string;
}

export type UndoOrder = Span &
  Pick<RestoreOrder, 'choices' | 'rest' | 'shown' | 'orderId'> & { readonly session?: string };

/** A work tree in which nothing else is done for now. */
export interface TreeInTurn {
  readonly store: Store;
  readonly recordNow: RecordNow;
  recording(id: string): Promise<Result<Recording>>;
  /** All files are looked at anew by the next recording; ignored ones that an earlier one had are not in it. */
  forgetIndex(): Promise<void>;
}

interface Opened {
  readonly store: Store;
  readonly memory: RecordingMemory;
  /** Recordings that were looked at lately. */
  readonly known: Map<string, Recording>;
  /** What was compared lately: the patch of a file is asked for after the list. */
  readonly compared: Map<string, Comparison>;
  isReady: boolean;
  /** Settles when nothing is under way there. */
  last: Promise<unknown>;
  /** A recording that has not begun. */
  waiting?: Promise<Result<Recording>> | undefined;
  /** The sessions that it is made for. */
  keepers: Set<string>;
}

interface OpenedAt {
  readonly opened: Opened;
  readonly repository: Repository;
}

const tidyAfter = 32;
const mostKnown = 50;
const storeBytes = 2 * 1024 * 1024 * 1024;

/** What agents do to the files they work on: recorded, compared, undone. In each work tree one thing is done at a time. */
export class Workspaces {
  readonly git: Git;
  readonly #options: WorkspacesOptions;
  readonly #limits: RecordingLimits;
  readonly #opened = new Map<string, Opened>();
  /** What was done to files here, by the ids of the orders. */
  readonly orders: Orders;

  constructor(options: WorkspacesOptions) {
    this.git = new Git(options.path);
    this.#options = options;
    this.orders = new Orders(join(options.dataDir, 'recordings', 'orders'));
    this.#limits = { ...recordingLimits, ...options.limits };
  }

  /**
   * Records the files as they are. Whoever asks while another recording waits to begin shares that one; one that has begun may have
   * missed what was written just before. `also`: files that are ignored and about to be lost.
   */
  async record(
    place: WorkPlace,
    also: readonly PathBytes[] = [],
    session?: string,
  ): Promise<Result<Recording>> {
    const found = await this.#openedAt(place);
    if (!found.ok) return found;
    const { opened } = found.value;
    if (session !== undefined) opened.keepers.add(session);
    if (opened.waiting !== undefined && also.length === 0) return opened.waiting;
    const recording = this.#next(found.value, async () => {
      opened.waiting = undefined;
      const keepers = opened.keepers;
      opened.keepers = new Set();
      const { known, store } = opened;
      const recorded = await this.#recordNow(opened)(also);
      if (!recorded.ok) return recorded;
      known.set(recorded.value.id, recorded.value);
      for (const keeper of keepers) await keepFor(store, keeper, [recorded.value.id]);
      // Nobody waits for it but whoever comes next.
      if (this.#isUntidy(opened)) void this.#next(found.value, () => this.#tidy(opened));
      return recorded;
    });
    const begun = (): void => {
      if (opened.waiting === recording) opened.waiting = undefined;
    };
    opened.waiting = recording;
    void recording.then(begun, begun);
    return recording;
  }

  async changes(place: WorkPlace, span: Span): Promise<Result<Changes>> {
    return this.#compared(place, span, async (_, { told }) => accept(told));
  }

  /** Of one file, or of all as one. */
  patch(place: WorkPlace, span: Span, path?: string, context?: number): Promise<Result<Patch>> {
    return this.#compared(place, span, (store, comparison) =>
      path === undefined ? wholePatch(store, comparison, context) : patchOf(store, comparison, path, context),
    );
  }

  /** The names of what changed in each span; null where one of its recordings is no longer kept. */
  changedPaths(place: WorkPlace, spans: readonly Span[]): Promise<Result<(readonly string[] | null)[]>> {
    return this.#inTurn(place, async (opened) => {
      const told: (readonly string[] | null)[] = [];
      for (const span of spans) {
        const [before, after] = [await find(opened, span.before), await find(opened, span.after)];
        if (!before.ok || !after.ok) {
          told.push(null);
          continue;
        }
        const entries = await entriesBetween(opened.store, before.value, after.value);
        if (!entries.ok) return entries;
        told.push(entries.value.map(({ path }) => toldPath(path)));
      }
      return accept(told);
    });
  }

  /** The top of the work tree that a place lies in. */
  async root(place: WorkPlace): Promise<Result<string>> {
    const found = await repositoryOf(place, this.#options.home);
    return found.ok ? accept(found.value.workTree) : found;
  }

  /** What a file held when it was recorded; undefined where it was not there. */
  content(place: WorkPlace, id: string, path: string): Promise<Result<Buffer | undefined>> {
    return this.#inTurn(place, async (opened) => {
      const recording = await find(opened, id);
      if (!recording.ok) return recording;
      return isCommit(recording.value.id)
        ? contentOfCommit(opened.store, recording.value, path, this.#limits.fileBytes)
        : contentIn(opened.store, recording.value, path);
    });
  }

  /** Puts what changed between two recordings back. Undone itself by another undo, of what it tells. */
  undo(place: WorkPlace, { before, after, session, ...choices }: UndoOrder): Promise<Result<Restored>> {
    return this.#between(place, { before, after }, async (opened, from, to) => {
      const { store } = opened;
      const order = { before: from, after: to, ...choices };
      const restored = await restore(store, order, this.#restoring(opened));
      opened.memory.last = undefined;
      if (session !== undefined && restored.ok && restored.value.done)
        await keepFor(store, session, [restored.value.before.id, restored.value.after.id]);
      return restored;
    });
  }

  /** Gives up the recordings that only this session has. */
  forget(place: WorkPlace, session: string): Promise<Result<void>> {
    return this.#inTurn(place, async (opened) => {
      const { store, memory, known, compared } = opened;
      // What is in the index is kept, too: it must be that of now.
      const now = await this.#recordNow(opened)();
      if (!now.ok) return now;
      const gone = await forgetSession(store, session);
      if (!gone.ok) return gone;
      if (memory.last && gone.value.has(memory.last.id)) delete memory.last;
      known.clear();
      compared.clear();
      return accept(undefined);
    });
  }

  /** Does something with a work tree in its turn, so that nothing else is done there meanwhile. */
  at<T>(place: WorkPlace, work: (tree: TreeInTurn) => Promise<Result<T>>): Promise<Result<T>> {
    return this.#inTurn(place, (opened) =>
      work({
        store: opened.store,
        recordNow: this.#recordNow(opened),
        recording: (id) => find(opened, id),
        async forgetIndex() {
          await removeIndex(opened.store.gitDir);
          Object.assign(opened.memory, { last: undefined, indexStamp: undefined, trackedIgnored: undefined });
        },
      }),
    );
  }

  /** Whether a recording is still there, also of a work tree that is not. */
  isKept(workTree: string, id: string): boolean {
    return isRecordingKept(this.#storeOf(workTree), id);
  }

  /** Settles when nothing is under way there, and what a kill cut short is finished. */
  ready(place: WorkPlace): Promise<Result<void>> {
    return this.#inTurn(place, async () => accept(undefined));
  }

  /** Ends what is under way and settles all that waits. */
  async close(): Promise<void> {
    this.git.close();
    await Promise.all([...this.#opened.values()].map(({ last }) => last));
  }

  #isUntidy({ memory }: Opened): boolean {
    return memory.recordings >= tidyAfter || memory.bytes >= (this.#options.storeBytes ?? storeBytes) / 16;
  }

  async #tidy(opened: Opened): Promise<Result<void>> {
    const { memory, known, compared, store } = opened;
    if (!this.#isUntidy(opened)) return accept(undefined);
    const tidied = await tidyStore(store, this.#options.storeBytes ?? storeBytes);
    known.clear();
    compared.clear();
    Object.assign(memory, { recordings: 0, bytes: 0 });
    return tidied;
  }

  #restoring(opened: Opened): { readonly recordNow: RecordNow; readonly keepOutcome: KeepOutcome } {
    return {
      recordNow: this.#recordNow(opened),
      keepOutcome: async ({ orderId, now: before, target: after, paths = [] }) => {
        if (orderId !== undefined)
          await this.orders.keep(orderId, accept({ done: true, before, after, paths }));
      },
    };
  }

  #recordNow({ store, memory }: Opened): RecordNow {
    return (also = []) => record(store, { memory, limits: this.#limits, also });
  }

  #between<T>(
    place: WorkPlace,
    span: Span,
    work: (opened: Opened, before: Recording, after: Recording) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return this.#inTurn(place, async (opened) => {
      const before = await find(opened, span.before);
      if (!before.ok) return before;
      const after = await find(opened, span.after);
      return after.ok ? work(opened, before.value, after.value) : after;
    });
  }

  #compared<T>(
    place: WorkPlace,
    span: Span,
    work: (store: Store, comparison: Comparison) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return this.#between(place, span, async (opened, before, after) => {
      const { compared, store } = opened;
      const key = `${before.id} ${after.id}`;
      const known = compared.get(key);
      compared.delete(key);
      const comparison = known ? accept(known) : await this.#compare(store, before, after);
      if (!comparison.ok) return comparison;
      compared.set(key, comparison.value);
      trim(compared);
      return work(store, comparison.value);
    });
  }

  async #compare(store: Store, before: Recording, after: Recording): Promise<Result<Comparison>> {
    const full = async (one: Recording, other: Recording): Promise<Result<Recording>> =>
      isCommit(one.id) ? withContents(store, one, other, this.#limits.fileBytes) : accept(one);
    const first = await full(before, after);
    if (!first.ok) return first;
    const second = await full(after, before);
    return second.ok ? compare(store, first.value, second.value) : second;
  }

  async #inTurn<T>(place: WorkPlace, work: (opened: Opened) => Promise<Result<T>>): Promise<Result<T>> {
    const found = await this.#openedAt(place);
    return found.ok ? this.#next(found.value, work) : found;
  }

  async #openedAt(place: WorkPlace): Promise<Result<OpenedAt>> {
    const { home = homedir() } = this.#options;
    const found = await repositoryOf(place, home);
    if (!found.ok) return found;
    const repository = found.value;
    const gitDir = this.#storeOf(repository.workTree);
    const before = this.#opened.get(gitDir);
    let opened = before;
    // A worktree that was made again may have another git directory.
    if (opened?.store.repository.gitDir !== repository.gitDir) opened = undefined;
    if (opened === undefined) {
      const store = storeAt(this.git, gitDir, repository);
      const memory = { recordings: 0, bytes: 0 };
      opened = {
        store,
        memory,
        known: new Map(),
        compared: new Map(),
        keepers: new Set(),
        isReady: false,
        last: before?.last ?? Promise.resolve(),
      };
      this.#opened.set(gitDir, opened);
    }
    return accept({ opened, repository });
  }

  #storeOf(workTree: string): string {
    const name = createHash('sha256').update(workTree).digest('hex').slice(0, 32);
    return join(this.#options.dataDir, 'recordings', name);
  }

  #next<T>(
    { opened, repository }: OpenedAt,
    work: (opened: Opened) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const { dataDir, home = homedir() } = this.#options;
    const done = opened.last.then(async (): Promise<Result<T>> => {
      const excludes = await excludesOf(repository, { home, dataDir });
      const ready = await this.#makeReady(opened, excludes);
      return ready.ok ? work(opened) : ready;
    });
    opened.last = done.catch(() => {});
    return done;
  }

  async #makeReady(opened: Opened, excludes: Buffer): Promise<Result<void>> {
    const { store } = opened;
    if (opened.isReady) {
      await writeFile(join(store.gitDir, 'info/exclude'), excludes);
      return accept(undefined);
    }
    await mkdir(store.gitDir, { recursive: true, mode: 0o700 });
    const prepared = await prepareStore(store, excludes);
    if (!prepared.ok) return prepared;
    const finished = await finishRestore(store, this.#restoring(opened));
    opened.memory.last = undefined;
    if (!finished.ok && finished.refusal.code === 'recording_not_found')
      return refuse('git_not_available', 'What was under way when the server was killed is no longer known.');
    opened.isReady = finished.ok;
    return finished;
  }
}

async function find(
  { store, known }: Pick<Opened, 'store' | 'known'>,
  id: string,
): Promise<Result<Recording>> {
  const recording = known.get(id);
  if (recording !== undefined) return accept(recording);
  if (id === 'commit') {
    const head = await checkedOut(store);
    return head.ok ? find({ store, known }, head.value) : head;
  }
  const found = await (isCommit(id) ? findCommit : findRecording)(store, id);
  if (found.ok) known.set(id, found.value);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
  return found;
}

const mostCompared = 16;
const mostChanges = 50_000;

/** The newest always stays. */
function trim(compared: Map<string, Comparison>): void {
  let changes = [...compared.values()].reduce((sum, one) => sum + one.changes.length, 0);
  for (const [key, oldest] of compared) {
    if (compared.size === 1 || (compared.size <= mostCompared && changes <= mostChanges)) return;
    compared.delete(key);
    changes -= oldest.changes.length;
  }
}
