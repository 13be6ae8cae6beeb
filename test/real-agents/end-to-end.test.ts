import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { isRunning } from '../support/running.ts';
import { endWatches, type Watch, watchSession } from '../support/watch.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { gate, type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const question = (words: string, labels: readonly string[], multiSelect = false) => ({
  question: words,
  header: words.slice(0, 12),
  multiSelect,
  options: labels.map((label) => ({ label, description: `About ${label}` })),
});

describe.each(claudePrograms())('Beckon with Claude Code $version', (program) => {
  let folder: string;
  let model: ModelStandIn;
  let beckon: Beckon;

  beforeEach(async () => {
    folder = await temporaryDirectory();
    model = await startModelStandIn();
    beckon = await startBeckon({ args: ['--claude', program.path] });
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

  async function start(prompt: string, more: object = {}): Promise<Started> {
    const cwd = join(folder, 'work');
    const home = join(folder, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(home, { recursive: true });
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const { status, body } = await beckon.api('POST', '/api/sessions', {
      agent: 'claude',
      cwd,
      env,
      prompt,
      ...more,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.session.id, cwd, watch: await watchSession(beckon, body.session.id) };
  }

  const post = (session: Started, path: string, body: object = {}) =>
    beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);

  const nextAsk = async ({ watch }: Started): Promise<EventOf<'interaction.requested'>> =>
    watch.event('interaction.requested');

  /** The result of a tool as the model saw it. */
  const seenByModel = async (tool: string) => {
    const request = await model.nextRequest(({ toolResults }) =>
      toolResults.some((one) => one.toolName === tool),
    );
    return request.toolResults.filter((one) => one.toolName === tool);
  };

  it('[ASK5] [STORE3] a tool runs only after Allow, and the file is there', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const session = await start('make a file');
    const { interactionId, ask } = await nextAsk(session);
    expect(ask).toMatchObject({ toolName: 'Bash', input: { command: 'touch made.txt' } });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);

    const reply = await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { status: 'ok', interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}/interactions/${interactionId}`);
    expect(body.interaction.deliveredAt).toBeTypeOf('string');

    const raw = await fetch(`${beckon.url}/api/sessions/${session.id}/raw`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    expect(await raw.text()).toContain('"subtype":"can_use_tool"');
  });

  it('[ASK8] the reason of a denial reaches the model', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Understood.')])]);
    const session = await start('make a file');
    const { interactionId } = await nextAsk(session);
    await post(session, 'deny', { requestId: interactionId, reason: 'Files are made on Mondays.' });

    const [result] = await seenByModel('Bash');
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain('Files are made on Mondays.');
    await session.watch.event('turn.ended');
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });

  it('[ASK6] [ASK8] an edited input is what runs', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch wrong.txt' }, [text('Done.')])]);
    const session = await start('make a file');
    const { interactionId } = await nextAsk(session);
    const reply = await post(session, 'approve', {
      requestId: interactionId,
      decision: 'allow',
      updatedInput: { command: 'touch right.txt' },
    });
    expect(reply.body.interaction).toMatchObject({
      input: { command: 'touch wrong.txt' },
      decision: { updatedInput: { command: 'touch right.txt' } },
    });
    await session.watch.event('turn.ended');
    expect(existsSync(join(session.cwd, 'right.txt'))).toBe(true);
    expect(existsSync(join(session.cwd, 'wrong.txt'))).toBe(false);
  });

  it('[PEER5] two asks open at once are answered in reverse order, each with its own answer', async () => {
    model.on('fetch both', [
      toolUse('WebFetch', { url: 'http://one.test/', prompt: 'read' }),
      toolUse('WebFetch', { url: 'http://two.test/', prompt: 'read' }),
    ]);
    model.afterTool('WebFetch', [text('Read.')]);
    const session = await start('fetch both');
    const first = await nextAsk(session);
    const second = await nextAsk(session);
    await post(session, 'deny', { requestId: second.interactionId, reason: 'not the second' });
    await post(session, 'deny', { requestId: first.interactionId, reason: 'not the first' });

    const results = await seenByModel('WebFetch');
    const resultOf = (asked: typeof first) =>
      results.find((result) => result.toolUseId === asked.ask.toolCallId);
    expect(resultOf(first)).toMatchObject({ isError: true, text: expect.stringContaining('not the first') });
    expect(resultOf(second)).toMatchObject({
      isError: true,
      text: expect.stringContaining('not the second'),
    });
  });

  it.each([
    ['a list', [{ selected: ['Postgres'] }, { selected: ['Tests', 'Docs'] }], '"Postgres"', '"Tests, Docs"'],
    [
      'a map by question',
      { 'Which DB?': 'Postgres', 'What else?': ['Tests', 'Docs'] },
      '"Postgres"',
      '"Tests, Docs"',
    ],
    [
      'a map by index, with words of my own',
      { 0: 'DuckDB, of course', 1: '["Docs"]' },
      '"DuckDB, of course"',
      '"Docs"',
    ],
  ])('[ASK9] answers given as %s reach the model', async (_, answers, first, second) => {
    const questions = [
      question('Which DB?', ['Postgres', 'SQLite']),
      question('What else?', ['Tests', 'Docs'], true),
    ];
    model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const session = await start('ask me');
    const { interactionId } = await nextAsk(session);
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}/pending`);
    expect(body.pending).toMatchObject([
      { kind: 'question', questions: [{ question: 'Which DB?' }, { multiSelect: true }] },
    ]);
    expect(await post(session, 'answer', { requestId: interactionId, answers })).toMatchObject({
      status: 200,
    });

    const [result] = await seenByModel('AskUserQuestion');
    expect(result?.isError).toBe(false);
    expect(result?.text).toContain(`"Which DB?"=${first}`);
    expect(result?.text).toContain(`"What else?"=${second}`);
  });

  it('[SES12] what a sub-agent asks is answered, and shown under the call that started it', async () => {
    model.on('delegate', [
      toolUse('Agent', { description: 'Look', prompt: 'look around', subagent_type: 'general-purpose' }, [
        text('Delegated.'),
      ]),
    ]);
    model.on('look around', [toolUse('Bash', { command: 'touch by-sub-agent.txt' }, [text('Looked.')])]);
    const session = await start('delegate');
    const called = await session.watch.event('tool.called', (event) => event.name === 'Agent');
    const { interactionId } = await nextAsk(session);
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}/interactions/${interactionId}`);
    expect(body.interaction).toMatchObject({
      parentToolCallId: called.toolCallId,
      agentId: expect.any(String),
    });
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    await session.watch.event('task.changed', (event) => event.status === 'completed');
    expect(existsSync(join(session.cwd, 'by-sub-agent.txt'))).toBe(true);
  });

  it('[SES5] [MSG1] [MSG3] an interrupt redirects, with the context intact, and a queued message follows the aborted turn', async () => {
    const held = gate();
    model.on('begin', [text('I begin', held.opened, ' and go on')]);
    model.on('do this instead', [text('Something else.')]);
    model.on('and then', [text('And then.')]);
    const session = await start('begin');
    await session.watch.until(
      'the first words',
      ({ event, data }) => event === 'delta' && data.text.includes('I begin'),
    );
    const queued = await post(session, 'message', { message: 'and then' });
    expect(queued).toMatchObject({ status: 202, body: { status: 'queued', position: 1, applied: 'queue' } });
    const redirected = await post(session, 'message', {
      message: 'do this instead',
      disposition: 'interrupt',
    });
    expect(redirected).toMatchObject({ status: 202, body: { applied: 'interrupt', position: 1 } });

    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    const next = await model.nextRequest((request) => request.prompt === 'do this instead');
    expect(JSON.stringify(next.body.messages)).toContain('I begin');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await model.nextRequest((request) => request.prompt === 'and then');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    held.open();
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}`);
    expect(body.session).toMatchObject({ status: 'idle', queueLength: 0 });
  });

  it('[MSG1] [MSG4] a steered message goes into the running turn and leaves an open ask alone', async () => {
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Made.')])]);
    const session = await start('make a file');
    const { interactionId } = await nextAsk(session);
    const steered = await post(session, 'message', { message: 'name it well', disposition: 'steer' });
    expect(steered).toMatchObject({ status: 200, body: { status: 'sent', applied: 'steer' } });
    expect((await beckon.api('GET', '/api/pending')).body.pending).toHaveLength(1);
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(JSON.stringify(request.body.messages)).toContain('name it well');
    await session.watch.event('turn.ended');
    await session.watch.event('message.taken', (event) => event.text === 'name it well');
  });

  it('[GRANT1] [GRANT3] a grant for `git status*` covers `git status …`, and not `git status; rm x`', async () => {
    // The program runs a plain `git status` unasked; with a flag it does not know it asks.
    model.on('one', [toolUse('Bash', { command: 'git status --unheard-of' }, [text('1')])]);
    model.on('two', [toolUse('Bash', { command: 'git status --unheard-of --twice' }, [text('2')])]);
    model.on('three', [toolUse('Bash', { command: 'git status; rm x' }, [text('3')])]);
    const session = await start('one');
    await writeFile(join(session.cwd, 'x'), 'precious');
    const first = await nextAsk(session);
    await post(session, 'approve', {
      requestId: first.interactionId,
      decision: 'allow',
      scope: 'session',
      pattern: 'git status*',
    });
    await session.watch.event('turn.ended');
    await post(session, 'message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    await session.watch.event('turn.ended');
    await post(session, 'message', { message: 'three' });
    const third = await session.watch.event('interaction.requested', (event) =>
      event.ask.input.command.includes('rm x'),
    );
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}/pending`);
    expect(body.pending).toMatchObject([{ interactionId: third.interactionId, status: 'open' }]);
    expect(await readFile(join(session.cwd, 'x'), 'utf8')).toBe('precious');
  });

  it('[GRANT1] an exact grant answers the same call by itself, and its use is recorded', async () => {
    model.on('one', [toolUse('Bash', { command: 'touch granted.txt' }, [text('1')])]);
    model.on('two', [toolUse('Bash', { command: 'touch granted.txt' }, [text('2')])]);
    const session = await start('one');
    const { interactionId } = await nextAsk(session);
    await post(session, 'approve', { requestId: interactionId, decision: 'allow', scope: 'session' });
    await session.watch.event('turn.ended');
    const { body } = await beckon.api('GET', '/api/grants');
    expect(body.grants).toMatchObject([{ toolName: 'Bash', pattern: 'touch granted.txt', scope: 'session' }]);

    await post(session, 'message', { message: 'two' });
    const used = await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(used).toMatchObject({ outcome: 'allowed', by: { grantId: body.grants[0].id } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[ASK8] [ASK10] a plan goes to a person and is approved with the mode to go on in', async () => {
    model.on('plan it', [toolUse('ExitPlanMode', {}, [text('Going on.')])]);
    const session = await start('plan it', { permissionMode: 'plan' });
    const { interactionId } = await nextAsk(session);
    const reply = await post(session, 'approve', {
      requestId: interactionId,
      decision: 'allow',
      mode: 'acceptEdits',
    });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    await session.watch.event('turn.ended');
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}`);
    expect(body.session.permissionMode).toBe('acceptEdits');
  });

  it('[SES3] [SES10] a session of a stopped server goes on in the next one, with its context', async () => {
    model.on('remember the word plum', [text('I will.')]);
    model.on('which word', [text('Plum.')]);
    const session = await start('remember the word plum');
    await session.watch.event('turn.ended');
    const { dataDir } = beckon;
    expect(await beckon.stop()).toMatchObject({ code: 0 });

    beckon = await startBeckon({ dataDir, args: ['--claude', program.path] });
    const { body } = await beckon.api('GET', `/api/sessions/${session.id}`);
    expect(body.session.status).toBe('asleep');
    expect(await post(session, 'message', { message: 'which word' })).toMatchObject({ status: 202 });
    const request = await model.nextRequest((one) => one.prompt === 'which word');
    expect(JSON.stringify(request.body.messages)).toContain('remember the word plum');
  });

  it('[ASK5] [SES10] without a keeper, an ask whose server was killed is lost, in words, and the session goes on', async () => {
    const { dataDir } = beckon;
    await beckon.stop();
    const args = ['--claude', program.path, '--ephemeral'];
    beckon = await startBeckon({ dataDir, args });
    model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Made.')])]);
    model.on('go on', [text('On we go.')]);
    const session = await start('make a file');
    const { interactionId } = await nextAsk(session);
    await beckon.kill9();

    beckon = await startBeckon({ dataDir, args });
    const late = await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect(late).toMatchObject({
      status: 410,
      body: { error: { code: 'interaction_gone', details: { outcome: 'lost' } } },
    });
    expect(await post(session, 'message', { message: 'go on' })).toMatchObject({ status: 202 });
    const again = await watchSession(beckon, session.id);
    await again.event('turn.ended', (event) => event.outcome === 'completed');
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });

  it('[SES6] stop ends the agent and its running command', async () => {
    model.on('wait', [
      toolUse('Bash', { command: 'echo $$ > shell.pid; tail -f /dev/null' }, [text('Never.')]),
    ]);
    const session = await start('wait');
    const { interactionId } = await nextAsk(session);
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    const file = join(session.cwd, 'shell.pid');
    await expect
      .poll(() => existsSync(file) && readFile(file, 'utf8'), { timeout: 10_000 })
      .toMatch(/^\d+\n$/);
    const pid = Number(await readFile(file, 'utf8'));
    expect(await post(session, 'stop')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(isRunning(pid)).toBe(false);
  });
});
