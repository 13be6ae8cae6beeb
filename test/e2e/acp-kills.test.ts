import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Event, EventOf } from '../../src/protocol/event.ts';
import { writeAcpConfig } from '../support/acp-config.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { patienceMs } from '../support/patience.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { endWatches, type Frame, watch } from '../support/watch.ts';
import { unlessKilled, wholeLog } from '../support/whole-log.ts';

const KILLS = 12;
const AGENTS = 5;
const MESSAGES = 3;
const LINES = 12;
const seed = testSeed();

afterEach(async () => {
  endWatches();
  await endBeckons();
});

const names = Array.from({ length: AGENTS }, (_, at) => `a${at}`);
const messagesOf = (name: string): string[] => Array.from({ length: MESSAGES }, (_, at) => `${name}m${at}`);

describe('a server of agents of the Agent Client Protocol that is killed again and again', () => {
  it(`[STORE2] [SES10] [ASK2] [ASK5] [MSG3] ${KILLS} kills at random moments with ${AGENTS} agents at work: no line is lost or doubled, each message runs once, each answer is given once, each command runs once (seed ${seed})`, {
    timeout: 180_000,
  }, async () => {
    const random = seededRandom(seed);
    const folder = await temporaryDirectory();
    const dataDir = await temporaryDirectory();
    const config = await writeAcpConfig(folder);
    await mkdir(join(folder, 'work'));
    const serve = () => startBeckon({ dataDir, args: ['--config', config] });

    let beckon = await serve();
    const ids = await Promise.all(names.map((name) => begin(beckon, name, join(folder, 'work'))));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await answerUntil(beckon, random, 1 + Math.floor(random() * 60));
      await beckon.kill9();
      beckon = await serve();
    }
    await answerUntil(beckon, random, Number.POSITIVE_INFINITY);
    for (const [at, name] of names.entries())
      await expectWhole(beckon, ids[at] ?? '', join(folder, 'work', name));
    const histories = (await readdir(join(folder, 'home'))).filter((file) => file.endsWith('.history'));
    const prompts = await Promise.all(histories.map((file) => readFile(join(folder, 'home', file), 'utf8')));
    expect(prompts.sort()).toEqual(
      names.map((name) =>
        messagesOf(name)
          .map((message) => `tally ${message} ${LINES} ${name}\n`)
          .join(''),
      ),
    );
    await expect.poll(async () => (await readdir(join(dataDir, 'run'))).length).toBe(AGENTS);
    expect(await beckon.run(['stop-all'])).toMatchObject({ code: 0 });
    expect(agentProcesses(dataDir)).toEqual([]);
  });
});

async function begin(beckon: Beckon, name: string, cwd: string): Promise<string> {
  const [prompt, ...others] = messagesOf(name).map((message) => `tally ${message} ${LINES} ${name}`);
  const { body } = await beckon.api('POST', '/api/sessions', { agent: 'scripted', cwd, prompt });
  const { id } = body.session;
  for (const message of others) {
    const sent = await beckon.api('POST', `/api/sessions/${id}/message`, { message });
    expect(sent.status).toBe(202);
  }
  return id;
}

/** Answers whatever is asked, until so much was told, or there is nothing left to do. */
async function answerUntil(beckon: Beckon, random: () => number, frames: number): Promise<void> {
  const stream = await watch(beckon);
  const enough = Promise.withResolvers<void>();
  const working = new Map<string, boolean>();
  const answering: Promise<unknown>[] = [];
  let count = 0;
  const answer = ({ sessionId, interactionId }: { sessionId: string; interactionId: string }): void => {
    const decision = random() < 0.3 ? 'deny' : 'allow';
    const body = { requestId: interactionId, decision };
    answering.push(unlessKilled(() => beckon.api('POST', `/api/sessions/${sessionId}/approve`, body)));
  };
  stream.follow(({ event, data }: Frame) => {
    count += 1;
    if (event === 'snapshot') for (const ask of data.pending) answer(ask);
    if (event === 'approval-requested') answer(data);
    const changed = event === 'snapshot' ? data.sessions : event === 'session-updated' ? [data] : [];
    for (const { id, status, queueLength } of changed) working.set(id, status !== 'idle' || queueLength > 0);
    const isOver = working.size === AGENTS && ![...working.values()].includes(true);
    if (count >= frames || isOver) enough.resolve();
  });
  const late = setTimeout(() => enough.reject(new Error(`Only ${count} of ${frames} came`)), patienceMs);
  await enough.promise.finally(() => clearTimeout(late));
  if (frames === Number.POSITIVE_INFINITY) await Promise.all(answering);
}

/** What the agent wrote down of itself, and what is in the log: both must be the same. */
async function expectWhole(beckon: Beckon, id: string, record: string): Promise<void> {
  const log = await wholeLog(beckon, id);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  const wrote = await readFile(record, 'utf8');
  expect(
    all(log, 'agent.text')
      .map(({ text }) => text)
      .join(''),
  ).toBe(wrote);
  const asked = [...wrote.matchAll(/^(\w+ ask \d+) (\w+)$/gm)].map(([, title, chosen]) => [title, chosen]);
  const outcomes = new Map(
    all(log, 'interaction.decided').map((event) => [event.interactionId, event.outcome]),
  );
  const requested = all(log, 'interaction.requested');
  expect(requested).toHaveLength(4 * MESSAGES);
  expect(asked).toEqual(
    requested.map(({ ask, interactionId }) => [
      ask.input.title,
      outcomes.get(interactionId) === 'allowed' ? 'yes' : 'no',
    ]),
  );
  const resolved = all(log, 'interaction.resolved');
  expect(resolved.map(({ outcome, delivered }) => [outcome, delivered])).toEqual(
    resolved.map(({ interactionId }) => [outcomes.get(interactionId), true]),
  );
  expect(resolved).toHaveLength(requested.length);
  const lines = wrote.match(/^(\w+) line (\d+)$/gm)?.map((line) => line.replace('line ', '')) ?? [];
  const ran = (await readFile(`${record}.commands`, 'utf8')).trimEnd().split('\n');
  expect(ran).toEqual(lines.filter((line) => Number(line.split(' ')[1]) % 4 === 0));
  expect(lines).toHaveLength(LINES * MESSAGES);
  for (const type of ['message.taken', 'turn.started', 'turn.ended'] as const)
    expect(all(log, type)).toHaveLength(MESSAGES);
  expect(all(log, 'turn.ended').map(({ outcome }) => outcome)).toEqual(Array(MESSAGES).fill('completed'));
  expect(all(log, 'process.starting')).toHaveLength(1);
  expect(all(log, 'process.exited')).toEqual([]);
  expect(all(log, 'diagnostic')).toEqual([]);
}

const all = <T extends Event['type']>(log: readonly Event[], type: T): EventOf<T>[] =>
  log.filter((event): event is EventOf<T> => event.type === type);
