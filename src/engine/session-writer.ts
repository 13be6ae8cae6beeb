import type { Context, SessionCommand } from '../model/command.ts';
import type { StoredFact } from '../model/observe.ts';
import { type SessionState, STATE_VERSION, storedState } from '../model/state.ts';
import { SUMMARY_VERSION, summaryAfter } from '../model/summary.ts';
import { type ErrorCode, messageOf, type Result, refuse } from '../protocol/errors.ts';
import type { Delta, NewEvent } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import { Batch, type Item, type Live, type Step } from './batch.ts';
import type { GrantBook } from './grant-book.ts';
import type { Clock } from './ports/clock.ts';
import { type AppendPart, type Blob, type Place, StorageError } from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';
import type { Checkpoint } from './ports/runner.ts';

/** What has been stored together. */
export interface Commit {
  readonly before: SessionState | null;
  readonly after: SessionState;
  readonly steps: readonly Step[];
  /** What was only passed on, each with the number of steps that came before it. */
  readonly live: readonly Live[];
  /** How far what the agent said is stored by it. */
  readonly checkpoint: Checkpoint | undefined;
  readonly place: Place;
}

export interface WriterOptions {
  /** Stores the session's part, and with it the grants for all sessions that were given. */
  readonly append: GrantBook['append'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** For a session on this machine. */
  readonly context: (machine: string | null) => Omit<Context, 'storedSeq'>;
  /** Called after each commit, before anyone who waits for it: publishes, then acts. */
  readonly onCommit: (commit: Commit) => void;
  /** What is being said, when nothing is stored with it. */
  readonly onLive: (deltas: readonly Delta[]) => void;
  /** Whether the agent is to be read on; told when it changes. */
  readonly onReading: (reads: boolean) => void;
}

/** What a start found of a session. */
export interface Stored {
  readonly state: SessionState;
  /** Up to where the stored snapshot goes; 0 when there is none that can be used. */
  readonly snapshotSeq: number;
}

interface FactOptions {
  readonly blobs?: readonly Blob[];
  readonly checkpoint?: Checkpoint | undefined;
  /** A fact with the checkpoint follows, and they are stored together: nobody could go on in between. */
  readonly hasMore?: boolean;
}

/** What an agent said cannot be unsaid; all else is refused when the disk is, unless it insists. */
const isKept = (item: Item): boolean => (item.kind === 'command' ? item.kept : item.kind !== 'create');

const isPressing = (item: Item): boolean => !(item.kind === 'command' && item.patient);

const SNAPSHOT_EVERY = 250;
const RETRY_MS = 1000;
/** How much is worked through at a time: the other sessions wait for no more than this. */
export const MOST_AT_ONCE = 64;
/** How long what nobody waits for may wait for company. Real time: it only gathers, and no rule depends on it. */
const COMPANY_MS = 5;
/** How much of what the agent said may wait to be stored before it is read on. */
export const MOST_WAITING = 128;

/**
 * The only writer of a session's log. What arrives while a commit is under way is worked through together and stored together:
 * a batch is decided on a state that is not yet the session's; only when it is on the disk does it become so.
 */
export class SessionWriter {
  readonly id: SessionId;
  readonly #options: WriterOptions;
  #state: SessionState | null;
  #mailbox: Item[] = [];
  #pumping = false;
  /** How many items are being stored right now. */
  #underWay = 0;
  #stalled = false;
  /** The process is gone: what it left is read, whatever it asks. */
  #isEnding = false;
  #reads = true;
  /** Why nothing more is taken. */
  #closed: 'session_not_found' | 'shutting_down' | null = null;
  #cancelRetry: (() => void) | null = null;
  #company: NodeJS.Timeout | undefined;
  #snapshotSeq: number;

  constructor(id: SessionId, stored: Stored | null, options: WriterOptions) {
    this.id = id;
    this.#state = stored?.state ?? null;
    this.#snapshotSeq = stored?.snapshotSeq ?? 0;
    this.#reads = this.#state?.held == null;
    this.#options = options;
  }

  /** Whether the agent is to be read on. */
  get reads(): boolean {
    return this.#reads;
  }

