import type {
  AttachOrder,
  Checkpoint,
  FactBatch,
  Order,
  OrderOutcome,
  Report,
  Run,
  StartOrder,
} from '../engine/ports/runner.ts';
import { isPassing } from '../engine/ports/runner.ts';
import { notThere } from './kept-run.ts';
import type { RoomItem } from './message.ts';

const mostEarly = 64;

export type Opening =
  | { readonly type: 'start'; readonly order: StartOrder }
  | { readonly type: 'attach'; readonly order: AttachOrder };

interface Given {
  readonly order: Order;
  readonly promise: Promise<OrderOutcome>;
  readonly resolve: (outcome: OrderOutcome) => void;
  /** The connection on which it was last said. */
  saidOn: string | undefined;
  /** It may have reached a runner that is gone since, and with it what became of it. */
  mayBeDone: boolean;
}

/** What a run needs of the room's end of the link. */
export interface Line {
  /** The present connection. */
  readonly connection: string | undefined;
  /** Whether fragments that were lost can be asked for. */
  readonly canRepeat: boolean;
  /** Comes to nothing where nothing is connected. */
  say(item: RoomItem): void;
}

/** The room's end of a run on another machine. Orders are kept until their outcome is known; facts are passed on in order. */
export class RemoteRun implements Run {
  readonly id: string;
  readonly #line: Line;
  #report: Report = () => {};
  #opening: Opening;
  /** Whether something came or was stored since it was opened: to open it so again would go back. */
  #isHeard = false;
  #isCaughtUp = true;
  #isHeld = false;
  #hasExited = false;
  /** The number of the last fact. */
  #last = 0;
  readonly #given = new Map<string, Given>();
  #count = 0;
  /** The number of the next batch of fragments; undefined where one is lost for good, until the sentence is over. */
  #nextPiece: number | undefined = 0;
  /** Those behind one that is missing, by number. It was asked for. */
  readonly #ahead = new Map<number, FactBatch>();
  #early: { readonly batch: FactBatch; readonly piece: number }[] = [];

