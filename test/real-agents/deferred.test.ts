import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, type Watch, watchSession } from '../support/watch.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const questions = [
  {
    question: 'Which database?',
    header: 'Database',
    multiSelect: false,
    options: [
      { label: 'Postgres', description: 'A server' },
      { label: 'SQLite', description: 'A file' },
    ],
  },
];

describe.each(claudePrograms())('a question that waits for long, with Claude Code $version', (program) => {
  let folder: string;
  let model: ModelStandIn;
  let beckon: Beckon;

  beforeEach(async () => {
    folder = await temporaryDirectory();
    model = await startModelStandIn();
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ deferAsksMinutes: 0.001 }));
    beckon = await startBeckon({ args: ['--claude', program.path, '--config', config] });
    model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('As you wish.')])]);
    model.on('and then', [text('Then this.')]);
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await model.close();
  });

  async function askAndSleep(): Promise<{ id: string; watch: Watch; requestId: string }> {
    const cwd = join(folder, 'work');
    const home = join(folder, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(home, { recursive: true });
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const { body } = await beckon.api('POST', '/api/sessions', {
      agent: 'claude',
      cwd,
      env,
      prompt: 'ask me',
    });
    const { id } = body.session;
    const watch = await watchSession(beckon, id);
    const { interactionId } = await watch.event('interaction.requested');
    await watch.event('interaction.deferred');
    expect(await watch.event('turn.ended')).toMatchObject({ outcome: 'suspended' });
    expect(await watch.event('process.exited')).toMatchObject({ cause: 'asked', crashed: false });
    return { id, watch, requestId: interactionId };
  }

  const answer = (id: string, requestId: string) =>
    beckon.api('POST', `/api/sessions/${id}/answer`, { requestId, answers: [{ selected: ['SQLite'] }] });

  const resultsSeen = async () => {
    const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
    return request.toolResults.filter(({ toolName }) => toolName === 'AskUserQuestion');
  };

  it('[ASK5] [SES11] the agent sleeps, the question stays, and its answer wakes the agent and reaches that very call', async () => {
    const { id, watch, requestId } = await askAndSleep();
    const { body } = await beckon.api('GET', `/api/sessions/${id}`);
    expect(body.session).toMatchObject({ status: 'waiting', waitingOn: 'you', pendingCount: 1 });
    const open = await beckon.api('GET', `/api/sessions/${id}/pending`);
    expect(open.body.pending).toMatchObject([
      { requestId, deferred: true, questions: [{ question: 'Which database?' }] },
    ]);

    expect(await answer(id, requestId)).toMatchObject({ status: 200 });
    expect(await watch.event('process.starting', ({ cause }) => cause === 'answer')).toMatchObject({
      resume: expect.any(String),
    });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    expect(await watch.event('interaction.resolved')).toMatchObject({
      interactionId: requestId,
      outcome: 'answered',
      delivered: true,
    });
    await watch.event('turn.ended', ({ outcome }) => outcome === 'completed');
    const page = await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`);
    const types = page.body.events.map((event: { type: string }) => event.type);
    expect(types.filter((type: string) => type === 'interaction.requested')).toHaveLength(1);
    expect(types.filter((type: string) => type === 'tool.result')).toHaveLength(1);
  });

  it('[MSG4] a message wakes it without answering: the question is open again, and the message waits for its turn', async () => {
    const { id, watch, requestId } = await askAndSleep();
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'and then' });
    await watch.event('interaction.raised');
    const { body } = await beckon.api('GET', `/api/sessions/${id}/queue`);
    expect(body.queue).toMatchObject([{ message: 'and then', sending: false }]);

    expect(await answer(id, requestId)).toMatchObject({ status: 200 });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    await watch.event('message.taken', ({ text: words }) => words === 'and then');
    await watch.event('agent.text', ({ text: words }) => words === 'Then this.');
  });

  it('[ASK2] it survives the end of the server, too', async () => {
    const { id, requestId } = await askAndSleep();
    endWatches();
    await beckon.kill9();
    beckon = await startBeckon({ dataDir: beckon.dataDir, args: ['--claude', program.path] });
    const watch = await watchSession(beckon, id);
    expect(await answer(id, requestId)).toMatchObject({ status: 200 });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    await watch.event('interaction.resolved', ({ delivered }) => delivered);
  });
});
