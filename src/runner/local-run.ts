import {
  type Checkpoint,
  type FactBatch,
  isPassing,
  type Order,
  type OrderOutcome,
  type ReadingMark,
  type Report,
  type Run,
} from '../engine/ports/runner.ts';
import { messageOf } from '../protocol/errors.ts';
import { type AgentConnection, type AgentFact, AgentRefusal } from './ports/agent-driver.ts';

// An order is repeated by who takes over, or does not hear of its outcome: those of the last minutes.
const rememberedOrders = 1_000;

export interface LocalRunOptions {
  readonly id: string;
  /** The number of the last fact that was told before. */
  readonly last: number;
  readonly report: Report;
  onExit(): void;
}

/** A run in this program, with the agent's driver at the other end. */
export class LocalRun implements Run {
  readonly id: string;
  readonly #onExit: () => void;
  #report: Report;
  /** The number of the next fact. */
  #next: number;
  #connection: AgentConnection | undefined;
  /** What was reported and may have to be told again. */
  readonly #unstored: FactBatch[] = [];
  readonly #given = new Map<string, Promise<OrderOutcome>>();

  constructor({ id, last, report, onExit }: LocalRunOptions) {
    this.id = id;
    this.#next = last + 1;
    this.#report = report;
    this.#onExit = onExit;
  }

  /** Where it cannot be connected, that is the end of the run, with these words for a reason; its number follows `told`. */
  begin(reason: 'startError' | 'hostLost', told: number, connect: () => AgentConnection): void {
    try {
      this.#connection = connect();
    } catch (error) {
      this.#next = told + 1;
      const gone = {
        type: 'exited',
        code: null,
        signal: null,
        stderr: [],
        [reason]: messageOf(error),
      } as const;
      queueMicrotask(() => this.heard([gone]));
    }
  }

  /** To another one than before: what is not stored and comes after this number, then what is to come. */
  tellAgain(last: number, report: Report): void {
    const untold = this.#unstored.filter((batch) => endOf(batch) > last);
    const collect: Report = (batch) => void untold.push(batch);
    this.#report = collect;
    queueMicrotask(() => {
      if (this.#report !== collect) return;
      this.#report = report;
      for (const batch of untold) report(batch);
      this.heard([{ type: 'caught-up' }]);
    });
  }

  readonly heard = (facts: readonly AgentFact[], mark?: ReadingMark): void => {
    const batch: FactBatch = { runId: this.id, first: this.#next, facts, mark };
    const last = endOf(batch);
    // Where there is no mark, nothing is ever said to be stored.
    if (mark && last >= this.#next) this.#unstored.push(batch);
    this.#next = last + 1;
    if (facts.at(-1)?.type === 'exited') this.#onExit();
    this.#report(batch);
  };

  /** The driver's own promise is returned: what it tells of an answer must be known before the exit that it reports next. */
  give(order: Order): Promise<OrderOutcome> {
    const key = `${order.kind} ${order.id}`;
    const earlier = this.#given.get(key);
    if (earlier) return earlier;
    const outcome = this.#connection ? carryOut(this.#connection, order) : Promise.resolve(notThere);
    this.#given.set(key, outcome);
    // What certainly did not reach the agent may be tried again.
    void outcome.then((known) => !known.ok && !known.uncertain && this.#given.delete(key));
    if (this.#given.size > rememberedOrders) this.#given.delete(this.#given.keys().next().value ?? key);
    return outcome;
  }

  hold(): void {
    this.#connection?.pause();
  }

  release(): void {
    this.#connection?.resume();
  }

  stored({ number, mark }: Checkpoint): void {
    while (this.#unstored[0] && endOf(this.#unstored[0]) <= number) this.#unstored.shift();
    this.#connection?.stored?.(mark);
  }

  get detach(): (() => void) | undefined {
    const connection = this.#connection;
    return connection?.detach && (() => connection.detach?.());
  }
}

/** The number of the last fact in it, or before it where it has none with a number. */
function endOf({ first, facts }: FactBatch): number {
  let last = first - 1;
  for (const fact of facts) if (!isPassing(fact)) last += 1;
  return last;
}

function carryOut(connection: AgentConnection, order: Order): Promise<OrderOutcome> {
  switch (order.kind) {
    case 'message': {
      const { id: messageId, text, images, how } = order;
      return outcomeOf(connection.send({ messageId, text, images }, how));
    }
    case 'answer':
      return connection.answer(order.ask, order.decision);
    case 'defer':
      return connection.defer ? outcomeOf(connection.defer(order.ask)) : Promise.resolve(cannotDefer);
    case 'interrupt':
      return outcomeOf(connection.interrupt(order.id));
    case 'mode':
      return outcomeOf(connection.setPermissionMode(order.mode));
    case 'model':
      return outcomeOf(connection.setModel(order.model));
    case 'option':
      return connection.setOption
        ? outcomeOf(connection.setOption(order.option, order.value))
        : Promise.resolve(noOptions);
    case 'end':
      return outcomeOf(connection.close());
  }
}

const outcomeOf = (done: Promise<void>): Promise<OrderOutcome> =>
  done.then(
    () => ({ ok: true }),
    (error: unknown) => ({
      ok: false,
      code: error instanceof AgentRefusal ? 'refused' : 'failed',
      message: messageOf(error),
    }),
  );

const cannotDefer: OrderOutcome = {
  ok: false,
  code: 'refused',
  message: 'This agent leaves nothing for later',
};
const noOptions: OrderOutcome = { ok: false, code: 'refused', message: 'This agent has no options' };
const notThere: OrderOutcome = { ok: false, code: 'not-started', message: 'The agent is not there' };
