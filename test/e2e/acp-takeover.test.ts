import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agentStatus } from '../../src/drivers/process/run-admin.ts';
import type { Event, EventOf } from '../../src/protocol/event.ts';
import { acpAgent, writeAcpConfig } from '../support/acp-config.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { endWatches, type Watch, watchSession } from '../support/watch.ts';
import { wholeLog } from '../support/whole-log.ts';

let folder: string;
let dataDir: string;
let beckon: Beckon;

const work = (file: string): string => join(folder, 'work', file);
const home = (agent: string, file = ''): string => join(folder, agent, file);

async function prepare(...args: string[]): Promise<void> {
  folder = await temporaryDirectory();
  dataDir = await temporaryDirectory();
  const agents = {
    scripted: acpAgent(home('scripted')),
    slow: acpAgent(home('slow')),
    slower: acpAgent(home('slower')),
    stubborn: acpAgent(home('stubborn'), '--stubborn'),
  };
  await writeAcpConfig(folder, agents);
  for (const name of ['work', ...Object.keys(agents)]) await mkdir(join(folder, name));
  writeFileSync(home('slow', 'hold-initialize'), '');
  writeFileSync(home('slower', 'hold-session-new'), '');
  await serve(...args);
}

async function serve(...args: string[]): Promise<void> {
  beckon = await startBeckon({ dataDir, args: ['--config', join(folder, 'config.json'), ...args] });
}

async function end(): Promise<void> {
  endWatches();
  await endBeckons();
}

interface Started {
  readonly id: string;
  readonly watch: Watch;
}

async function start(prompt: string, agent = 'scripted'): Promise<Started> {
  const cwd = join(folder, 'work');
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent, cwd, prompt });
  expect(status, JSON.stringify(body)).toBe(201);
  const id: string = body.session.id;
  return { id, watch: await watchSession(beckon, id) };
}

const saying = (watch: Watch, text: string) =>
  watch.until(`"${text}"`, ({ event, data }) => event === 'delta' && data.text.includes(text));

const post = (id: string, what: string, body: object = {}) =>
  beckon.api('POST', `/api/sessions/${id}/${what}`, body);

const all = <T extends Event['type']>(log: readonly Event[], type: T): EventOf<T>[] =>
  log.filter((event): event is EventOf<T> => event.type === type);

const said = (log: readonly Event[]): string[] => all(log, 'agent.text').map(({ text }) => text);

/** One process, from the first to the last event. */
async function oneRun({ id }: Started): Promise<readonly Event[]> {
  const log = await wholeLog(beckon, id);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  expect(all(log, 'process.starting')).toHaveLength(1);
  expect(all(log, 'process.ready')).toHaveLength(1);
  expect(all(log, 'process.exited')).toEqual([]);
  expect(all(log, 'diagnostic')).toEqual([]);
  return log;
}

/** What the agent's program wrote down of the messages it got. */
const prompts = (agent: string): string[] =>
  readdirSync(home(agent))
    .filter((name) => name.endsWith('.history'))
    .flatMap((name) => readFileSync(home(agent, name), 'utf8').trimEnd().split('\n'));

