import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goesOnInTheNextServer, stopEndsItsCommand } from './behaviours.ts';
import { claudePrograms } from './claude-program.ts';
import { gate, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import { freshRoom } from './room.ts';

describe.each(claudePrograms())('Beckon with Claude Code $version', (program) => {
  const room = freshRoom({ server: () => ({ args: ['--claude', program.path] }) });

  it('[ASK5] [STORE3] a tool runs only after Allow, and the file is there', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const session = await room.start('make a file');
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ toolName: 'Bash', input: { command: 'touch made.txt' } });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);

    const reply = await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { status: 'ok', interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ delivered: true });
    const { body } = await session.get(`interactions/${interactionId}`);
    expect(body.interaction.deliveredAt).toBeTypeOf('string');

    expect(await session.raw()).toContain('"subtype":"can_use_tool"');
  });

  it('[ASK8] the reason of a denial reaches the model', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Understood.')])]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    await session.post('deny', { requestId: interactionId, reason: 'Files are made on Mondays.' });

    const [result] = await room.model.nextResults('Bash');
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain('Files are made on Mondays.');
    await session.watch.event('turn.ended');
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });

  it('[ASK6] [ASK8] an edited input is what runs', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch wrong.txt' }, [text('Done.')])]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    const reply = await session.post('approve', {
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
    room.model.on('fetch both', [
      toolUse('WebFetch', { url: 'http://one.test/', prompt: 'read' }),
      toolUse('WebFetch', { url: 'http://two.test/', prompt: 'read' }),
    ]);
    room.model.afterTool('WebFetch', [text('Read.')]);
    const session = await room.start('fetch both');
    const first = await session.nextAsk();
    const second = await session.nextAsk();
    await session.post('deny', { requestId: second.interactionId, reason: 'not the second' });
    await session.post('deny', { requestId: first.interactionId, reason: 'not the first' });

    const results = await room.model.nextResults('WebFetch');
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
    room.model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const session = await room.start('ask me');
    const { interactionId } = await session.nextAsk();
    const { body } = await session.get('pending');
    expect(body.pending).toMatchObject([
      { kind: 'question', questions: [{ question: 'Which DB?' }, { multiSelect: true }] },
    ]);
    expect(await session.post('answer', { requestId: interactionId, answers })).toMatchObject({
      status: 200,
    });

    const [result] = await room.model.nextResults('AskUserQuestion');
    expect(result?.isError).toBe(false);
    expect(result?.text).toContain(`"Which DB?"=${first}`);
    expect(result?.text).toContain(`"What else?"=${second}`);
  });

  it('[SES12] what a sub-agent asks is answered, and shown under the call that started it', async () => {
    room.model.on('delegate', [
      toolUse('Agent', { description: 'Look', prompt: 'look around', subagent_type: 'general-purpose' }, [
        text('Delegated.'),
      ]),
    ]);
    room.model.on('look around', [toolUse('Bash', { command: 'touch by-sub-agent.txt' }, [text('Looked.')])]);
    const session = await room.start('delegate');
    const called = await session.watch.event('tool.called', (event) => event.name === 'Agent');
    const { interactionId } = await session.nextAsk();
    const { body } = await session.get(`interactions/${interactionId}`);
    expect(body.interaction).toMatchObject({
      parentToolCallId: called.toolCallId,
      agentId: expect.any(String),
    });
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    await session.watch.event('task.changed', (event) => event.status === 'completed');
    expect(existsSync(join(session.cwd, 'by-sub-agent.txt'))).toBe(true);
  });

  it('[SES5] [MSG1] [MSG3] an interrupt redirects, with the context intact, and a queued message follows the aborted turn', async () => {
    const held = gate();
    room.model.on('begin', [text('I begin', held.opened, ' and go on')]);
    room.model.on('do this instead', [text('Something else.')]);
    room.model.on('and then', [text('And then.')]);
    const session = await room.start('begin');
    await session.saying('I begin');
    const queued = await session.post('message', { message: 'and then' });
    expect(queued).toMatchObject({ status: 202, body: { status: 'queued', position: 1, applied: 'queue' } });
    const redirected = await session.post('message', {
      message: 'do this instead',
      disposition: 'interrupt',
    });
    expect(redirected).toMatchObject({ status: 202, body: { applied: 'interrupt', position: 1 } });

    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    const next = await room.model.nextRequest((request) => request.prompt === 'do this instead');
    expect(JSON.stringify(next.body.messages)).toContain('I begin');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await room.model.nextRequest((request) => request.prompt === 'and then');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    held.open();
    const { body } = await session.get();
    expect(body.session).toMatchObject({ status: 'idle', queueLength: 0 });
  });

  it('[MSG1] [MSG4] a steered message goes into the running turn and leaves an open ask alone', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Made.')])]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    const steered = await session.post('message', { message: 'name it well', disposition: 'steer' });
    expect(steered).toMatchObject({ status: 200, body: { status: 'sent', applied: 'steer' } });
    expect((await room.beckon.api('GET', '/api/pending')).body.pending).toHaveLength(1);
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    const request = await room.model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(JSON.stringify(request.body.messages)).toContain('name it well');
    await session.watch.event('turn.ended');
    await session.watch.event('message.taken', (event) => event.text === 'name it well');
  });

  it('[GRANT1] [GRANT3] a grant for `git status*` covers `git status …`, and not `git status; rm x`', async () => {
    // The program runs a plain `git status` unasked; with a flag it does not know it asks.
    room.model.on('one', [toolUse('Bash', { command: 'git status --unheard-of' }, [text('1')])]);
    room.model.on('two', [toolUse('Bash', { command: 'git status --unheard-of --twice' }, [text('2')])]);
    room.model.on('three', [toolUse('Bash', { command: 'git status; rm x' }, [text('3')])]);
    const session = await room.start('one');
    await writeFile(join(session.cwd, 'x'), 'precious');
    const first = await session.nextAsk();
    await session.post('approve', {
      requestId: first.interactionId,
      decision: 'allow',
      scope: 'session',
      pattern: 'git status*',
    });
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'three' });
    const third = await session.watch.event('interaction.requested', (event) =>
      event.ask.input.command.includes('rm x'),
    );
    const { body } = await session.get('pending');
    expect(body.pending).toMatchObject([{ interactionId: third.interactionId, status: 'open' }]);
    expect(await readFile(join(session.cwd, 'x'), 'utf8')).toBe('precious');
  });

  it('[GRANT1] an exact grant answers the same call by itself, and its use is recorded', async () => {
    room.model.on('one', [toolUse('Bash', { command: 'touch granted.txt' }, [text('1')])]);
    room.model.on('two', [toolUse('Bash', { command: 'touch granted.txt' }, [text('2')])]);
    const session = await room.start('one');
    const { interactionId } = await session.nextAsk();
    await session.post('approve', { requestId: interactionId, decision: 'allow', scope: 'session' });
    await session.watch.event('turn.ended');
    const { body } = await room.beckon.api('GET', '/api/grants');
    expect(body.grants).toMatchObject([{ toolName: 'Bash', pattern: 'touch granted.txt', scope: 'session' }]);

    await session.post('message', { message: 'two' });
    const used = await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(used).toMatchObject({ outcome: 'allowed', by: { grantId: body.grants[0].id } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[ASK8] [ASK10] a plan goes to a person and is approved with the mode to go on in', async () => {
    room.model.on('plan it', [toolUse('ExitPlanMode', {}, [text('Going on.')])]);
    const session = await room.start('plan it', { permissionMode: 'plan' });
    const { interactionId } = await session.nextAsk();
    const reply = await session.post('approve', {
      requestId: interactionId,
      decision: 'allow',
      mode: 'acceptEdits',
    });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    await session.watch.event('mode.changed', (event) => event.permissionMode === 'acceptEdits');
    await session.watch.event('turn.ended');
    const { body } = await session.get();
    expect(body.session.permissionMode).toBe('acceptEdits');
  });

  it('[SES3] [SES10] a session of a stopped server goes on in the next one, with its context', () =>
    goesOnInTheNextServer(room));

  it('[ASK5] [SES10] where agents end with the server, an ask whose server was killed is lost, in words, and the session goes on', async () => {
    await room.beckon.stop();
    await room.serveAgain('--ephemeral');
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('Made.')])]);
    room.model.on('go on', [text('On we go.')]);
    const session = await room.start('make a file');
    const { interactionId } = await session.nextAsk();
    await room.beckon.kill9();

    await room.serveAgain('--ephemeral');
    const late = await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(late).toMatchObject({
      status: 410,
      body: { error: { code: 'interaction_gone', details: { outcome: 'lost' } } },
    });
    expect(await session.post('message', { message: 'go on' })).toMatchObject({ status: 202 });
    const again = await session.seenAnew();
    await again.watch.event('turn.ended', (event) => event.outcome === 'completed');
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  });

  it('[SES6] stop ends the agent and its running command', () => stopEndsItsCommand(room));
});
