import {
  type AttachOrder,
  type Checkpoint,
  type FactBatch,
  isPassing,
  type LeftRun,
  type Order,
  type OrderOutcome,
  type ReadingMark,
  type Run,
} from '../engine/ports/runner.ts';
import type { AgentFact } from '../model/agent-fact.ts';
import type { SessionId } from '../protocol/ids.ts';
import { CheckpointShape } from './message.ts';

// The rest stays in the agent's file until the room has stored some of it.
const mostUnstored = 8_000_000;
const mostOfSentence = 64_000;

interface KeptBatch {
  readonly batch: FactBatch;
  readonly last: number;
  readonly size: number;
}

/** Where what a run says goes to, while a room listens. */
export interface Audience {
  /** Reliably, in order. */
  tell(batch: FactBatch): void;
  /** Fragments, which may be lost. */
  pass(batch: FactBatch, piece: number): void;
}

/**
 * A run on this machine, as the room hears of it: what it said is kept until the room has stored it, so that a room that comes back
 * hears the rest. A run that has exited is kept until its exit is stored.
 */
export class KeptRun {
  readonly id: string;
  readonly sessionId: SessionId;
  #run: Run | undefined;
  #audience: Audience | undefined;
  #unstored: KeptBatch[] = [];
  #size = 0;
  /** The number of the last fact. */
  #last: number;
  /** The driver's own place, and the number of the last fact before it. */
  #place: Checkpoint | undefined;
  #isCaughtUp: boolean;
  #hasExited = false;
  #isEnding = false;
  /** What has been said of the sentence under way; undefined once it is too long to keep. */
  #sentence: AgentFact[] | undefined = [];
  #sentenceSize = 0;
  #piece = 0;
  #isHeldByRoom = false;
  #isHeld = false;

  constructor(options: {
    readonly id: string;
    readonly sessionId: SessionId;
    readonly last: number;
    /** Of a run that is gone on with: whether all of what it said before has been told is not known yet. */
    readonly isCaughtUp: boolean;
    readonly place: Checkpoint | undefined;
  }) {
    this.id = options.id;
    this.sessionId = options.sessionId;
    this.#last = options.last;
    this.#isCaughtUp = options.isCaughtUp;
    this.#place = options.place;
  }

  begin(run: Run, audience: Audience): void {
    this.#run = run;
    this.#audience = audience;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get left(): LeftRun {
    return { runId: this.id, sessionId: this.sessionId, isRunning: !this.#hasExited };
  }

  /** Whether all facts after this number are still here. */
  canTellAfter(last: number): boolean {
    return last >= (this.#unstored[0]?.batch.first ?? this.#last + 1) - 1;
  }

  /** To whoever attaches: what comes after this number, then what is to come. */
  tellAgain(last: number, audience: Audience, how: 'start' | 'attach'): void {
    this.#audience = audience;
    // Who attaches anew says itself what it wants held.
    this.#isHeldByRoom = false;
    this.#pace();
    for (const { batch, last: end } of this.#unstored) if (end > last) audience.tell(batch);
    const rest: AgentFact[] = [...(this.#sentence ?? [])];
    if (how === 'attach' && this.#isCaughtUp && !this.#hasExited) rest.push({ type: 'caught-up' });
    if (rest.length > 0) audience.tell({ runId: this.id, first: this.#last + 1, facts: rest });
    // Of a sentence whose beginning is not known any more, the rest is not told in fragments.
    this.#piece = this.#sentence === undefined ? 1 : 0;
  }

  /** Nobody listens; what is said is kept. */
  leave(): void {
    this.#audience = undefined;
  }

  readonly heard = ({ first, facts, mark }: FactBatch): void => {
    this.#last = first - 1;
    for (const fact of facts) this.#follow(fact);
    if (mark !== undefined) this.#place = { number: this.#last, mark };
    if (this.#last < first && mark === undefined) {
      this.#pass({ runId: this.id, first, facts });
      return;
    }
    const batch: FactBatch = { runId: this.id, first, facts, mark: this.#markHere() };
    if (this.#last >= first) {
      const size = JSON.stringify(batch).length;
      this.#unstored.push({ batch, last: this.#last, size });
      this.#size += size;
    }
    this.#audience?.tell(batch);
    this.#pace();
  };

  give(order: Order): Promise<OrderOutcome> {
    return this.#run?.give(order) ?? Promise.resolve(notThere);
  }

  hold(isHeld: boolean): void {
    this.#isHeldByRoom = isHeld;
    this.#pace();
  }

  stored(checkpoint: Checkpoint): void {
    while (this.#unstored[0] && this.#unstored[0].last <= checkpoint.number)
      this.#size -= this.#unstored.shift()?.size ?? 0;
    const place = placeIn(checkpoint);
    if (place !== undefined) this.#run?.stored(place);
    this.#pace();
  }

  /** Whether nobody needs to hear of it any more. */
  get isOver(): boolean {
    return this.#hasExited && this.#unstored.length === 0;
  }

  detach(): void {
    this.#audience = undefined;
    this.#run?.detach?.();
  }

  /** Nobody will ask for what it said: the place it takes is given back. */
  letGo(): void {
    this.#audience = undefined;
    this.#unstored = [];
    if (this.#place !== undefined) this.#run?.stored(this.#place);
  }

  #follow(fact: AgentFact): void {
    if (!isPassing(fact)) {
      this.#last += 1;
      this.#sentence = [];
      this.#sentenceSize = 0;
      this.#piece = 0;
    } else if (fact.type === 'delta') {
      this.#sentenceSize += fact.delta.text.length;
      if (this.#sentenceSize > mostOfSentence) this.#sentence = undefined;
      this.#sentence?.push(fact);
    }
    if (fact.type === 'caught-up') this.#isCaughtUp = true;
    if (fact.type === 'exited') this.#hasExited = true;
    if (fact.type === 'ending') this.#isEnding = true;
  }

  /** Fragments may be lost; that it has caught up, is about to end, or said something odd may not. */
  #pass(batch: FactBatch): void {
    if (batch.facts.some(({ type }) => type !== 'delta')) {
      this.#audience?.tell(batch);
      return;
    }
    this.#audience?.pass(batch, this.#piece);
    this.#piece += 1;
  }

  /** The number goes with every batch, also where the driver has no place of its own: a room that comes back must know what it has. */
  #markHere(): ReadingMark {
    const { processId, offset } = this.#place?.mark ?? { processId: this.id, offset: 0 };
    return { processId, offset, memory: { place: this.#place ?? null } };
  }

  #pace(): void {
    const isHeld = this.#isHeldByRoom || (this.#size > mostUnstored && !this.#isEnding);
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#run?.hold();
    else this.#run?.release();
  }
}

/** The driver's own part of a checkpoint that went to a room and came back. */
export function placeIn({ mark }: Checkpoint): Checkpoint | undefined {
  const { memory } = mark;
  const place = typeof memory === 'object' && memory !== null && 'place' in memory ? memory.place : undefined;
  const read = CheckpointShape.safeParse(place);
  return read.success ? read.data : undefined;
}

/** An order to attach, as the runner below knows it. */
export function withOwnPlace(order: AttachOrder): AttachOrder {
  return { ...order, checkpoint: order.checkpoint && placeIn(order.checkpoint) };
}

export const notThere: OrderOutcome = { ok: false, code: 'not-started', message: 'The agent is not there' };
