import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { text, toolUse } from '../real-agents/model-stand-in.ts';
import { question } from '../real-agents/question.ts';
import { ours } from '../real-agents/tool-files.ts';
import { watch } from '../support/watch.ts';
import { capability } from './capabilities.ts';
import { grantAndTurnProofs } from './common-proofs.ts';
import { qwen } from './qwen.ts';
import { roomWith } from './real-agent.ts';

const room = roomWith(qwen);
const name = 'qwen';
const start = (prompt: string, settings: object = {}) =>
  room.start(prompt, { permissionMode: 'default', ...settings });
const shell = (command: string, after: string) =>
  toolUse('run_shell_command', { command, description: 'A command', is_background: false }, [text(after)]);
const allow = (requestId: string, more: object = {}) => ({ requestId, decision: 'allow', ...more });

capability('shown-before-allow', name, async () => {
  room.model.on('make it', [shell('touch made.txt', 'It is there.')]);
  const session = await start('make it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({
    title: 'Bash: touch made.txt',
    input: { command: 'touch made.txt', description: 'A command' },
  });
  expect(await session.watch.event('tool.called')).toMatchObject({ input: { command: 'touch made.txt' } });
  expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  await session.post('approve', allow(interactionId));
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
});

capability('output-and-exit', name, async () => {
  room.model.on('run it', [shell('echo printed; exit 3', 'It failed.')]);
  const session = await start('run it');
  const { interactionId } = await session.nextAsk();
  await session.post('approve', allow(interactionId));
  const result = await session.watch.event('tool.result');
  expect(result).toMatchObject({ text: 'printed', isError: true, output: { exitCode: 3 } });
});

capability('file-created', name, async () => {
  const path = join(room.cwd, 'new.txt');
  room.model.on('write it', [toolUse('write_file', { file_path: path, content: 'one\n' }, [text('Done.')])]);
  const session = await start('write it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'Write', input: { file_path: path, content: 'one\n' } });
  expect(existsSync(path)).toBe(false);
  await session.post('approve', allow(interactionId));
  const result = await session.watch.event('tool.result');
  expect(result).toMatchObject({ text: '', detail: { hunks: [{ lines: ['+one'] }] } });
  expect(await readFile(path, 'utf8')).toBe('one\n');
});

capability('file-edited', name, async () => {
  const path = join(room.cwd, 'a.txt');
  await writeFile(path, 'one\ntwo\nthree\n');
  const edit = { file_path: path, old_string: 'two', new_string: '2' };
  room.model.on('edit it', [
    toolUse('read_file', { file_path: path }, [toolUse('edit', edit, [text('Edited.')])]),
  ]);
  const session = await start('edit it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'Edit', input: edit, subject: { kind: 'path', value: path } });
  await session.post('approve', allow(interactionId));
  const result = await session.watch.event('tool.result', ({ toolCallId }) => toolCallId === ask.toolCallId);
  expect(result.detail.hunks).toMatchObject([{ lines: [' one', '-two', '+2', ' three'] }]);
  expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
});

capability('deny-with-reason', name, async () => {
  room.model.on('make it', [shell('touch denied.txt', 'Well then.')]);
  const session = await start('make it');
  const { interactionId } = await session.nextAsk();
  await session.post('approve', { requestId: interactionId, decision: 'deny', reason: 'Not on a Friday' });
  const told = await room.model.nextRequest(({ prompt }) => prompt?.includes('Not on a Friday') === true);
  expect(told.prompt).toContain('touch denied.txt');
  expect(existsSync(join(session.cwd, 'denied.txt'))).toBe(false);
});

grantAndTurnProofs(name, room, {
  settings: { permissionMode: 'default' },
  run: (command, after) => [shell(command, after)],
});

capability('questions', name, async () => {
  const questions = [question('Which size?', ['Big', 'Small'])];
  room.model.on('ask me', [toolUse('ask_user_question', { questions }, [text('Thank you.')])]);
  const session = await start('ask me');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ kind: 'question', questions });
  const answer = { requestId: interactionId, answers: [{ selected: ['Small'] }] };
  expect(await session.post('answer', answer)).toMatchObject({ status: 200 });
  const [result] = await room.model.nextResults('ask_user_question');
  expect(result?.text).toContain('Small');
});