describe('agents of the Agent Client Protocol whose server is killed once', () => {
  const sessions = new Map<string, Started>();
  const session = (name: string): Started => {
    const found = sessions.get(name);
    if (found === undefined) throw new Error(`There is no session ${name}`);
    return found;
  };
  let interactionId: string;

  beforeAll(async () => {
    await prepare();
    const waits = "while [ ! -e ended ]; do sleep 0.01; done; echo 'and on'";
    const messages: Readonly<Record<string, readonly [message: string, agent?: string]>> = {
      asking: ['run echo made >> made.txt'],
      telling: ['tell early late'],
      ending: ['tell unheard'],
      running: [`terminal echo once >> runs; echo begun; ${waits}`],
      starting: ['hello', 'slow'],
      opening: ['hello', 'slower'],
    };
    for (const [name, message] of Object.entries(messages)) sessions.set(name, await start(...message));
    ({ interactionId } = await session('asking').watch.event('interaction.requested'));
    await saying(session('telling').watch, 'I begin');
    await post(session('telling').id, 'message', { message: 'hello' });
    await saying(session('ending').watch, 'I begin');
    await session('running').watch.event('tool.called');
    await eventually('the command runs', () => existsSync(work('runs')));
    await eventually('the slower one is asked for a session', () =>
      existsSync(home('slower', 'client.json')),
    );
    await beckon.kill9();
    writeFileSync(work('early'), '');
    writeFileSync(work('unheard'), '');
    await eventually('it has ended its turn', () => existsSync(work('told')));
    await serve();
    for (const [name, { id }] of sessions) sessions.set(name, { id, watch: await watchSession(beckon, id) });
  });

  afterAll(end);

  it('[ASK2] [ASK5] an approval stays open, and Allow runs the tool, once', async () => {
    const { id, watch } = session('asking');
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([{ requestId: interactionId, status: 'open' }]);
    expect(existsSync(work('made.txt'))).toBe(false);
    expect(await post(id, 'approve', { requestId: interactionId, decision: 'allow' })).toMatchObject({
      status: 200,
    });
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await watch.event('interaction.resolved')).toMatchObject({ delivered: true });
    expect(readFileSync(work('made.txt'), 'utf8')).toBe('made\n');
    expect(said(await oneRun(session('asking')))).toEqual(['I run it.', 'Done.']);
  });

  it('[STORE2] [MSG3] a text goes on where it was, is whole in the end, and what was queued follows once', async () => {
    const { id, watch } = session('telling');
    const { body } = await beckon.api('GET', `/api/sessions/${id}`);
    expect(body.session).toMatchObject({ status: 'running', queueLength: 1 });
    writeFileSync(work('late'), '');
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(said(await oneRun(session('telling')))).toEqual(['I begin, early, late', 'Hello to you, too.']);
    expect(prompts('scripted').filter((text) => text.startsWith('tell early'))).toHaveLength(1);
    expect(prompts('scripted').filter((text) => text === 'hello')).toHaveLength(1);
  });

  it('[SES10] a turn that ended while nobody listened is told to its end', async () => {
    expect(await session('ending').watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(said(await oneRun(session('ending')))).toEqual(['I begin, unheard']);
  });

  it('[SES10] a command that it has us run goes on, and tells the agent its end', async () => {
    writeFileSync(work('ended'), '');
    expect(await session('running').watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const log = await oneRun(session('running'));
    expect(said(log)).toEqual(['{"exitCode":0,"signal":null}']);
    expect(all(log, 'tool.result')).toMatchObject([{ text: 'begun\nand on\n', isError: false }]);
    expect(readFileSync(work('runs'), 'utf8')).toBe('once\n');
    const agents = await agentStatus(dataDir);
    expect(agents.filter(({ sessionId }) => sessionId === session('running').id)).toHaveLength(1);
  });

  it.each([
    ['starting', 'slow', 'hold-initialize'],
    ['opening', 'slower', 'hold-session-new'],
  ])(
    '[SES10] one that was %s is not started twice, and gets its first message',
    async (name, agent, hold) => {
      rmSync(home(agent, hold));
      expect(await session(name).watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
      expect(said(await oneRun(session(name)))).toEqual(['Hello to you, too.']);
      expect(prompts(agent)).toEqual(['hello']);
    },
  );
});

describe('agents of the Agent Client Protocol whose server ends', () => {
  afterEach(end);

  it('[SES6] [SES7] one that is being stopped when its server is killed is stopped by the next', async () => {
    // Walls would end it at once.
    await prepare('--isolation', 'off');
    const { id, watch } = await start('endless', 'stubborn');
    await saying(watch, 'on ');
    const stopping = post(id, 'stop').catch(() => undefined);
    await watch.event('process.closing');
    await beckon.kill9();
    await stopping;
    expect(agentProcesses(dataDir)).not.toEqual([]);
    await serve();
    const again = await watchSession(beckon, id);
    expect(await again.event('process.exited')).toMatchObject({ cause: 'asked' });
    expect(agentProcesses(dataDir)).toEqual([]);
  });

  it('[SES7] [SES10] it goes on with --keep-agents, as does what it has us run, and both end with a server that ends', async () => {
    await prepare('--keep-agents');
    const session = await start('terminal echo $$ > shell.pid; while [ ! -e go ]; do sleep 0.01; done');
    await session.watch.event('tool.called');
    await eventually('the command runs', () => existsSync(work('shell.pid')));
    // By their marks, for what the command runs for a moment comes and goes.
    const marks = () => [...new Set(agentProcesses(dataDir).map(({ marker }) => marker))].sort();
    const before = marks();
    await beckon.stop();
    expect(marks()).toEqual(before);
    await serve();
    writeFileSync(work('go'), '');
    const watch = await watchSession(beckon, session.id);
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(said(await oneRun(session))).toEqual(['{"exitCode":0,"signal":null}']);
    rmSync(work('go'));
    rmSync(work('shell.pid'));
    await post(session.id, 'message', { message: 'terminal echo $$ > shell.pid; sleep 600' });
    await eventually('another command runs', () => existsSync(work('shell.pid')));
    await beckon.stop();
    expect(agentProcesses(dataDir)).toEqual([]);
    expect(readdirSync(join(dataDir, 'run'))).toEqual([]);
  });
});
