import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ReadingMark } from '../../../src/engine/ports/runner.ts';
import { MessageId } from '../../../src/protocol/ids.ts';
import type { Ask, Decision } from '../../../src/protocol/interaction.ts';
import type { AgentFact, OutgoingMessage } from '../../../src/runner/ports/agent-driver.ts';
import { patienceMs } from '../../support/patience.ts';
import { seededRandom, testSeed } from '../../support/seeded-random.ts';
import { StoredRun } from './stored-run.ts';

const MESSAGES = 3;
const LINES = 12;
/** What it asks for and has us run. */
const CALLS = MESSAGES * (4 + 3);
const seed = testSeed();

let run: StoredRun | undefined;

afterEach(async () => {
  await run?.end();
});

interface Answer {
  readonly ask: Ask;
  readonly decision: Decision;
  isDelivered: boolean;
}

/** What an engine has on record of a session, and does about it; it dies whenever it is told to. */
class SmallEngine {
  readonly #run: StoredRun;
  readonly #random: () => number;
  readonly answers = new Map<string, Answer>();
  readonly withdrawn: string[] = [];
  #reports: { readonly facts: readonly AgentFact[]; readonly mark: ReadingMark | undefined }[] = [];
  #wake = (): void => {};
  #queue: OutgoingMessage[] = [];
  #sending: OutgoingMessage | undefined;
  #isTurnRunning = false;
  #isReady = false;

  constructor(run: StoredRun, random: () => number) {
    this.#run = run;
    this.#random = random;
    this.#queue = Array.from({ length: MESSAGES }, (_, at) => ({
      messageId: MessageId.parse(`msg_${at}`),
      text: `tally m${at} ${LINES} record`,
      images: [],
    }));
  }

  /** What is done for the agent may be told after its turn. */
  get isDone(): boolean {
    const isIdle = this.#isReady && !this.#isTurnRunning && !this.#sending && this.#queue.length === 0;
    return isIdle && this.#run.stored.said('tool.called').length >= CALLS;
  }

  readonly report = (facts: readonly AgentFact[], mark?: ReadingMark): void => {
    this.#reports.push({ facts, mark });
    this.#wake();
  };

  left() {
    const open = [...this.answers].filter(([, { isDelivered }]) => !isDelivered);
    return {
      ready: this.#isReady,
      openAsks: open.map(([id]) => id),
      inFlight: this.#sending ? [{ messageId: this.#sending.messageId, how: 'turn' as const }] : [],
    };
  }

  /** Until it is done, or dies: before something is stored, or right after what followed from it. */
  async live(risk: number): Promise<void> {
    while (!this.isDone) {
      const { facts, mark } = await this.#next();
      if (this.#random() < risk) break;
      this.#run.store(facts, mark);
      for (const fact of facts) this.#fold(fact);
      this.#act(facts.some(({ type }) => type === 'caught-up'));
      if (this.#random() < risk) break;
    }
    this.#reports = [];
  }

  async #next() {
    for (;;) {
      const report = this.#reports.shift();
      if (report) return report;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const late = setTimeout(() => reject(new Error('Nothing more is heard of the agent')), patienceMs);
      await promise.finally(() => clearTimeout(late));
    }
  }

  #fold(fact: AgentFact): void {
    if (fact.type === 'ready') this.#isReady = true;
    if (fact.type === 'turn-started') this.#isTurnRunning = true;
    if (fact.type === 'turn-ended') this.#isTurnRunning = false;
    if (fact.type === 'message-taken' && fact.messageId === this.#sending?.messageId)
      this.#sending = undefined;
    if (fact.type === 'withdrawn') this.withdrawn.push(fact.agentRequestId);
    if (fact.type === 'asked' && !this.answers.has(fact.ask.agentRequestId)) {
      const decision: Decision =
        this.#random() < 0.3
          ? { type: 'deny', message: 'No', interrupt: false }
          : { type: 'allow', scope: 'once' };
      this.answers.set(fact.ask.agentRequestId, { ask: fact.ask, decision, isDelivered: false });
      this.#answer(fact.ask.agentRequestId);
    }
  }

  #act(isCaughtUp: boolean): void {
    if (isCaughtUp) {
      if (this.#sending) this.#send(this.#sending);
      for (const [id, { isDelivered }] of this.answers) if (!isDelivered) this.#answer(id);
    }
    if (!this.#isReady || this.#isTurnRunning || this.#sending) return;
    this.#sending = this.#queue.shift();
    if (this.#sending) this.#send(this.#sending);
  }

  #send(message: OutgoingMessage): void {
    this.#run.connection.send(message, 'turn').catch(() => undefined);
  }

  /** That it was delivered is on record now, or never will be. */
  #answer(id: string): void {
    const answer = this.answers.get(id);
    if (!answer || answer.isDelivered) return;
    const isNoted = this.#random() < 0.7;
    this.#run.connection.answer(answer.ask, answer.decision).then(
      () => {
        if (isNoted) answer.isDelivered = true;
      },
      () => undefined,
    );
  }
}

test(`[STORE2] [SES10] [ASK5] [MSG3] whenever a server dies, no line of the agent is lost or doubled, each message runs once, each answer is given once, and so is what it has us do (seed ${seed})`, async () => {
  run = new StoredRun();
  const random = seededRandom(seed);
  const engine = new SmallEngine(run, random);
  run.begin(engine.report);
  let deaths = 0;
  for (await engine.live(0.1); !engine.isDone; await engine.live(deaths < 40 ? 0.1 : 0)) {
    deaths += 1;
    await run.leave();
    expect(await run.takeUp(engine.left(), engine.report)).toBeDefined();
  }
  expect(deaths).toBeGreaterThan(3);
  const { stored } = run;
  const read = (file: string): string => readFileSync(join(run?.cwd ?? '', file), 'utf8');
  const said = stored.said('agent.text').map(({ text }) => text);
  const record = read('record');
  expect(said.join('')).toBe(record);
  const names = Array.from({ length: MESSAGES }, (_, at) => `m${at}`);
  expect(run.prompts()).toEqual(names.map((name) => `tally ${name} ${LINES} record`));
  expect(record.match(/^m\d line \d+$/gm)).toEqual(
    names.flatMap((name) => Array.from({ length: LINES }, (_, at) => `${name} line ${at + 1}`)),
  );

  const asked = [...record.matchAll(/^(m\d ask \d+) (\w+)$/gm)].map(([, title, chosen]) => [title, chosen]);
  expect(asked).toEqual(
    [...engine.answers.values()].map(({ ask, decision }) => [
      ask.input.title,
      decision.type === 'allow' ? 'yes' : 'no',
    ]),
  );
  expect(engine.withdrawn).toEqual([]);

  const commands = names.flatMap((name) => [4, 8, 12].map((line) => `${name} ${line}`));
  expect(read('record.commands')).toBe(commands.map((line) => `${line}\n`).join(''));
  expect(record.match(/"exitCode":0/g)).toHaveLength(commands.length);
  const calls = stored.said('tool.called');
  expect(calls.filter(({ name }) => name === 'Bash')).toHaveLength(commands.length);
  for (const type of ['message-taken', 'turn-started', 'turn-ended'] as const)
    expect(stored.every(type)).toHaveLength(MESSAGES);
  expect(stored.every('turn-ended').map(({ outcome }) => outcome)).toEqual(names.map(() => 'completed'));
  expect(stored.every('diagnostic')).toEqual([]);
});
