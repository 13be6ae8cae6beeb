import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ModelRequest, text, toolUse } from '../real-agents/model-stand-in.ts';
import { capability } from './capabilities.ts';
import { grantAndTurnProofs } from './common-proofs.ts';
import { forgetMinute, gemini, plansFolder } from './gemini.ts';
import { roomWith } from './real-agent.ts';

const room = roomWith(gemini);
const name = 'gemini';
const shell = (command: string, after: string) =>
  toolUse('run_shell_command', { command, description: 'A command' }, [text(after)]);
const allow = (requestId: string, more: object = {}) => ({ requestId, decision: 'allow', ...more });

capability('shown-before-allow', name, async () => {
  room.model.on('make it', [shell('echo made > made.txt', 'It is there.')]);
  const session = await room.start('make it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({
    title: 'Bash: echo made > made.txt',
    input: { command: 'echo made > made.txt', description: 'A command' },
  });
  const called = await session.watch.event('tool.called');
  expect(called.input.command).toBe('echo made > made.txt');
  expect(existsSync(join(session.cwd, 'made.txt'))).toBe(false);
  expect(await session.post('approve', allow(interactionId))).toMatchObject({ status: 200 });
  expect(await session.watch.event('turn.ended')).toMatchObject({
    outcome: 'completed',
    usage: { inputTokens: 22, outputTokens: 14 },
  });
  expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
});

capability.cannot(
  'output-and-exit',
  name,
  'It sends the output of a command only with "tools.shell.enableInteractiveShell": false in its settings, and never the exit code.',
);

capability('file-created', name, async () => {
  const path = join(room.cwd, 'new.txt');
  room.model.on('write it', [
    toolUse('write_file', { file_path: path, content: 'one\ntwo\n' }, [text('Done.')]),
  ]);
  const session = await room.start('write it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'Write', subject: { kind: 'path', value: path } });
  expect(JSON.stringify(ask.input)).toContain('one\\ntwo');
  expect(existsSync(path)).toBe(false);
  await session.post('approve', allow(interactionId));
  await session.watch.event('turn.ended');
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
});

capability('file-edited', name, async () => {
  const path = join(room.cwd, 'a.txt');
  await writeFile(path, 'one\ntwo\nthree\n');
  const edit = { file_path: path, instruction: 'Number', old_string: 'two', new_string: '2' };
  room.model.on('edit it', [toolUse('replace', edit, [text('Edited.')])]);
  const session = await room.start('edit it');
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'Edit', subject: { kind: 'path', value: path } });
  await session.post('approve', allow(interactionId));
  const result = await session.watch.event('tool.result');
  expect(result.detail.hunks).toMatchObject([{ lines: [' one', '-two', '+2', ' three'] }]);
  expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
});

capability('deny-with-reason', name, async () => {
  room.model.on('make it', [shell('touch denied.txt', 'Well then.')]);
  const session = await room.start('make it');
  const { interactionId } = await session.nextAsk();
  await session.post('approve', { requestId: interactionId, decision: 'deny', reason: 'Not on a Friday' });
  const told = await room.model.nextRequest(({ prompt }) => prompt?.includes('Not on a Friday') === true);
  expect(told.prompt).toContain('touch denied.txt');
  await session.watch.event('tool.result', ({ isError }) => isError);
  expect(existsSync(join(session.cwd, 'denied.txt'))).toBe(false);
});

grantAndTurnProofs(name, room, {
  settings: {},
  run: (command, after) => [shell(command, after)],
});

capability.cannot(
  'questions',
  name,
  'It keeps its tool for questions from its model when it is driven over ACP.',
);

capability('plans', name, async () => {
  const writePlan = (request: ModelRequest) => [
    toolUse(
      'write_file',
      { file_path: join(plansFolder(request), 'plan.md'), content: '# Plan\n\nDo it.\n' },
      [toolUse('exit_plan_mode', { plan_filename: 'plan.md' }, [text('On it.')])],
    ),
  ];
  room.model.on('plan it', writePlan);
  const session = await room.start('plan it', { permissionMode: 'plan' });
  const { interactionId, ask } = await session.nextAsk();
  expect(ask).toMatchObject({ toolName: 'ExitPlanMode', plan: '# Plan\n\nDo it.\n', requiresPerson: true });
  await session.post('approve', allow(interactionId, { mode: 'autoEdit' }));
  await session.watch.event('mode.changed', ({ permissionMode }) => permissionMode === 'autoEdit');
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  const { body } = await session.get('events?limit=500');
  expect(JSON.stringify(body.events)).not.toContain('MODE_UPDATE');
});

capability.cannot('steer', name, 'It takes no message before the turn has ended.');

capability('modes', name, async () => {
  const session = await room.start('hello');
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.capabilities.permissionModes).toEqual(['default', 'autoEdit', 'yolo', 'plan']);
});

capability('models', name, async () => {
  const session = await room.start('hello');
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.capabilities.models).toContainEqual({ value: 'auto', label: 'Auto' });
});

capability.cannot('options', name, 'It offers no options but its modes and models.');
capability.cannot('todos', name, 'It tells no more of its list than how long it is.');
capability.cannot('sub-agents', name, 'It tells nothing of what its sub-agents do.');
capability.cannot('titles', name, 'It gives conversations no titles over ACP.');
capability.cannot('context-use', name, 'It does not tell how full its context is.');

capability('usage', name, async () => {
  room.model.on('one', [text('1')]).on('two', [text('2')]);
  const session = await room.start('one');
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
  const session = await room.start('one');
  await session.watch.event('turn.ended');
  expect(await room.beckon.stop()).toMatchObject({ code: 0 });
  forgetMinute(join(room.folder, 'home'));
  await room.serveAgain();
  await session.post('message', { message: 'which words' });
  const request = await room.model.nextRequest(({ prompt }) => prompt === 'which words');
  expect(JSON.stringify(request.body.contents)).toContain('The first words.');
  const again = await session.seenAnew();
  await again.watch.event('agent.text', ({ text: words }) => words === 'Those.');
  const { body } = await session.get('events?limit=500');
  const said = body.events.filter(({ type }: { type: string }) => type === 'agent.text');
  expect(said.map(({ text: words }: { text: string }) => words)).toEqual(['The first words.', 'Those.']);
});
