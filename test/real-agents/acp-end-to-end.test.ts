import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watch } from '../support/watch.ts';
import { acpClaudeConfig } from './acp-claude.ts';
import { gate, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import { freshRoom } from './room.ts';
import { ours } from './tool-files.ts';

const room = freshRoom({
  agent: 'claude-acp',
  server: async (folder) => ({ args: ['--config', await acpClaudeConfig(folder)] }),
});

it('[ASK5] [SES13] an edit is shown as a diff, waits for Allow, and is then made', async () => {
  const path = join(room.cwd, 'a.txt');
  await writeFile(path, 'one\ntwo\nthree\n');
  room.model.on('edit it', [
    toolUse('Read', { file_path: path }, [
      toolUse('Edit', { file_path: path, old_string: 'two', new_string: '2' }, [text('Edited.')]),
    ]),
  ]);
  const session = await room.start('edit it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({
    toolName: 'Edit',
    input: { file_path: path, old_string: 'two', new_string: '2' },
    subject: { kind: 'path', value: path },
  });
  expect(await readFile(path, 'utf8')).toContain('two');
  const reply = await session.post('approve', { requestId: interactionId, decision: 'allow' });
  expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
  const result = await session.watch.event('tool.result', ({ toolCallId }) => toolCallId === ask.toolCallId);
  expect(result.detail.structuredPatch).toMatchObject([{ lines: [' one', '-two', '+2', ' three'] }]);
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
  const { body } = await session.get();
  expect(body.session).toMatchObject({
    status: 'idle',
    capabilities: { steer: true, editInput: false, denyReason: false },
  });
});

it('[ASK3] [GRANT1] an input cannot be edited, and a grant answers the same command by itself', async () => {
  room.model.on('one', [toolUse('Bash', { command: 'touch granted.txt' }, [text('1')])]);
  room.model.on('two', [toolUse('Bash', { command: 'touch granted.txt' }, [text('2')])]);
  const session = await room.start('one');
  const { interactionId } = await session.nextAsk();
  const approval = { requestId: interactionId, decision: 'allow' };
  const edited = await session.post('approve', {
    ...approval,
    updatedInput: { command: 'touch other.txt' },
  });
  expect(edited).toMatchObject({ status: 422, body: { error: { details: { field: 'updatedInput' } } } });
  expect(await session.post('approve', { ...approval, scope: 'session' })).toMatchObject({ status: 200 });
  await session.watch.event('turn.ended');
  expect(existsSync(join(session.cwd, 'granted.txt'))).toBe(true);
  await session.post('message', { message: 'two' });
  await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('[ASK9] [ASK10] steps are listed, questions are asked as such, and a plan goes to a person', async () => {
  const todos = [{ content: 'Look', status: 'in_progress', activeForm: 'Looking' }];
  const questions = [question('Which size?', ['Big', 'Small'])];
  room.model.on('plan it', [
    toolUse('TodoWrite', { todos }, [
      toolUse('AskUserQuestion', { questions }, [
        toolUse('ExitPlanMode', { plan: '# Plan' }, [text('On it.')]),
      ]),
    ]),
  ]);
  const session = await room.start('plan it', { permissionMode: 'plan' });
  const listed = await session.watch.event('tool.called', ({ name }) => name === 'TodoWrite');
  expect(listed.input.todos).toEqual([{ content: 'Looking', status: 'in_progress' }]);
  const asked = await session.nextAsk();
  expect(asked.ask).toMatchObject({ kind: 'question', questions });
  const answer = { requestId: asked.interactionId, answers: [{ selected: ['Small'] }] };
  expect(await session.post('answer', answer)).toMatchObject({ status: 200 });
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'ExitPlanMode', plan: '# Plan', requiresPerson: true });
  const approval = { requestId: interactionId, decision: 'allow', mode: 'acceptEdits' };
  expect(await session.post('approve', approval)).toMatchObject({ status: 200 });
  await session.watch.event('mode.changed', (event) => event.permissionMode === 'acceptEdits');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('[SES5] [SES10] [MSG1] a turn is interrupted, what it was given on its way follows, and the next server goes on with the context', async () => {
  const held = gate();
  room.model.on('begin', [text('I begin', held.opened, ' and go on')]);
  room.model.on('and then', [text('And then.')]);
  room.model.on('which word', [text('Begin.')]);
  const session = await room.start('begin');
  await session.saying('I begin');
  const steered = await session.post('message', { message: 'and then', disposition: 'steer' });
  expect(steered).toMatchObject({ status: 200, body: { applied: 'steer' } });
  expect(await session.post('interrupt')).toMatchObject({ status: 200 });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  held.open();
  expect(await room.beckon.stop()).toMatchObject({ code: 0 });

  await room.serveAgain();
  expect(await session.post('message', { message: 'which word' })).toMatchObject({ status: 202 });
  const request = await room.model.nextRequest((one) => one.prompt === 'which word');
  expect(JSON.stringify(request.body.messages)).toContain('And then.');
  const again = await session.seenAnew();
  await again.watch.event('agent.text', ({ text: words }) => words === 'Begin.');
  const { body } = await session.get('events?limit=500');
  const said = body.events.filter(({ type }: { type: string }) => type === 'agent.text');
  expect(said.filter(({ text: words }: { text: string }) => words === 'And then.')).toHaveLength(1);
});

it('[TOOL11] [TOOL12] it reaches the interactive tools, and is not asked whether it may ask', async () => {
  await watch(room.beckon);
  room.model.on('ask me', [toolUse(ours('ask_user'), { question: 'Which colour?' }, [text('Thank you.')])]);
  const session = await room.start('ask me');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
  const answer = { interactionId, action: 'submit', input: { answer: 'Green' } };
  expect(await session.post('respond', answer)).toMatchObject({ status: 200 });
  const request = await room.model.nextRequest(({ toolResults }) => toolResults.length > 0);
  expect(request.toolResults[0]?.text).toContain('Green');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});
