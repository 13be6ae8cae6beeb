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
const mostOfSentence = 256_000;

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
  readonly #onIdentified: ((agentSessionId: string) => void) | undefined;
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
  readonly #sentence = new Sentence();
  #isHeldByRoom = false;
  #isHeld = false;

  constructor(options: {
    readonly id: string;
    readonly sessionId: SessionId;
    readonly last: number;
    /** Of a run that is gone on with: whether all of what it said before has been told is not known yet. */
    readonly isCaughtUp: boolean;
    readonly place: Checkpoint | undefined;
    /** The agent has told what it calls the conversation. */
    readonly onIdentified?: (agentSessionId: string) => void;
  }) {
    this.id = options.id;
    this.sessionId = options.sessionId;
    this.#last = options.last;
    this.#isCaughtUp = options.isCaughtUp;
    this.#place = options.place;
    this.#onIdentified = options.onIdentified;
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
    const rest: AgentFact[] = [...this.#sentence.tellAgain()];
    if (how === 'attach' && this.#isCaughtUp && !this.#hasExited) rest.push({ type: 'caught-up' });
    if (rest.length > 0) audience.tell({ runId: this.id, first: this.#last + 1, facts: rest });
  }

  /** Nobody listens; what is said is kept. */
  leave(): void {
    this.#audience = undefined;
  }

  readonly heard = ({ first, facts, mark }: FactBatch): void => {
    this.#last = first - 1;
    for (const fact of facts) this.#follow(fact);
    // The deltas behind the last fact with a number.
    const deltas = facts
      .slice(facts.findLastIndex((fact) => !isPassing(fact)) + 1)
      .filter(({ type }) => type === 'delta');
    if (mark !== undefined) this.#place = { number: this.#last, mark };
    if (this.#last < first && mark === undefined) {
      this.#pass({ runId: this.id, first, facts }, deltas);
      return;
    }
    this.#sentence.tell(deltas);
    const batch: FactBatch = { runId: this.id, first, facts, mark: this.#markHere() };
    if (this.#last >= first) {
      const size = JSON.stringify(batch).length;
      this.#unstored.push({ batch, last: this.#last, size });
      this.#size += size;
    }
    this.#audience?.tell(batch);
    this.#pace();
  };

  /** The fragments from this one on, of the sentence before the fact with this number. */
  pieces(first: number, from: number): readonly FactBatch[] {
    if (first !== this.#last + 1) return [];
    return this.#sentence.from(from).map((facts) => ({ runId: this.id, first, facts }));
  }

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
      this.#sentence.clear();
    }
    if ((fact.type === 'ready' || fact.type === 'identified') && fact.agentSessionId !== null)
      this.#onIdentified?.(fact.agentSessionId);
    if (fact.type === 'caught-up') this.#isCaughtUp = true;
    if (fact.type === 'exited') this.#hasExited = true;
    if (fact.type === 'ending') this.#isEnding = true;
  }

  /** Fragments may be lost; that it has caught up, is about to end, or said something odd may not. */
  #pass(batch: FactBatch, deltas: readonly AgentFact[]): void {
    if (deltas.length < batch.facts.length) {
      this.#sentence.tell(deltas);
      this.#audience?.tell(batch);
      return;
    }
    const piece = this.#sentence.pass(deltas);
    this.#audience?.pass(batch, piece);
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

/** What has been said of the sentence under way; of one that is too long, the end. */
class Sentence {
  /** Those that passed as fragments have a number. */
  #pieces: { readonly facts: readonly AgentFact[]; readonly number: number | undefined }[] = [];
  #size = 0;
  #next = 0;
  #isWhole = true;

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
    this.#next = 0;
    this.#isWhole = true;
  }

  /** What passes; returns the number under which. */
  pass(facts: readonly AgentFact[]): number {
    this.#keep(facts, this.#next);
    this.#next += 1;
    return this.#next - 1;
  }

  /** What is told reliably. */
  tell(facts: readonly AgentFact[]): void {
    if (facts.length > 0) this.#keep(facts, undefined);
  }

  /** All of it, for whoever listens anew. Where the beginning is gone that is nothing, and the rest is not told in fragments. */
  tellAgain(): readonly AgentFact[] {
    this.#next = this.#isWhole ? 0 : 1;
    this.#pieces = this.#isWhole ? this.#pieces.map(({ facts }) => ({ facts, number: undefined })) : [];
    return this.#pieces.flatMap(({ facts }) => facts);
  }

  /** The fragments from this number on; none where that one is not kept. */
  from(number: number): readonly (readonly AgentFact[])[] {
    const at = this.#pieces.findIndex((piece) => piece.number === number);
    if (at === -1) return [];
    return this.#pieces
      .slice(at)
      .filter((piece) => piece.number !== undefined)
      .map(({ facts }) => facts);
  }

  #keep(facts: readonly AgentFact[], number: number | undefined): void {
    this.#pieces.push({ facts, number });
    this.#size += sizeOf(facts);
    while (this.#size > mostOfSentence && this.#pieces.length > 1) {
      this.#size -= sizeOf(this.#pieces.shift()?.facts ?? []);
      this.#isWhole = false;
    }
  }
}

const sizeOf = (facts: readonly AgentFact[]): number =>
  facts.reduce((sum, fact) => sum + (fact.type === 'delta' ? fact.delta.text.length : 0), 0);

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
