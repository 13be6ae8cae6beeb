import { advance } from '../model/advance.ts';
import type { Context, Decided, SessionCommand } from '../model/command.ts';
import { decide } from '../model/decide.ts';
import { fold } from '../model/fold.ts';
import { observe, type StoredFact } from '../model/observe.ts';
import type { SessionState } from '../model/state.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { Delta, Event, NewEvent } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { Blob } from './ports/event-log.ts';
import type { Checkpoint } from './ports/runner.ts';

/** One event with the states around it. */
export interface Step {
  readonly event: Event;
  readonly before: SessionState | null;
  readonly after: SessionState;
}

export interface Live {
  readonly after: number;
  readonly deltas: readonly Delta[];
}

/** What a session's writer works through. */
export type Item =
  | ({ readonly kind: 'create'; readonly event: NewEvent } & Settled)
  | ({
      readonly kind: 'command';
      readonly command: SessionCommand;
      readonly blobs: readonly Blob[];
      /** It waits for the disk instead of being refused. */
      readonly kept: boolean;
      /** Nobody waits for it: it may wait for company. */
      readonly patient?: true;
    } & Settled)
  | {
      readonly kind: 'fact';
      readonly processId: string;
      readonly fact: StoredFact;
      readonly blobs: readonly Blob[];
      readonly checkpoint: Checkpoint | undefined;
      readonly hasMore: boolean;
      /** What was stored when it came: a decision after it reaches no process that had ended by then. */
      readonly storedSeq: number;
    }
  | { readonly kind: 'live'; readonly deltas: readonly Delta[]; readonly hasMore: boolean };

interface Settled {
  readonly settle: (result: Result<Step[]>) => void;
}

/** Works items through on a provisional state. */
export class Batch {
  readonly context: Context;
  readonly steps: Step[] = [];
  readonly grants: Grant[] = [];
  readonly blobs: Blob[] = [];
  readonly live: Live[] = [];
  readonly settlements: (() => void)[] = [];
  checkpoint: Checkpoint | undefined;
  state: SessionState | null;

  constructor(state: SessionState | null, context: Context) {
    this.state = state;
    this.context = context;
  }

  /**
   * What the session does by itself comes after the last of several facts: an agent that ends a turn and begins the next in one
   * breath is never idle in between.
   */
  take(item: Item): void {
    if (item.kind === 'live') {
      this.live.push({ after: this.steps.length, deltas: item.deltas });
      return;
    }
    if (item.kind === 'fact') {
      if (this.state === null || this.state.process?.id !== item.processId) return;
      this.blobs.push(...item.blobs);
      this.checkpoint = item.checkpoint ?? this.checkpoint;
      const { fact, storedSeq } = item;
      this.#apply(observe(this.state, fact, { ...this.context, storedSeq }));
      return;
    }
    this.advance();
    const first = this.steps.length;
    const result = this.#decide(item);
    if (!result.ok) {
      const { refusal } = result;
      this.settlements.push(() => item.settle({ ok: false, refusal }));
      return;
    }
    if (item.kind === 'command' && result.value.events.length > 0) this.blobs.push(...item.blobs);
    if (result.value.grant !== undefined) this.grants.push(result.value.grant);
    this.#apply(result.value.events);
    this.advance();
    const last = this.steps.length;
    this.settlements.push(() => item.settle(accept(this.steps.slice(first, last))));
  }

  #decide(item: Extract<Item, { kind: 'create' | 'command' }>): Result<Decided> {
    if (item.kind === 'create') return accept({ events: [item.event] });
    return this.state === null ? refuse('session_not_found') : decide(this.state, item.command, this.context);
  }

  advance(): void {
    while (this.state !== null) {
      const next = advance(this.state, this.context);
      if (next.length === 0) return;
      this.#apply(next);
    }
  }

  #apply(events: readonly NewEvent[]): void {
    for (const event of events) this.#fold(event);
  }

  #fold(event: NewEvent): void {
    const before = this.state;
    const stored = { ...event, seq: (before?.lastSeq ?? 0) + 1, at: this.context.at } as Event;
    this.state = fold(before, stored);
    this.steps.push({ event: stored, before, after: this.state });
  }
}
