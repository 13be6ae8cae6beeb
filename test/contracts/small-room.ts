import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  type AttachOrder,
  type Checkpoint,
  type FactBatch,
  isPassing,
  type Order,
  type Run,
  type Runner,
  type StartOrder,
} from '../../src/engine/ports/runner.ts';
import { MessageId } from '../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../src/protocol/interaction.ts';
import { FactRecorder } from '../support/fact-recorder.ts';

export const allow: Decision = { type: 'allow', scope: 'once' };

export const message = (words: string, id = randomUUID() as string): Extract<Order, { kind: 'message' }> => ({
  kind: 'message',
  id: MessageId.parse(id),
  text: words,
  images: [],
  how: 'turn',
});

export const answer = (ask: Ask, decision: Decision): Order => ({
  kind: 'answer',
  id: `int of ${ask.agentRequestId}`,
  ask,
  decision,
});

/** Keeps what a run reports; a report that is not as it must be fails the test that reads on. */
export class RunRecorder extends FactRecorder {
  readonly runId: string;
  readonly checkpoints: Checkpoint[] = [];
  /** The number of the last fact. */
  last: number;

  constructor(runId: string, last = 0) {
    super();
    this.runId = runId;
    this.last = last;
  }

  readonly take = (batch: FactBatch): void => {
    const { runId, first, facts, mark } = batch;
    expect({ runId, first }).toEqual({ runId: this.runId, first: this.last + 1 });
    expect(JSON.parse(JSON.stringify(batch))).toEqual(batch);
    expect(this.all.at(-1)?.type).not.toBe('exited');
    this.last += facts.filter((fact) => !isPassing(fact)).length;
    if (mark) this.checkpoints.push({ number: this.last, mark });
    this.report(facts);
  };
}

/** As much of an engine as it takes: what it has stored, it goes on from. It is killed before it stores a report, or after. */
export class SmallRoom {
  readonly messages: readonly string[];
  readonly #order: StartOrder;
  readonly #script: readonly string[];
  readonly #dies: () => boolean;
  readonly #stored = new FactRecorder();
  readonly #handedOver = new Set<string>();
  #checkpoint: Checkpoint | undefined;

  constructor(order: StartOrder, script: readonly string[], dies: () => boolean) {
    this.#order = order;
    this.#script = script;
    this.#dies = dies;
    this.messages = script.map(() => randomUUID());
  }

  /** One server's life. */
  serve(runner: Runner, isLeft: boolean): Promise<'over' | 'killed'> {
    const { promise, resolve } = Promise.withResolvers<'over' | 'killed'>();
    const given = new Set<string>();
    let isCaughtUp = !isLeft;
    let isOver = false;
    let last = this.#checkpoint?.number ?? 0;
    const take = (batch: FactBatch): void => {
      if (isOver) return;
      expect(batch.first).toBe(last + 1);
      last += batch.facts.filter((fact) => !isPassing(fact)).length;
      const [isBefore, isAfter] = [this.#dies(), this.#dies()];
      if (!isBefore) this.#store(batch, last, run);
      isCaughtUp ||= batch.facts.some(({ type }) => type === 'caught-up');
      if (isBefore || isAfter) die();
      else if (isCaughtUp) goOn();
    };
    const die = (): void => {
      isOver = true;
      run.detach?.();
      resolve('killed');
    };
    const goOn = (): void => {
      for (const order of this.#due()) {
        if (given.has(order.id)) continue;
        given.add(order.id);
        const done = run.give(order);
        if (order.kind !== 'end') continue;
        isOver = true;
        void done.then(() => resolve('over'));
      }
    };
    const run = isLeft
      ? runner.attach({ ...this.#order, ...this.#known() }, take)
      : runner.start(this.#order, take);
    return promise;
  }

  record() {
    return {
      taken: this.#stored.every('message-taken').map(({ messageId }) => messageId),
      turns: this.#stored.every('turn-ended').map(({ outcome }) => outcome),
      asks: this.#stored.every('asked').length,
      results: this.#stored.said('tool.result').map(({ isError }) => isError),
    };
  }

  #store({ facts, mark }: FactBatch, number: number, run: Run): void {
    this.#stored.report(facts);
    if (mark === undefined) return;
    this.#checkpoint = JSON.parse(JSON.stringify({ number, mark })) as Checkpoint;
    run.stored(this.#checkpoint);
  }

  #known(): Pick<AttachOrder, 'checkpoint' | 'last' | 'ready' | 'openAsks' | 'inFlight'> {
    const taken = new Set<string>(this.#stored.every('message-taken').map(({ messageId }) => messageId));
    return {
      checkpoint: this.#checkpoint,
      last: this.#checkpoint?.number ?? 0,
      ready: this.#stored.every('ready').length > 0,
      openAsks: this.#open().map(({ agentRequestId }) => agentRequestId),
      inFlight: [...this.#handedOver]
        .filter((id) => !taken.has(id))
        .map((id) => ({ messageId: MessageId.parse(id), how: 'turn' })),
    };
  }

  #open(): Ask[] {
    const done = new Set(this.#stored.said('tool.result').map(({ toolCallId }) => toolCallId));
    const asks = this.#stored.every('asked').map(({ ask }) => ask);
    return asks.filter(({ toolCallId = '' }) => !done.has(toolCallId));
  }

  #due(): Order[] {
    const { turns, taken } = this.record();
    if (turns.length === this.#script.length) return [{ kind: 'end', id: this.#order.runId }];
    const id = this.messages[turns.length] ?? '';
    const isReady = this.#stored.every('ready').length > 0;
    const answers = this.#open().map((ask) => answer(ask, allow));
    if (!isReady || taken.some((messageId) => messageId === id)) return answers;
    this.#handedOver.add(id);
    return [...answers, message(this.#script[turns.length] ?? '', id)];
  }
}
