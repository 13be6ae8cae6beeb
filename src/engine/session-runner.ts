import { advance } from '../model/advance.ts';
import type { AgentFact } from '../model/agent-fact.ts';
import type { Context, Decided, SessionCommand } from '../model/command.ts';
import { decide } from '../model/decide.ts';
import { fold } from '../model/fold.ts';
import { observe, type StoredFact } from '../model/observe.ts';
import { type SessionState, STATE_VERSION } from '../model/state.ts';
import { accept, type Refusal, type Result, refuse } from '../protocol/errors.ts';
import type { Event, NewEvent } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Clock } from './ports/clock.ts';
import { type AppendPart, type Blob, type EventLog, StorageError } from './ports/event-log.ts';
import type { Logger } from './ports/logger.ts';

/** One event with the states around it. */
export interface Step {
  readonly event: Event;
  readonly before: SessionState | null;
  readonly after: SessionState;
}

/** What has been stored together. */
export interface Commit {
  readonly before: SessionState | null;
  readonly after: SessionState;
  readonly steps: readonly Step[];
  readonly global: readonly NewEvent[];
}

export interface RunnerOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly context: () => Context;
  /** Called after each commit, before anyone who waits for it: publishes, then acts. */
  readonly onCommit: (commit: Commit) => void;
  /** The disk does not take what the agent says: stop listening to it until told otherwise. */
  readonly onStalled: (stalled: boolean) => void;
}

type Item =
  | { readonly kind: 'create'; readonly event: NewEvent; readonly settle: (result: Result<Step[]>) => void }
  | {
      readonly kind: 'command';
      readonly command: SessionCommand;
      readonly blobs: readonly Blob[];
      readonly settle: (result: Result<Step[]>) => void;
    }
  | {
      readonly kind: 'fact';
      readonly processId: string;
      readonly fact: StoredFact;
      readonly blobs: readonly Blob[];
    };

const SNAPSHOT_EVERY = 250;
const RETRY_MS = 1000;

/**
 * The only writer of a session's log. What arrives while a commit is under way is worked through together and stored together:
 * a batch is decided on a state that is not yet the session's; only when it is on the disk does it become so.
 */
export class SessionRunner {
  readonly id: SessionId;
  readonly #options: RunnerOptions;
  #state: SessionState | null;
  #mailbox: Item[] = [];
  #pumping = false;
  #stalled = false;
  #snapshotSeq: number;

  constructor(id: SessionId, state: SessionState | null, options: RunnerOptions) {
    this.id = id;
    this.#state = state;
    this.#snapshotSeq = state?.lastSeq ?? 0;
    this.#options = options;
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
    return new Promise((settle) => this.#add({ kind: 'command', command, blobs, settle }));
  }

  /** What the agent's process of this id did; another process's facts are ignored. */
  fact(processId: string, fact: Exclude<AgentFact, { type: 'delta' }>, blobs: readonly Blob[] = []): void {
    this.#add({ kind: 'fact', processId, fact, blobs });
  }

  #add(item: Item): void {
    this.#mailbox.push(item);
    if (!this.#pumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    // Wait for the rest of this tick's arrivals, so that they share one commit.
    await Promise.resolve();
    while (this.#mailbox.length > 0) {
      const items = this.#mailbox;
      this.#mailbox = [];
      const settled = await this.#work(items);
      if (!settled) break;
    }
    this.#pumping = false;
  }

  /** False when the disk refused and the agent's facts wait for another try. */
  async #work(items: readonly Item[]): Promise<boolean> {
    const batch = new Batch(this.#state, this.#options.context());
    for (const item of items) batch.take(item);
    if (batch.steps.length > 0) {
      try {
        await this.#options.log.append({ parts: this.#parts(batch) });
      } catch (error) {
        return this.#refused(items, error);
      }
      this.#committed(batch);
    }
    for (const settle of batch.settlements) settle();
    return true;
  }

  #parts(batch: Batch): AppendPart[] {
    const { at } = batch.context;
    const events = batch.steps.map((step) => step.event);
    const state = batch.state;
    const snapshot =
      state !== null && state.lastSeq - this.#snapshotSeq >= SNAPSHOT_EVERY
        ? { snapshot: { version: STATE_VERSION, state } }
        : {};
    const own: AppendPart = { stream: this.id, at, events, blobs: batch.blobs, ...snapshot };
    return batch.global.length === 0 ? [own] : [own, { stream: 'global', at, events: batch.global }];
  }

