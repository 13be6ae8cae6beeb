import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keeperStatus } from '../../src/drivers/keeper/keeper-admin.ts';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { endWatches, type Watch, watchSession } from '../support/watch.ts';
import { wholeLog } from '../support/whole-log.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { gate, type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const makeFile = toolUse('Bash', { command: 'echo made >> made.txt' }, [text('It is there.')]);

describe.each(claudePrograms())('Claude Code $version outlives its server', (program) => {
  let folder: string;
  let model: ModelStandIn;
  let beckon: Beckon;

  const serve = (dataDir?: string, ...args: string[]): Promise<Beckon> =>
    startBeckon({
      ...(dataDir === undefined ? {} : { dataDir }),
      args: ['--claude', program.path, ...args],
    });

  beforeEach(async () => {
    folder = await temporaryDirectory();
    model = await startModelStandIn();
    beckon = await serve();
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await model.close();
  });

  interface Started {
    readonly id: string;
    readonly cwd: string;
    readonly watch: Watch;
  }

  async function start(prompt: string): Promise<Started> {
    const cwd = join(folder, 'work');
    const home = join(folder, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(home, { recursive: true });
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const session = { agent: 'claude', cwd, env, prompt };
    const { status, body } = await beckon.api('POST', '/api/sessions', session);
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.session.id, cwd, watch: await watchSession(beckon, body.session.id) };
  }

  /** The same session, on the server that runs now. */
  const seenAnew = async (session: Started): Promise<Started> => ({
    ...session,
    watch: await watchSession(beckon, session.id),
  });

  async function killAndStart(session: Started): Promise<Started> {
    await beckon.kill9();
    beckon = await serve(beckon.dataDir);
    return seenAnew(session);
  }

  const post = (session: Started, path: string, body: object = {}) =>
    beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);

  const nextAsk = ({ watch }: Started): Promise<EventOf<'interaction.requested'>> =>
    watch.event('interaction.requested');

  const ofType = async (session: Started, type: string) =>
    (await wholeLog(beckon, session.id)).filter((event) => event.type === type);

  /** One process, from the first to the last event. */
  async function expectOneRun(session: Started): Promise<void> {
    expect(await ofType(session, 'process.starting')).toHaveLength(1);
    expect(await ofType(session, 'process.exited')).toEqual([]);
    const log = await wholeLog(beckon, session.id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  }

  it('[ASK2] [ASK5] an approval stays open over kill -9, and Allow runs the tool, once', async () => {
    model.on('make a file', [makeFile]);
    const before = await start('make a file');
    const { interactionId } = await nextAsk(before);
    const session = await killAndStart(before);

    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([
      { requestId: interactionId, input: { command: 'echo made >> made.txt' }, status: 'open' },
    ]);
    expect((await beckon.api('GET', `/api/sessions/${session.id}`)).body.session).toMatchObject({
      status: 'waiting',
      waitingOn: 'you',
    });
    const reply = await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await readFile(join(session.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ delivered: true });
    expect(model.requests.filter(({ prompt }) => prompt === 'make a file')).toHaveLength(1);
    await expectOneRun(session);
  });

  it('[ASK2] [ASK9] a question stays open over kill -9, and its answer reaches the model', async () => {
    const options = ['Postgres', 'SQLite'].map((label) => ({ label, description: `About ${label}` }));
    const questions = [{ question: 'Which DB?', header: 'DB', multiSelect: false, options }];
    model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const before = await start('ask me');
    const { interactionId } = await nextAsk(before);
    const session = await killAndStart(before);

    const answers = [{ selected: ['SQLite'] }];
    expect(await post(session, 'answer', { requestId: interactionId, answers })).toMatchObject({
      status: 200,
    });
    const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(request.toolResults[0]?.text).toContain('"Which DB?"="SQLite"');
    await session.watch.event('turn.ended');
    await expectOneRun(session);
  });

  it('[PEER5] [ASK2] two asks at once are answered in reverse order after kill -9, each with its own answer', async () => {
    model.on('fetch both', [
      toolUse('WebFetch', { url: 'http://one.test/', prompt: 'read' }),
      toolUse('WebFetch', { url: 'http://two.test/', prompt: 'read' }),
    ]);
    model.afterTool('WebFetch', [text('Read.')]);
    const before = await start('fetch both');
    const first = await nextAsk(before);
    const second = await nextAsk(before);
    const session = await killAndStart(before);

    await post(session, 'deny', { requestId: second.interactionId, reason: 'not the second' });
    await post(session, 'deny', { requestId: first.interactionId, reason: 'not the first' });
    const { toolResults } = await model.nextRequest((request) => request.toolResults.length === 2);
    const resultOf = ({ ask }: typeof first) => toolResults.find((one) => one.toolUseId === ask.toolCallId);
    expect(resultOf(first)?.text).toContain('not the first');
    expect(resultOf(second)?.text).toContain('not the second');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await expectOneRun(session);
  });

  it('[STORE2] [MSG3] killed in the middle of a text: it is complete, nothing is there twice, and what was queued follows', async () => {
    const [early, late] = [gate(), gate()];
    const pieces = ['I begin', early.opened, ', I go on', late.opened, ', and I end.'];
    model.on('tell me', [text(...pieces)]);
    model.on('and then', [text('That was all.')]);
    const before = await start('tell me');
    await before.watch.until(
      'the first words',
      ({ event, data }) => event === 'delta' && data.text.includes('I begin'),
    );
    expect(await post(before, 'message', { message: 'and then' })).toMatchObject({ status: 202 });
    await beckon.kill9();
    early.open();
    beckon = await serve(beckon.dataDir);
    const session = await seenAnew(before);
    expect((await beckon.api('GET', `/api/sessions/${session.id}/queue`)).body.queue).toMatchObject([
      { message: 'and then', position: 1 },
    ]);
    late.open();

    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await session.watch.event('message.taken', (event) => event.text === 'and then');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const said = (await ofType(session, 'agent.text')).map((event) => 'text' in event && event.text);
    expect(said).toEqual(['I begin, I go on, and I end.', 'That was all.']);
    for (const prompt of ['tell me', 'and then']) {
      expect(model.requests.filter((request) => request.prompt === prompt)).toHaveLength(1);
    }
    await expectOneRun(session);
  });

  it('[SES10] an agent that ended its turn while nobody listened: the next server tells of it', async () => {
    const held = gate();
    model.on('tell me', [text('I begin', held.opened, ' and I end.')]);
    const before = await start('tell me');
    const request = await model.nextRequest(({ prompt }) => prompt === 'tell me');
    await beckon.kill9();
    held.open();
    expect(await request.ended).toBe('complete');
    beckon = await serve(beckon.dataDir);
    const session = await seenAnew(before);
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const said = (await ofType(session, 'agent.text')).map((event) => 'text' in event && event.text);
    expect(said).toEqual(['I begin and I end.']);
    await expectOneRun(session);
  });

  it('[SES7] SIGTERM ends server, agent and keeper within 10 s, also while it asks', async () => {
    model.on('make a file', [makeFile]);
    const session = await start('make a file');
    await nextAsk(session);
    expect(agentProcesses(beckon.dataDir)).not.toEqual([]);
    const began = performance.now();
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(agentProcesses(beckon.dataDir)).toEqual([]);
    expect(await keeperStatus(beckon.dataDir)).toBeUndefined();
  });

  it('[SES7] [ASK2] with --keep-agents SIGTERM ends the server alone', async () => {
    await beckon.stop();
    beckon = await serve(beckon.dataDir, '--keep-agents');
    model.on('make a file', [makeFile]);
    const before = await start('make a file');
    const { interactionId } = await nextAsk(before);
    const agents = agentProcesses(beckon.dataDir);
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
    expect(agentProcesses(beckon.dataDir)).toEqual(agents);
    beckon = await serve(beckon.dataDir);
    const session = await seenAnew(before);
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await readFile(join(session.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    await expectOneRun(session);
  });

  it('[ASK5] [SES3] when the keeper is killed, what was open is lost in words, and the next message resumes the conversation', async () => {
    model.on('remember the word plum', [text('I will.')]);
    model.on('make a file', [makeFile]);
    model.on('which word', [text('Plum.')]);
    const session = await start('remember the word plum');
    await session.watch.event('turn.ended');
    await post(session, 'message', { message: 'make a file' });
    const { interactionId } = await nextAsk(session);
    const keeper = await keeperStatus(beckon.dataDir);
    process.kill(keeper?.pid ?? 0, 'SIGKILL');

    expect(await session.watch.event('interaction.resolved')).toMatchObject({
      interactionId,
      outcome: 'lost',
      reason: expect.stringContaining('keeper'),
    });
    await session.watch.event('process.exited');
    expect((await beckon.api('GET', `/api/sessions/${session.id}`)).body.session.status).toBe('asleep');
    expect(agentProcesses(beckon.dataDir)).toEqual([]);
    expect(await post(session, 'message', { message: 'which word' })).toMatchObject({ status: 202 });
    const request = await model.nextRequest((one) => one.prompt === 'which word');
    expect(JSON.stringify(request.body.messages)).toContain('remember the word plum');
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });
});
