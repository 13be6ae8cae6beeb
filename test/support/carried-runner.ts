import { setImmediate as turn } from 'node:timers/promises';
import { UnreachableError } from '../../src/engine/ports/machine.ts';
import type {
  FactBatch,
  LeftRun,
  Order,
  OrderOutcome,
  Report,
  Run,
  Runner,
  StartOrder,
} from '../../src/engine/ports/runner.ts';
import { isPassing } from '../../src/engine/ports/runner.ts';
import type { SessionId } from '../../src/protocol/ids.ts';

/**
 * A runner at the far end of something that carries JSON and takes its time. What was reported is kept there, so that whoever attaches
 * again can have it once more. With `random`, the carrier loses and doubles what it carries, and brings it late.
 */
export function carriedRunner(inner: Runner, { random, isCut }: Carrier = {}): Runner {
  const runs = new Map<string, CarriedRun>();
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    if (isCut?.()) throw new UnreachableError('Nothing is carried any more.');
    return carried(await call());
  };
  const serve = (
    { runId, sessionId }: StartOrder,
    report: Report,
    begin: (report: Report) => Run,
  ): CarriedRun => {
    const run = new CarriedRun(runId, sessionId, report, begin, {
      ...(random && { random }),
      ...(isCut && { isCut }),
    });
    runs.set(runId, run);
    return run;
  };
  return {
    agents: () => ask(() => inner.agents()),
    agent: (name) => ask(() => inner.agent(name)),
    checkDirectory: (place) => ask(() => inner.checkDirectory(carried(place))),
    completeDirectory: (query) => ask(() => inner.completeDirectory(carried(query))),
    findFiles: (search) => ask(() => inner.findFiles(carried(search))),
    policyFile: (place) => ask(() => inner.policyFile(carried(place))),
    branch: (directory) => ask(() => inner.branch(directory)),
    recordsFiles: inner.recordsFiles,
    workspace: (what, request) => ask(() => inner.workspace(what, carried(request))),
    filesBelow: (query) => ask(() => inner.filesBelow(carried(query))),
    left: () =>
      ask(async () => {
        const served = [...runs.values()].flatMap((run) => run.left());
        const others = (await inner.left()).filter(({ runId }) => !runs.has(runId));
        return [...others, ...served];
      }),
    end: (runId) =>
      ask(async () => {
        await runs.get(runId)?.end();
        runs.delete(runId);
        await inner.end(runId);
      }),
    start: (order, report) => serve(order, report, (heard) => inner.start(carried(order), heard)),
    attach: (order, report) =>
      runs.get(order.runId)?.passOnTo(report, order.last) ??
      serve(order, report, (heard) => inner.attach(carried(order), heard)),
    rawLog: {
      read: (sessionId) => inner.rawLog.read(sessionId),
      remove: (sessionId) => ask(() => inner.rawLog.remove(sessionId)),
    },
    close: () => inner.close(),
    detach: () => inner.detach(),
  };
}

export interface Carrier {
  readonly random?: () => number;
  /** Whether nothing is carried any more, in either direction. */
  readonly isCut?: () => boolean;
}

type Entry = { readonly batch: FactBatch } | { readonly order: number; readonly outcome: OrderOutcome };

class CarriedRun implements Run {
  readonly id: string;
  readonly #sessionId: SessionId;
  readonly #random: () => number;
  readonly #isCut: () => boolean;
  #report: Report;
  /** What goes to the agent, in order. */
  #outgoing: Promise<Run>;
  /** What came from it, as text. */
  readonly #entries: string[] = [];
  readonly #waiting: ((outcome: OrderOutcome) => void)[] = [];
  #position = 0;
  #isDelivering = false;
  #hasLost = false;
  #hasExited = false;
  #inner: Run | undefined;
  /** The number of the next fact to come. */
  #next = 1;