  /** The stored state. */
  get state(): SessionState {
    if (this.#state === null) throw new Error(`Session ${this.id} has not been created`);
    return this.#state;
  }

  create(event: NewEvent): Promise<Result<Step[]>> {
    return new Promise((settle) => this.#add({ kind: 'create', event, settle }));
  }

  /** Resolves when what the command led to is stored, with those events. */
  command(command: SessionCommand, blobs: readonly Blob[] = []): Promise<Result<Step[]>> {
    return new Promise((settle) => this.#add({ kind: 'command', command, blobs, kept: false, settle }));
  }

  /** For what has happened already, or what nobody would ask for again: it is not refused for the disk's sake, but waits for it. */
  insist(command: SessionCommand): Promise<Result<Step[]>> {
    return new Promise((settle) => this.#add({ kind: 'command', command, blobs: [], kept: true, settle }));
  }

  /** The same for what nobody waits for: it is stored with what comes next, or a moment later, and spares a commit. */
  note(command: SessionCommand): void {
    if (this.#closed !== null) return;
    const settle = (): void => undefined;
    this.#mailbox.push({ kind: 'command', command, blobs: [], kept: true, patient: true, settle });
    if (!this.#pumping) this.#waitForCompany();
  }

  /** What the agent's process of this id did; another process's facts are ignored. */
  fact(
    processId: string,
    fact: StoredFact,
    { blobs = [], checkpoint, hasMore = false }: FactOptions = {},
  ): void {
    const storedSeq = this.#state?.lastSeq ?? 0;
    this.#add({ kind: 'fact', processId, fact, blobs, checkpoint, hasMore, storedSeq });
    this.#pace();
  }

  /** The agent's process is gone, and nothing can be told to it: too many open asks are no reason any more not to read its last words. */
  readToEnd(): void {
    this.#isEnding = true;
    this.#pace();
  }

  /** Passes on what is being said, behind what was said before it: an event that is being stored must not be overtaken. */
  live(deltas: readonly Delta[], hasMore = false): void {
    if (!this.#pumping && this.#mailbox.length === 0) {
      this.#options.onLive(deltas);
      return;
    }
    this.#mailbox.push({ kind: 'live', deltas, hasMore });
    if (this.#company !== undefined) void this.#pump();
    this.#pace();
  }

  /** Takes nothing more, as if there were no such session. False, and nothing is changed, while something is still to be stored, or if it was done before. */
  retire(): boolean {
    if (this.#closed !== null || this.#underWay > 0 || this.#mailbox.length > 0) return false;
    this.#closed = 'session_not_found';
    return true;
  }

  reinstate(): void {
    this.#closed = null;
  }

  /** For the end of the server: whatever still waits for the disk is let go. */
  dispose(): void {
    this.#closed = 'shutting_down';
    this.#cancelRetry?.();
    clearTimeout(this.#company);
    for (const item of this.#mailbox.splice(0)) decline(item, this.#closed);
  }

  #add(item: Item): void {
    if (this.#closed !== null) {
      decline(item, this.#closed);
      return;
    }
    this.#mailbox.push(item);
    if (!this.#pumping) void this.#pump();
  }

  #waitForCompany(): void {
    this.#company ??= setTimeout(() => void this.#pump('alone'), COMPANY_MS);
  }

  async #pump(patience?: 'alone'): Promise<void> {
    this.#pumping = true;
    clearTimeout(this.#company);
    this.#company = undefined;
    // Wait for the rest of this tick's arrivals, so that they share one commit.
    await Promise.resolve();
    while (patience === 'alone' ? this.#mailbox.length > 0 : this.#mailbox.some(isPressing)) {
      const items = this.#mailbox.splice(0, wholeReports(this.#mailbox));
      this.#underWay = items.length;
      const stored = await this.#work(items);
      this.#pace();
      if (!stored && this.#mailbox.every(isKept)) break;
    }
    this.#pumping = false;
    // What the disk refused is tried again in its own time.
    if (this.#mailbox.length > 0 && !this.#stalled) this.#waitForCompany();
  }

  /** Lets the agent be read as fast as what it says can be stored, and no further than people can follow what it asks. */
  #pace(): void {
    const isHeld = this.#state?.held != null && !this.#isEnding;
    const reads = !this.#stalled && !isHeld && this.#mailbox.length < MOST_WAITING;
    if (reads === this.#reads) return;
    this.#reads = reads;
    this.#options.onReading(reads);
  }

  /** False when the disk refused. */
  async #work(items: readonly Item[]): Promise<boolean> {
    try {
      await this.#store(items);
      return true;
    } catch (error) {
      return error instanceof StorageError ? this.#refused(items, error) : this.#workOneByOne(items);
    }
  }

  async #store(items: readonly Item[]): Promise<void> {
    const storedSeq = this.#state?.lastSeq ?? 0;
    const batch = new Batch(this.#state, {
      ...this.#options.context(this.#state?.machine ?? null),
      storedSeq,
    });
    for (const item of items) batch.take(item);
    // Not between two facts of one breath: an agent that ends a turn and begins the next is never idle in between.
    if (this.#mailbox[0]?.kind !== 'fact') batch.advance();
    if (batch.steps.length > 0) {
      await this.#options.append([this.#part(batch)], batch.grants, (place) => this.#committed(batch, place));
    } else {
      for (const { deltas } of batch.live) this.#options.onLive(deltas);
    }
    this.#underWay -= items.length;
    this.#stalled = false;
    for (const settle of batch.settlements) settle();
  }

  /** What no log can hold, such as an input nested beyond measure, must not take down what came with it. */
  async #workOneByOne(items: readonly Item[]): Promise<boolean> {
    for (const [index, item] of items.entries()) {
      try {
        await this.#store([item]);
      } catch (error) {
        if (error instanceof StorageError) return this.#refused(items.slice(index), error);
        this.#underWay -= 1;
        this.#giveUp(item, error);
      }
    }
    return true;
  }

  #giveUp(item: Item, error: unknown): void {
    const reason = messageOf(error);
    this.#options.logger.error({ sessionId: this.id, kind: item.kind, reason }, 'Something cannot be stored');
    if (item.kind === 'create' || item.kind === 'command') {
      item.settle(refuse('internal_error'));
    } else if (item.kind === 'fact' && item.fact.type !== 'diagnostic') {
      const text = `Something the agent did (${item.fact.type}) could not be stored: ${reason}`;
      const count = (this.#state?.process?.diagnostics['not-stored'] ?? 0) + 1;
      this.fact(item.processId, { type: 'diagnostic', code: 'not-stored', text, count });
    }
  }

  #part(batch: Batch): AppendPart {
    const { at } = batch.context;
    const events = batch.steps.map((step) => step.event);
    const state = batch.state;
    const snapshot =
      state !== null && state.lastSeq - this.#snapshotSeq >= SNAPSHOT_EVERY
        ? { snapshot: { version: STATE_VERSION, state: storedState(state) } }
        : {};
    const checkpoint = state !== null && isReadToEnd(this.#state, state) ? null : batch.checkpoint;
    const summary = state === null ? undefined : summaryAfter(this.#state, state);
    return {
      stream: this.id,
      at,
      events,
      blobs: batch.blobs,
      ...snapshot,
      ...(checkpoint !== undefined && { checkpoint }),
      ...(summary !== undefined && { summary: summary && { version: SUMMARY_VERSION, of: summary } }),
    };
  }

  #committed(batch: Batch, place: Place): void {
    const before = this.#state;
    const after = batch.state;
    if (after === null) return;
    this.#state = after;
    if (after.process?.phase !== 'ready') this.#isEnding = false;
    if (after.lastSeq - this.#snapshotSeq >= SNAPSHOT_EVERY) this.#snapshotSeq = after.lastSeq;
    try {
      const { steps, live, checkpoint } = batch;
      this.#options.onCommit({ before, after, steps, live, checkpoint, place });
    } catch (error) {
      // It is stored: whoever waits for it must be told so, whatever else went wrong.
      this.#options.logger.error(
        { sessionId: this.id, reason: messageOf(error) },
        'A commit was not followed up',
      );
    }
  }

  /** Commands are refused and nothing of them is kept. What an agent said cannot be unsaid: it waits and is tried again. */
  #refused(items: readonly Item[], error: StorageError): false {
    this.#underWay = 0;
    this.#options.logger.error({ sessionId: this.id, reason: error.message }, 'The log cannot be written');
    const kept = this.#closed === null ? items.filter(isKept) : [];
    this.#mailbox = [...kept, ...this.#mailbox];
    if (kept.length > 0) this.#retryLater();
    for (const item of items) {
      if (!kept.includes(item)) decline(item, 'storage_unavailable', error.message);
    }
    return false;
  }

  #retryLater(): void {
    this.#stalled = true;
    this.#pace();
    this.#cancelRetry ??= this.#options.clock.after(RETRY_MS, () => {
      this.#cancelRetry = null;
      if (!this.#pumping) void this.#pump('alone');
    });
  }
}

/** Of a process that is over nothing is left to be read; one whose machine was given up may be gone on with, unless there is another. */
const isReadToEnd = (before: SessionState | null, { process: run, leftRun }: SessionState): boolean =>
  run === null ? leftRun === undefined : before?.leftRun !== undefined && before.leftRun.run.id !== run.id;

/** How many items to work through now. */
function wholeReports(mailbox: readonly Item[]): number {
  let count = Math.min(MOST_AT_ONCE, mailbox.length);
  for (let last = mailbox[count - 1]; last && 'hasMore' in last && last.hasMore; last = mailbox[count - 1])
    count += 1;
  return count;
}

function decline(item: Item, code: ErrorCode, message?: string): void {
  if (item.kind === 'create' || item.kind === 'command') item.settle(refuse(code, message));
}