capability('plans', name, async () => {
  room.model.on('plan it', [toolUse('exit_plan_mode', { plan: '# Plan' }, [text('On it.')])]);
  const session = await start('plan it', { permissionMode: 'plan' });
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ plan: '# Plan', requiresPerson: true });
  expect(ask.ways?.map(({ id }: { id: string }) => id)).toEqual([
    'restore_previous',
    'proceed_always',
    'proceed_once',
  ]);
  expect(await session.post('approve', allow(interactionId))).toMatchObject({ status: 422 });
  const chosen = await session.post('approve', allow(interactionId, { way: 'proceed_always' }));
  expect(chosen).toMatchObject({ status: 200 });
  await session.watch.event('mode.changed', ({ permissionMode }) => permissionMode === 'auto-edit');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
});

/** It learns of tools beside its first turn: the model tries until it has this one. */
const askUser = (attempt = 1): ReturnType<typeof toolUse> =>
  toolUse(ours('ask_user'), { question: `Which colour? (${attempt})` }, (result) =>
    result.text.includes('not found in registry') ? [askUser(attempt + 1)] : [text('Thank you.')],
  );

for (const what of ['own-tools', 'ask-user'] as const)
  capability(what, name, async () => {
    await watch(room.beckon);
    room.model.on('hello', [text('Hello.')]).on('ask me', [askUser()]);
    const session = await start('hello');
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'ask me' });
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
    await session.post('respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    const told = await room.model.nextRequest(({ toolResults }) =>
      toolResults.some(({ text: words }) => words.includes('Green')),
    );
    expect(told.toolResults).toMatchObject([{ toolName: ours('ask_user') }]);
  });

capability('modes', name, async () => {
  const session = await start('hello');
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.capabilities.permissionModes).toEqual(['plan', 'default', 'auto-edit', 'auto', 'yolo']);
});

capability('models', name, async () => {
  const session = await start('hello');
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.capabilities.models).toMatchObject([{ label: 'stand-in' }]);
});

capability.cannot('options', name, 'It offers no options but its modes and models.');
capability.cannot('todos', name, 'Its to-do tool is off unless a setting of its own turns it on.');
capability.cannot('steer', name, 'Beckon does not use the way of its own that it has for this.');
capability.cannot('titles', name, 'It finds titles only where a second, fast model is set.');
capability.cannot('context-use', name, 'It does not tell how full its context is.');

capability('usage', name, async () => {
  room.model.on('one', [text('1')]).on('two', [text('2')]);
  const session = await start('one');
  expect(await session.watch.event('turn.ended')).toMatchObject({
    usage: { inputTokens: 11, outputTokens: 7 },
  });
  await session.post('message', { message: 'two' });
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.usage).toMatchObject({ inputTokens: 22, outputTokens: 14 });
});

capability('resume', name, async () => {
  room.model.on('one', [text('The first words.')]).on('which words', [text('Those.')]);
  const session = await start('one');
  await session.watch.event('turn.ended');
  expect(await room.beckon.stop()).toMatchObject({ code: 0 });
  await room.serveAgain();
  await session.post('message', { message: 'which words' });
  const request = await room.model.nextRequest(({ prompt }) => prompt === 'which words');
  expect(JSON.stringify(request.body.messages)).toContain('The first words.');
  const again = await session.seenAnew();
  await again.watch.event('agent.text', ({ text: words }) => words === 'Those.');
  const { body } = await session.get('events?limit=500');
  const said = body.events.filter(({ type }: { type: string }) => type === 'agent.text');
  expect(said.map(({ text: words }: { text: string }) => words)).toEqual(['The first words.', 'Those.']);
});
