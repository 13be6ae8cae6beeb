import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WorkPlace } from '../../engine/ports/workspace.ts';
import type { Changes, Patch } from '../../protocol/changes.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { changesBetween, contentIn, patchBetween } from './changes.ts';
import { Git } from './git.ts';
import type { PathBytes } from './path-bytes.ts';
import { type RecordingLimits, type RecordingMemory, record, recordingLimits } from './recording.ts';
import { excludesOf, repositoryOf } from './repository.ts';
import { finishRestore, type RecordNow, type Restored, type RestoreOrder, restore } from './restore.ts';
import { findRecording, prepareStore, type Recording, type Store, storeAt, tidyStore } from './store.ts';

export interface WorkspacesOptions {
  /** Where Beckon keeps its files. */
  readonly dataDir: string;
  /** Where git is found. */
  readonly path: string;
  readonly home?: string;
  readonly limits?: Partial<RecordingLimits>;
  /** What the recordings of one work tree may take; the oldest go first. */
  readonly storeBytes?: number;
}

/** Two recordings, by their ids. */
export interface Span {
  readonly before: string;
  readonly after: string;
}

export type UndoOrder = Span & Pick<RestoreOrder, 'choices' | 'rest'>;

interface Opened {
  readonly store: Store;
  readonly memory: RecordingMemory;
  /** Recordings that were looked at lately. */
  readonly known: Map<string, Recording>;
  isReady: boolean;
  /** Settles when nothing is under way there. */
  last: Promise<unknown>;
}

const tidyAfter = 32;
const mostKnown = 50;
const storeBytes = 2 * 1024 * 1024 * 1024;

/** What agents do to the files they work on: recorded, compared, undone. In each work tree one thing is done at a time. */
export class Workspaces {
  readonly #git: Git;
  readonly #options: WorkspacesOptions;
  readonly #limits: RecordingLimits;
  readonly #opened = new Map<string, Opened>();

  constructor(options: WorkspacesOptions) {
    this.#git = new Git(options.path);
    this.#options = options;
    this.#limits = { ...recordingLimits, ...options.limits };
  }

  /** Records the files as they are; `also` those that are ignored and about to be lost. */
  record(place: WorkPlace, also: readonly PathBytes[] = []): Promise<Result<Recording>> {
    return this.#inTurn(place, async (opened) => {
      const { memory, known, store } = opened;
      const recorded = await this.#recordNow(opened)(also);
      if (!recorded.ok) return recorded;
      const most = this.#options.storeBytes ?? storeBytes;
      if (memory.recordings < tidyAfter && memory.bytes < most / 16) return recorded;
      const tidied = await tidyStore(store, most);
      known.clear();
      Object.assign(memory, { recordings: 0, bytes: 0 });
      return tidied.ok ? recorded : tidied;
    });
  }

  changes(place: WorkPlace, span: Span): Promise<Result<Changes>> {
    return this.#between(place, span, ({ store }, before, after) => changesBetween(store, before, after));
  }

  patch(place: WorkPlace, span: Span, path: string): Promise<Result<Patch>> {
    return this.#between(place, span, ({ store }, before, after) => patchBetween(store, before, after, path));
  }

  /** What a file held when it was recorded; undefined where it was not there. */
  content(place: WorkPlace, id: string, path: string): Promise<Result<Buffer | undefined>> {
    return this.#inTurn(place, async (opened) => {
      const recording = await find(opened, id);
      return recording.ok ? contentIn(opened.store, recording.value, path) : recording;
    });
  }

  /** Puts what changed between two recordings back. Undone itself by another undo, of what it tells. */
  undo(place: WorkPlace, { before, after, ...choices }: UndoOrder): Promise<Result<Restored>> {
    return this.#between(place, { before, after }, (opened, from, to) =>
      restore(opened.store, { before: from, after: to, ...choices }, this.#recordNow(opened)),
    );
  }

  /** Ends what is under way and settles all that waits. */
  async close(): Promise<void> {
    this.#git.close();
    await Promise.all([...this.#opened.values()].map(({ last }) => last));
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

  async #inTurn<T>(place: WorkPlace, work: (opened: Opened) => Promise<Result<T>>): Promise<Result<T>> {
    const { dataDir, home = homedir() } = this.#options;
    const found = await repositoryOf(place, home);
    if (!found.ok) return found;
    const repository = found.value;
    const name = createHash('sha256').update(repository.workTree).digest('hex').slice(0, 32);
    const gitDir = join(dataDir, 'recordings', name);
    let opened = this.#opened.get(gitDir);
    if (opened === undefined) {
      const store = storeAt(this.#git, gitDir, repository);
      const memory = { recordings: 0, bytes: 0 };
      opened = { store, memory, known: new Map(), isReady: false, last: Promise.resolve() };
      this.#opened.set(gitDir, opened);
    }
    const here = opened;
    const done = here.last.then(async (): Promise<Result<T>> => {
      const excludes = await excludesOf(repository, { home, dataDir });
      const ready = await this.#makeReady(here, excludes);
      return ready.ok ? work(here) : ready;
    });
    here.last = done.catch(() => {});
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
    const finished = await finishRestore(store, this.#recordNow(opened));
    if (!finished.ok && finished.refusal.code === 'recording_not_found')
      return refuse('git_not_available', 'What was under way when the server was killed is no longer known.');
    opened.isReady = finished.ok;
    return finished;
  }
}

async function find({ store, known }: Opened, id: string): Promise<Result<Recording>> {
  const recording = known.get(id);
  if (recording !== undefined) return accept(recording);
  const found = await findRecording(store, id);
  if (found.ok) known.set(id, found.value);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
  return found;
}
