import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { agentStatus } from '../../src/drivers/process/run-admin.ts';
import type { Event, EventOf } from '../../src/protocol/event.ts';
import {
  type Beckon,
  endBeckons,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { endWatches, type Frame, watch } from '../support/watch.ts';
import { unlessKilled, wholeLog } from '../support/whole-log.ts';

const KILLS = 100;
const AGENTS = 20;
const LINES = 6;
const seed = testSeed();

afterEach(async () => {
  endWatches();
  await endBeckons();
});

/** What one agent was given to do; everything was accepted by the server, in this life or in an earlier one. */
interface Work {
  readonly key: string;
  /** Null until the session is known to be there. */
  id: string | null;
  messages: number;
  /** The server died before it said whether it had the next one. */
  isUncertain: boolean;
}

describe('a server that is killed again and again', () => {
  it(`[STORE2] [SES10] [ASK2] [ASK5] [MSG3] ${KILLS} kills at random moments with ${AGENTS} agents under load: no line is lost or doubled, no answer is lost or taken twice, no process is left (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const random = seededRandom(seed);
    const dataDir = await temporaryDirectory();
    const cwd = await temporaryDirectory();
    const works = Array.from(
      { length: AGENTS },
      (_, at): Work => ({ key: `a${at}`, id: null, messages: 0, isUncertain: false }),
    );
    const decisions = new Map<string, string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      if (kill % 4 === 3) {
        await killWhileStarting(dataDir, random() * 800);
        continue;
      }
      const beckon = await startBeckon({ dataDir });
      const life = new Life(beckon, cwd, random, decisions);
      await life.begin(works);
      await life.until(1 + Math.floor(random() * 100));
      await beckon.kill9();
      await life.over();
    }

    const beckon = await startBeckon({ dataDir });
    const life = new Life(beckon, cwd, random, decisions);
    await life.begin(works);
    await life.sent;
    await expect.poll(() => restless(beckon), { timeout: 120_000, interval: 200 }).toEqual([]);
    for (const work of works) await expectWhole(beckon, cwd, work, decisions);
    expect(works.reduce((sum, { messages }) => sum + messages, 0)).toBeGreaterThan(KILLS);
    expect(decisions.size).toBeGreaterThan(KILLS);

    expect((await agentStatus(dataDir)).filter(({ running }) => running)).toHaveLength(AGENTS);
    expect(await beckon.run(['stop-all'])).toMatchObject({ code: 0 });
    expect(agentProcesses(dataDir)).toEqual([]);
  });
});

async function killWhileStarting(dataDir: string, afterMs: number): Promise<void> {
  const { child, exited } = spawnBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open']);
  await delay(afterMs);
  child.kill('SIGKILL');
  await exited;
}

/** What people do with one server, until it is killed. */
class Life {
  readonly #beckon: Beckon;
  readonly #cwd: string;
  readonly #random: () => number;
  readonly #decisions: Map<string, string>;
  readonly #answering: Promise<void>[] = [];
  #frames = 0;
  #enough: { readonly frames: number; resolve(): void } | undefined;
  sent: Promise<unknown> = Promise.resolve();

  constructor(beckon: Beckon, cwd: string, random: () => number, decisions: Map<string, string>) {
    this.#beckon = beckon;
    this.#cwd = cwd;
    this.#random = random;
    this.#decisions = decisions;
  }

  async begin(works: readonly Work[]): Promise<void> {
    const stream = await watch(this.#beckon);
    stream.follow((frame) => this.#hear(frame));
    const { data } = await stream.until('the snapshot', ({ event }) => event === 'snapshot');
    const queued = (id: string | null): number => data.queues[id ?? '']?.length ?? 0;
    const due = works.filter(
      ({ id, isUncertain }) => id === null || isUncertain || (queued(id) < 2 && this.#random() < 0.4),
    );
    this.sent = Promise.all(due.map((work) => this.#give(work)));
  }

  /** So many things were told, in the midst of the rest. */
  async until(frames: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#enough = { frames, resolve };
    this.#look();
    const late = setTimeout(() => reject(new Error(`Only ${this.#frames} of ${frames} came`)), 30_000);
    await promise.finally(() => clearTimeout(late));
  }

  async over(): Promise<void> {
    await this.sent;
    await Promise.all(this.#answering);
  }

  #hear({ event, data }: Frame): void {
    this.#frames += 1;
    if (event === 'snapshot') this.#answering.push(...data.pending.map((ask: Asked) => this.#answer(ask)));
    if (event === 'approval-requested') this.#answering.push(this.#answer(data));
    this.#look();
  }

  #look(): void {
    if (this.#enough && this.#frames >= this.#enough.frames) this.#enough.resolve();
  }

  /** What was not acknowledged is sent once more in the next life, under the same name. */
  async #give(work: Work): Promise<void> {
    if (work.id === null) {
      const body = { agent: 'demo', cwd: this.#cwd, key: work.key };
      const made = await unlessKilled(() => this.#beckon.api('POST', '/api/sessions', body));
      if (made === undefined) return;
      expect([201, 409], JSON.stringify(made.body)).toContain(made.status);
      const { body: found } =
        (await unlessKilled(() => this.#beckon.api('GET', `/api/sessions/${work.key}`))) ?? {};
      if (found === undefined) return;
      work.id = found.session.id;
    }
    const name = `${work.key}m${work.messages + 1}`;
    const message = `!tally ${name} ${LINES} 40 ${work.key}.txt`;
    work.isUncertain = true;
    const reply = await unlessKilled(() =>
      this.#beckon.api('POST', `/api/sessions/${work.key}/message`, { message, clientMessageId: name }),
    );
    if (reply === undefined) return;
    expect([200, 202], JSON.stringify(reply.body)).toContain(reply.status);
    work.messages += 1;
    work.isUncertain = false;
  }

  async #answer({ sessionId, interactionId }: Asked): Promise<void> {
    const decision = this.#random() < 0.3 ? 'deny' : 'allow';
    const reply = await unlessKilled(() =>
      this.#beckon.api('POST', `/api/sessions/${sessionId}/approve`, { requestId: interactionId, decision }),
    );
    if (reply === undefined) return;
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    expect(this.#decisions.has(interactionId), 'answered before').toBe(false);
    this.#decisions.set(interactionId, reply.body.interaction.outcome);
  }
}

interface Asked {
  readonly sessionId: string;
  readonly interactionId: string;
}

/** The sessions that still have something to do. */
async function restless(beckon: Beckon): Promise<string[]> {
  const { body } = await beckon.api('GET', '/api/sessions');
  return body.sessions.flatMap(({ key, status, queueLength }: Record<string, unknown>) =>
    status === 'idle' && queueLength === 0 ? [] : [`${key}: ${status}, ${queueLength} queued`],
  );
}

/** What the agent wrote down of itself, what is in the log, and what it was given: all three must be the same. */
async function expectWhole(
  beckon: Beckon,
  cwd: string,
  { key, id, messages }: Work,
  decisions: ReadonlyMap<string, string>,
): Promise<void> {
  const log = await wholeLog(beckon, id ?? '');
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  const said = all(log, 'agent.text').map(({ text }) => text);
  const wrote = (await readFile(join(cwd, `${key}.txt`), 'utf8')).trimEnd().split('\n');
  expect(said, `what ${key} said`).toEqual(wrote);

  const outcomes = new Map(
    all(log, 'interaction.decided').map((event) => [event.interactionId, event.outcome]),
  );
  const asks = all(log, 'interaction.requested').map((event) => outcomes.get(event.interactionId));
  const names = Array.from({ length: messages }, (_, at) => `${key}m${at + 1}`);
  expect(said.map((line) => line.replace(repeated, ' 0 times'))).toEqual(
    names.flatMap((name) => linesOf(name, asks)),
  );
  expect(asks).toEqual([]);

  expect(all(log, 'interaction.decided')).toHaveLength(outcomes.size);
  const resolved = all(log, 'interaction.resolved');
  expect(resolved).toHaveLength(outcomes.size);
  for (const { interactionId, outcome, delivered } of resolved) {
    expect({ outcome, delivered }).toEqual({ outcome: outcomes.get(interactionId), delivered: true });
    // An answer whose reply was lost with the server counts as well.
    expect(decisions.get(interactionId) ?? outcome).toBe(outcome);
  }
  for (const type of ['message.queued', 'message.taken', 'turn.started', 'turn.ended'] as const) {
    expect(all(log, type), `${type} of ${key}`).toHaveLength(messages);
  }
  expect(all(log, 'turn.ended').map(({ outcome }) => outcome)).toEqual(names.map(() => 'completed'));
  expect(all(log, 'process.starting')).toHaveLength(1);
  expect(all(log, 'process.exited')).toEqual([]);
  expect(all(log, 'diagnostic')).toEqual([]);
}

function linesOf(name: string, asks: (string | undefined)[]): string[] {
  const lines: string[] = [];
  for (let at = 1; at <= LINES; at += 1) {
    lines.push(`${name} line ${at}`);
    if (at % 3 === 0) lines.push(`${name} ask ${at} ${asks.shift()}`);
  }
  return [...lines, `${name} done, answers 0 times, messages 0 times`];
}

/** A server that is killed between writing and noting it writes once more; the agent tells the repetition and ignores it. */
const repeated = / twice: [01]\b/g;

const all = <T extends Event['type']>(log: readonly Event[], type: T): EventOf<T>[] =>
  log.filter((event): event is EventOf<T> => event.type === type);
