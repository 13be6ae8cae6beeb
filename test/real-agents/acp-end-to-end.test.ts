import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, type Watch, watch, watchSession } from '../support/watch.ts';
import { acpClaude } from './acp-claude.ts';
import { claudeEnvironment } from './claude-program.ts';
import { gate, type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

let folder: string;
let model: ModelStandIn;
let beckon: Beckon;
let config: string;

beforeEach(async () => {
  folder = await temporaryDirectory();
  model = await startModelStandIn();
  const { name, label, command, args, env } = acpClaude();
  config = join(folder, 'config.json');
  await writeFile(
    config,
    JSON.stringify({ agents: { [name]: { driver: 'acp', label, command, args, env } } }),
  );
  beckon = await startBeckon({ args: ['--config', config] });
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
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
  const env = claudeEnvironment({ baseUrl: model.url, home });
  const session = { agent: 'claude-acp', cwd, env, prompt, ...more };
  const { status, body } = await beckon.api('POST', '/api/sessions', session);
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.session.id, cwd, watch: await watchSession(beckon, body.session.id) };
}

const post = (session: Started, path: string, body: object = {}) =>
  beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);

const nextAsk = ({ watch }: Started): Promise<EventOf<'interaction.requested'>> =>
  watch.event('interaction.requested');

it('[ASK5] [SES13] an edit is shown as a diff, waits for Allow, and is then made', async () => {
  const path = join(folder, 'work', 'a.txt');
  model.on('edit it', [
    toolUse('Read', { file_path: path }, [
      toolUse('Edit', { file_path: path, old_string: 'two', new_string: '2' }, [text('Edited.')]),
    ]),
  ]);
  const session = await start('edit it');
  const { interactionId, ask } = await nextAsk(session);
  expect(ask).toMatchObject({
    toolName: 'Edit',
    input: { file_path: path, old_string: 'two', new_string: '2' },
    subject: { kind: 'path', value: path },
  });
  expect(await readFile(path, 'utf8')).toContain('two');
  const reply = await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
  expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
  const result = await session.watch.event('tool.result', ({ toolCallId }) => toolCallId === ask.toolCallId);
  expect(result.detail.structuredPatch).toMatchObject([{ lines: [' one', '-two', '+2', ' three'] }]);
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
  const { body } = await beckon.api('GET', `/api/sessions/${session.id}`);
  expect(body.session).toMatchObject({
    status: 'idle',
    capabilities: { steer: false, editInput: false, denyReason: false },
  });
});

it('[ASK3] [GRANT1] an input cannot be edited, and a grant answers the same command by itself', async () => {
  model.on('one', [toolUse('Bash', { command: 'touch granted.txt' }, [text('1')])]);
  model.on('two', [toolUse('Bash', { command: 'touch granted.txt' }, [text('2')])]);
  const session = await start('one');
  const { interactionId } = await nextAsk(session);
  const approval = { requestId: interactionId, decision: 'allow' };
  const edited = await post(session, 'approve', {
    ...approval,
    updatedInput: { command: 'touch other.txt' },
  });
  expect(edited).toMatchObject({ status: 422, body: { error: { details: { field: 'updatedInput' } } } });
  expect(await post(session, 'approve', { ...approval, scope: 'session' })).toMatchObject({ status: 200 });
  await session.watch.event('turn.ended');
  expect(existsSync(join(session.cwd, 'granted.txt'))).toBe(true);
  await post(session, 'message', { message: 'two' });
  await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('[ASK9] [ASK10] steps are listed, questions are asked as such, and a plan goes to a person', async () => {
  const todos = [{ content: 'Look', status: 'in_progress', activeForm: 'Looking' }];
  const options = ['Big', 'Small'].map((label) => ({ label, description: `About ${label}` }));
  const questions = [{ question: 'Which size?', header: 'Size', options, multiSelect: false }];
  model.on('plan it', [
    toolUse('TodoWrite', { todos }, [
      toolUse('AskUserQuestion', { questions }, [
        toolUse('ExitPlanMode', { plan: '# Plan' }, [text('On it.')]),
      ]),
    ]),
  ]);
  const session = await start('plan it', { permissionMode: 'plan' });
  const listed = await session.watch.event('tool.called', ({ name }) => name === 'TodoWrite');
  expect(listed.input.todos).toEqual([{ content: 'Looking', status: 'in_progress' }]);
  const asked = await nextAsk(session);
  expect(asked.ask).toMatchObject({ kind: 'question', questions });
  const answer = { requestId: asked.interactionId, answers: [{ selected: ['Small'] }] };
  expect(await post(session, 'answer', answer)).toMatchObject({ status: 200 });
  const { interactionId, ask } = await nextAsk(session);
  expect(ask).toMatchObject({ toolName: 'ExitPlanMode', plan: '# Plan', requiresPerson: true });
  const approval = { requestId: interactionId, decision: 'allow', mode: 'acceptEdits' };
  expect(await post(session, 'approve', approval)).toMatchObject({ status: 200 });
  await session.watch.event('mode.changed', (event) => event.permissionMode === 'acceptEdits');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('[SES5] [SES10] [MSG1] a turn is interrupted, steering becomes waiting, and the next server goes on with the context', async () => {
  const held = gate();
  model.on('begin', [text('I begin', held.opened, ' and go on')]);
  model.on('and then', [text('And then.')]);
  model.on('which word', [text('Begin.')]);
  const session = await start('begin');
  await session.watch.until(
    'the first words',
    ({ event, data }) => event === 'delta' && data.text.includes('I begin'),
  );
  const steered = await post(session, 'message', { message: 'and then', disposition: 'steer' });
  expect(steered).toMatchObject({ status: 202, body: { status: 'queued', applied: 'queue' } });
  expect(await post(session, 'interrupt')).toMatchObject({ status: 200 });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  held.open();
  const { dataDir } = beckon;
  expect(await beckon.stop()).toMatchObject({ code: 0 });

  beckon = await startBeckon({ dataDir, args: ['--config', config] });
  expect(await post(session, 'message', { message: 'which word' })).toMatchObject({ status: 202 });
  const request = await model.nextRequest((one) => one.prompt === 'which word');
  expect(JSON.stringify(request.body.messages)).toContain('And then.');
  const again = await watchSession(beckon, session.id);
  await again.event('turn.ended', ({ turnId }) => turnId !== undefined);
  const { body } = await beckon.api('GET', `/api/sessions/${session.id}/events?limit=500`);
  const said = body.events.filter(({ type }: { type: string }) => type === 'agent.text');
  expect(said.filter(({ text: words }: { text: string }) => words === 'And then.')).toHaveLength(1);
});

it('[TOOL11] [TOOL12] it reaches the interactive tools, and is not asked whether it may ask', async () => {
  await watch(beckon);
  model.on('ask me', [toolUse('mcp__beckon__ask_user', { question: 'Which colour?' }, [text('Thank you.')])]);
  const session = await start('ask me');
  const { interactionId, ask } = await nextAsk(session);
  expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
  const answer = { interactionId, action: 'submit', input: { answer: 'Green' } };
  expect(await post(session, 'respond', answer)).toMatchObject({ status: 200 });
  const request = await model.nextRequest(({ toolResults }) => toolResults.length > 0);
  expect(request.toolResults[0]?.text).toContain('Green');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});