  constructor(
    id: string,
    sessionId: SessionId,
    report: Report,
    begin: (report: Report) => Run,
    carrier: Carrier,
  ) {
    this.id = id;
    this.#sessionId = sessionId;
    this.#report = report;
    this.#random = carrier.random ?? (() => 1);
    this.#isCut = carrier.isCut ?? (() => false);
    this.#outgoing = turn().then(() => (this.#isCut() ? new Promise<never>(() => {}) : this.#begin(begin)));
  }

  #begin(begin: (report: Report) => Run): Run {
    this.#inner = begin((batch) => this.#heard(batch));
    return this.#inner;
  }

  /** What is told of it to whoever asks what is here; nothing if the order to start it was lost. */
  left(): readonly LeftRun[] {
    if (this.#inner === undefined) return [];
    return [{ runId: this.id, sessionId: this.#sessionId, isRunning: !this.#hasExited }];
  }

  async end(): Promise<void> {
    this.#report = () => {};
    await this.#inner?.give({ kind: 'end', id: this.id });
  }

  /** Tells again all that has a number above this one, and goes on. */
  passOnTo(report: Report, number: number): this {
    const earlier = this.#report;
    this.#report = report;
    this.#hasLost = false;
    const at = this.#entries.findIndex((text) => endOf(JSON.parse(text)) > number);
    this.#position = at === -1 ? this.#entries.length : at;
    const late = this.#entries.map((text): Entry => JSON.parse(text)).findLast((entry) => 'batch' in entry);
    if (late && 'batch' in late && this.#random() < 0.5) earlier(late.batch);
    this.#add({ batch: { runId: this.id, first: this.#next, facts: [{ type: 'caught-up' }] } });
    return this;
  }

  give(order: Order): Promise<OrderOutcome> {
    const { promise, resolve } = Promise.withResolvers<OrderOutcome>();
    const number = this.#waiting.push(resolve) - 1;
    this.#send((run) => {
      if (this.#random() < 0.3) void run.give(carried(order));
      void run.give(carried(order)).then((outcome) => this.#add({ order: number, outcome }));
    });
    return promise;
  }

  hold(): void {
    this.#send((run) => run.hold());
  }

  release(): void {
    this.#send((run) => run.release());
  }

  stored(checkpoint: Parameters<Run['stored']>[0]): void {
    this.#send((run) => run.stored(carried(checkpoint)));
  }

  readonly detach = (): void => {
    this.#report = () => {};
    this.#send((run) => run.detach?.());
  };

  #send(tell: (run: Run) => void): void {
    this.#outgoing = this.#outgoing.then(async (run) => {
      await turn();
      if (!this.#isCut()) tell(run);
      return run;
    });
  }

  #heard(batch: FactBatch): void {
    this.#next = endOf({ batch }) + 1;
    if (batch.facts.some(({ type }) => type === 'exited')) this.#hasExited = true;
    this.#add({ batch });
  }

  #add(entry: Entry): void {
    this.#entries.push(JSON.stringify(entry));
    if (!this.#isDelivering) void this.#deliver();
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true;
    for (;;) {
      await turn();
      const text = this.#entries[this.#position];
      if (text !== undefined) {
        this.#position += 1;
        this.#bring(text);
      } else if (this.#hasLost && !this.#isCut()) {
        this.#hasLost = false;
        // Nothing more comes by which it could be seen.
        this.#report({ runId: this.id, first: this.#next, facts: [] });
      } else break;
    }
    this.#isDelivering = false;
  }

  #bring(text: string): void {
    if (this.#isCut()) return;
    const entry: Entry = JSON.parse(text);
    if ('order' in entry) {
      this.#waiting[entry.order]?.(entry.outcome);
      return;
    }
    const chance = this.#random();
    if (chance < 0.2) this.#hasLost = true;
    else this.#report(entry.batch);
    if (chance > 0.2 && chance < 0.5) this.#report(JSON.parse(text).batch);
  }
}

/** The number of the last fact in it. */
function endOf(entry: Entry): number {
  if (!('batch' in entry)) return 0;
  return entry.batch.first - 1 + entry.batch.facts.filter((fact) => !isPassing(fact)).length;
}

const carried = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