  constructor(id: string, opening: Opening, report: Report, line: Line) {
    this.id = id;
    this.#line = line;
    this.#opening = opening;
    this.open(opening, report);
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get isWaiting(): boolean {
    return this.#given.size > 0;
  }

  get opening(): Opening {
    return this.#opening;
  }

  open(opening: Opening, report: Report): void {
    this.#opening = opening;
    this.#report = report;
    this.#isHeard = false;
    this.#isHeld = false;
    this.#hasExited = false;
    this.#isCaughtUp = opening.type === 'start';
    this.#last = opening.type === 'start' ? 0 : opening.order.last;
    this.#startSentence();
    this.#early = [];
  }

  /**
   * Whether it may be opened on a new connection as it was on the one before. Not where something came since, or was given: the
   * engine knows more by now.
   */
  get isAsOpened(): boolean {
    if (this.#isHeard) return false;
    return this.#opening.type === 'start' || ![...this.#given.values()].some(({ saidOn }) => saidOn);
  }

  /** There is a new connection. `isSameRunner`: it remembers what it did. */
  reconnected(isSameRunner: boolean): void {
    for (const given of this.#given.values()) given.mayBeDone ||= !isSameRunner && given.saidOn !== undefined;
  }

  /** On a new connection, behind what opens the run there. */
  goOn(): void {
    if (this.#isHeld) this.#line.say({ type: 'hold', runId: this.id });
    if (this.#isCaughtUp || this.#hasExited) this.#giveAgain();
  }

  /** The numbers do not fit: whoever takes the facts attaches to the run again, with what it knows. */
  askForAttach(): void {
    this.#report({ runId: this.id, first: this.#last + 2, facts: [] });
  }

  give(order: Order): Promise<OrderOutcome> {
    const all = [...this.#given.values()];
    const earlier = all.find(({ order: { kind, id } }) => kind === order.kind && id === order.id);
    if (earlier) return earlier.promise;
    this.#count += 1;
    const give = String(this.#count);
    const given: Given = {
      order,
      ...Promise.withResolvers<OrderOutcome>(),
      saidOn: undefined,
      mayBeDone: false,
    };
    // A message must not overtake one that waits until the run has caught up.
    const isBehind = order.kind === 'message' && !this.#isCaughtUp && all.some(isMessage);
    this.#given.set(give, given);
    if (!isBehind) this.#say(give, given);
    return given.promise;
  }

  hold(): void {
    this.#isHeld = true;
    this.#line.say({ type: 'hold', runId: this.id });
  }

  release(): void {
    this.#isHeld = false;
    this.#line.say({ type: 'release', runId: this.id });
  }

  stored(checkpoint: Checkpoint): void {
    // What it was opened with is older now.
    this.#isHeard = true;
    this.#line.say({ type: 'stored', runId: this.id, checkpoint });
  }

  readonly detach = (): void => {
    this.#report = () => {};
  };

  /**
   * Settles what nobody will tell of any more, for `exited` is about to be told. True where something was: it is to be known before
   * the exit.
   */
  settleLost(): boolean {
    let count = 0;
    for (const [id, { order, saidOn, mayBeDone, resolve }] of this.#given) {
      if (saidOn === this.#line.connection || order.kind === 'end') continue;
      this.#given.delete(id);
      resolve(mayBeDone ? lost : notThere);
      count += 1;
    }
    return count > 0;
  }

  told(batch: FactBatch): void {
    if (this.#hasExited) return;
    this.#isHeard = true;
    const last = batch.first - 1 + batch.facts.filter((fact) => !isPassing(fact)).length;
    const hasNews = last > this.#last;
    this.#last = Math.max(this.#last, last);
    if (hasNews) this.#startSentence();
    this.#hasExited = batch.facts.some(({ type }) => type === 'exited');
    this.#report(batch);
    this.#isCaughtUp ||= batch.facts.some(({ type }) => type === 'caught-up');
    if (this.#isCaughtUp || this.#hasExited) this.#giveAgain();
    if (hasNews) for (const { batch, piece } of this.#early.splice(0)) this.passed(batch, piece);
  }

  /** Fragments: in order and without a gap. One that is missing is asked for; where it is gone, no more of the sentence is told. */
  passed(batch: FactBatch, piece: number): void {
    if (this.#hasExited || !batch.facts.every(({ type }) => type === 'delta')) return;
    if (batch.first > this.#last + 1) {
      if (this.#early.length < mostEarly) this.#early.push({ batch, piece });
      return;
    }
    if (batch.first <= this.#last || this.#nextPiece === undefined || piece < this.#nextPiece) return;
    if (piece === this.#nextPiece) {
      this.#tellPiece(batch, piece);
      return;
    }
    const isAsked = this.#ahead.size > 0;
    if (this.#ahead.size < mostEarly) this.#ahead.set(piece, batch);
    if (!isAsked) this.#askForPieces(this.#nextPiece);
  }

  /** What was asked for has come, or is kept nowhere any more. */
  repeated(
    batches: readonly FactBatch[],
    { first, from }: { readonly first: number; readonly from: number },
  ): void {
    // Of an earlier sentence, which has come whole since.
    if (first !== this.#last + 1) return;
    const next = this.#nextPiece;
    for (const [index, batch] of batches.entries()) this.passed(batch, from + index);
    if (this.#ahead.size === 0 || this.#nextPiece === undefined) return;
    if (this.#nextPiece === next && from >= next) this.#giveUpSentence();
    else this.#askForPieces(this.#nextPiece);
  }

  outcome(id: string, outcome: OrderOutcome): void {
    const given = this.#given.get(id);
    if (given === undefined) return;
    this.#given.delete(id);
    this.#isHeard = true;
    // That it does not reach the agent now says nothing about the time before.
    given.resolve(given.mayBeDone && !outcome.ok ? { ...outcome, uncertain: true } : outcome);
  }

  /** Nothing will come any more. */
  settle(outcome: OrderOutcome): void {
    for (const { resolve } of this.#given.values()) resolve(outcome);
    this.#given.clear();
  }

  #startSentence(): void {
    this.#nextPiece = 0;
    this.#ahead.clear();
  }

  #giveUpSentence(): void {
    this.#nextPiece = undefined;
    this.#ahead.clear();
  }

  #tellPiece(batch: FactBatch, piece: number): void {
    this.#nextPiece = piece + 1;
    this.#report(batch);
    const next = this.#ahead.get(piece + 1);
    this.#ahead.delete(piece + 1);
    if (next) this.#tellPiece(next, piece + 1);
  }

  #askForPieces(from: number): void {
    if (this.#line.canRepeat)
      this.#line.say({ type: 'lost-pieces', runId: this.id, first: this.#last + 1, from });
    else this.#giveUpSentence();
  }

  #giveAgain(): void {
    for (const [give, given] of this.#given) this.#say(give, given);
  }

  #say(give: string, given: Given): void {
    const { connection } = this.#line;
    // Once on each: what failed for certain would be tried anew, behind the back of who was told that it failed.
    if (connection === undefined || given.saidOn === connection) return;
    given.saidOn = connection;
    this.#line.say({ type: 'give', runId: this.id, give, order: given.order });
  }
}

const isMessage = ({ order }: Given): boolean => order.kind === 'message';

const lost: OrderOutcome = {
  ok: false,
  code: 'lost',
  message: 'The agent was gone when its machine came back',
  uncertain: true,
};