  #committed(batch: Batch): void {
    const before = this.#state;
    const after = batch.state;
    if (after === null) return;
    this.#state = after;
    if (after.lastSeq - this.#snapshotSeq >= SNAPSHOT_EVERY) this.#snapshotSeq = after.lastSeq;
    if (this.#stalled) {
      this.#stalled = false;
      this.#options.onStalled(false);
    }
    this.#options.onCommit({ before, after, steps: batch.steps, global: batch.global });
  }

  /** Commands are refused and nothing of them is kept. What an agent said cannot be unsaid: it waits and is tried again. */
  #refused(items: readonly Item[], error: unknown): boolean {
    if (!(error instanceof StorageError)) throw error;
    this.#options.logger.error({ sessionId: this.id, reason: error.message }, 'The log cannot be written');
    for (const item of items) {
      if (item.kind !== 'fact') item.settle(refuse('storage_unavailable', error.message));
    }
    const facts = items.filter((item) => item.kind === 'fact');
    if (facts.length === 0) return true;
    this.#mailbox = [...facts, ...this.#mailbox];
    if (!this.#stalled) {
      this.#stalled = true;
      this.#options.onStalled(true);
    }
    this.#options.clock.after(RETRY_MS, () => {
      if (!this.#pumping) void this.#pump();
    });
    return this.#mailbox.length > facts.length;
  }
}

/** Works items through on a provisional state. */
class Batch {
  readonly context: Context;
  readonly steps: Step[] = [];
  readonly global: NewEvent[] = [];
  readonly blobs: Blob[] = [];
  readonly settlements: (() => void)[] = [];
  state: SessionState | null;

  constructor(state: SessionState | null, context: Context) {
    this.state = state;
    this.context = context;
  }

  take(item: Item): void {
    if (item.kind === 'fact') {
      if (this.state === null || this.state.process?.id !== item.processId) return;
      this.blobs.push(...item.blobs);
      this.#apply(observe(this.state, item.fact, this.context));
      return;
    }
    const first = this.steps.length;
    const result = this.#decide(item);
    if (!result.ok) {
      const { refusal } = result;
      this.settlements.push(() => item.settle({ ok: false, refusal }));
      return;
    }
    if (item.kind === 'command' && result.value.events.length > 0) this.blobs.push(...item.blobs);
    this.global.push(...(result.value.global ?? []));
    this.#apply(result.value.events);
    const last = this.steps.length;
    this.settlements.push(() => item.settle(accept(this.steps.slice(first, last))));
  }

  #decide(
    item: Exclude<Item, { kind: 'fact' }>,
  ): { ok: false; refusal: Refusal } | { ok: true; value: Decided } {
    if (item.kind === 'create') return accept({ events: [item.event] });
    return this.state === null ? refuse('session_not_found') : decide(this.state, item.command, this.context);
  }

  #apply(events: readonly NewEvent[]): void {
    for (const event of events) this.#fold(event);
    while (this.state !== null) {
      const next = advance(this.state);
      if (next.length === 0) return;
      for (const event of next) this.#fold(event);
    }
  }

  #fold(event: NewEvent): void {
    const before = this.state;
    const stored = { ...event, seq: (before?.lastSeq ?? 0) + 1, at: this.context.at } as Event;
    this.state = fold(before, stored);
    this.steps.push({ event: stored, before, after: this.state });
  }
}
