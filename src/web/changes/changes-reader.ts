import { Listeners } from '../../model/listeners.ts';
import type { ChangedFile, SessionChanges } from '../../protocol/changes.ts';

/** What is known of a session's changes. What was told last stays until the next is there, also when that cannot be had. */
export interface ChangesState {
  readonly changes: SessionChanges | null;
  readonly error: unknown;
  readonly isAsking: boolean;
}

interface Timing {
  now(): number;
  /** Calls later; what is given back keeps it from it. */
  after(ms: number, call: () => void): () => void;
}

const realTiming: Timing = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Between an answer and the next question: a second, or twice as long as the answer took. */
const leastPause = 1_000;

/** Asks what changed when told that something may have: one question at a time, and with a pause between them. */
export class ChangesReader {
  readonly #ask: () => Promise<SessionChanges>;
  readonly #timing: Timing;
  readonly #listeners = new Listeners();
  #state: ChangesState = { changes: null, error: null, isAsking: false };
  #isNews = false;
  #notBefore = 0;
  #cancel = (): void => {};
  #isClosed = false;

  constructor(ask: () => Promise<SessionChanges>, timing: Timing = realTiming) {
    this.#ask = ask;
    this.#timing = timing;
  }

  get state(): ChangesState {
    return this.#state;
  }

  readonly subscribe = this.#listeners.add;

  /** Something may have changed. */
  news(): void {
    this.#isNews = true;
    if (this.#state.isAsking || this.#isClosed) return;
    this.#cancel();
    const wait = this.#notBefore - this.#timing.now();
    if (wait <= 0) void this.#askNow();
    else this.#cancel = this.#timing.after(wait, () => void this.#askNow());
  }

  /** A person wants to know now. */
  again(): void {
    this.#notBefore = 0;
    this.news();
  }

  open(): void {
    this.#isClosed = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #askNow(): Promise<void> {
    this.#isNews = false;
    const asked = this.#timing.now();
    this.#set({ ...this.#state, isAsking: true });
    const told = await this.#ask().then(
      (changes) => ({ changes: withKnown(this.#state.changes, changes), error: null }),
      (error: unknown) => ({ changes: this.#state.changes, error }),
    );
    const took = this.#timing.now() - asked;
    this.#notBefore = this.#timing.now() + Math.max(leastPause, 2 * took);
    this.#set({ ...told, isAsking: false });
    if (this.#isNews) this.news();
  }

  #set(state: ChangesState): void {
    if (this.#isClosed) {
      this.#state = { ...state, isAsking: false };
      return;
    }
    this.#state = state;
    this.#listeners.tell();
  }
}

/** Files that are as they were stay the same values: nothing of them is drawn or asked for anew. */
function withKnown(known: SessionChanges | null, told: SessionChanges): SessionChanges {
  if (known === null || known.before !== told.before) return told;
  const byPath = new Map(known.files.map((file) => [file.path, file]));
  return {
    ...told,
    files: told.files.map((file) => {
      const before = byPath.get(file.path);
      return before !== undefined && isSame(before, file) ? before : file;
    }),
  };
}

const fields = [
  'movedFrom',
  'kind',
  'added',
  'removed',
  'isLink',
  'content',
  'mediaType',
  'isGenerated',
] as const satisfies readonly (keyof ChangedFile)[];

const isSame = (a: ChangedFile, b: ChangedFile): boolean => fields.every((field) => a[field] === b[field]);
