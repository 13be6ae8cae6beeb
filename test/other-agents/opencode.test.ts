import { join } from 'node:path';
import { expect } from 'vitest';
import { text, toolUse } from '../real-agents/model-stand-in.ts';
import { capability } from './capabilities.ts';
import { commonProofs } from './common-proofs.ts';
import { opencode } from './opencode.ts';
import { roomWith } from './real-agent.ts';

const name = 'opencode';
const room = roomWith(opencode);

commonProofs(name, room, {
  settings: {},
  run: (command, after) => [toolUse('bash', { command, description: 'A command' }, [text(after)])],
  create: (cwd) => [
    toolUse('write', { filePath: join(cwd, 'new.txt'), content: 'hello\n' }, [text('Created.')]),
  ],
  edit: (cwd) => {
    const filePath = join(cwd, 'a.txt');
    const edit = toolUse('edit', { filePath, oldString: 'two', newString: '2' }, [text('Edited.')]);
    return [toolUse('read', { filePath }, [edit])];
  },
  askUser: (question) => [toolUse('beckon_ask_user', { question }, [text('Thank you.')])],
});

capability('todos', name, async () => {
  const todos = [{ content: 'Look', status: 'in_progress', priority: 'high' }];
  room.model.on('list it', [toolUse('todowrite', { todos }, [text('Listed.')])]);
  const session = await room.start('list it');
  const called = await session.watch.event('tool.called');
  expect(called).toMatchObject({ name: 'TodoWrite', call: { is: 'todos', todos: [{ state: 'active' }] } });
});

capability('sub-agents', name, async () => {
  const task = { description: 'Look', prompt: 'Look around', subagent_type: 'general' };
  room.model
    .on('delegate', [toolUse('task', task, [text('Delegated.')])])
    .on('Look around', [text('All well.')]);
  const session = await room.start('delegate');
  const called = await session.watch.event('tool.called');
  expect(called).toMatchObject({ startsAgent: true, call: { is: 'agent', task: '/prompt' } });
  const task2 = await session.watch.event('task.changed', ({ status }) => status === 'completed');
  expect(task2.toolCallId).toBe(called.toolCallId);
});

capability('models', name, async () => {
  const session = await room.start('hello', { model: 'standin/other' });
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session).toMatchObject({ model: 'standin/other' });
  expect(body.session.capabilities.models).toContainEqual({
    value: 'standin/other',
    label: 'Stand-in/Other',
  });
});

capability('modes', name, async () => {
  const session = await room.start('hello', { permissionMode: 'plan' });
  await session.watch.event('turn.ended');
  const { body } = await session.get();
  expect(body.session.permissionMode).toBe('plan');
  expect(body.session.capabilities.permissionModes).toContain('build');
});

capability.cannot('questions', name, 'It gives its model no tool for questions over ACP.');
capability.cannot('plans', name, 'It does not ask whether a plan may be left.');
capability.cannot('steer', name, 'It takes no message into a running turn over ACP.');
capability.cannot('options', name, 'It offers no options but its modes and models.');
capability.cannot('titles', name, 'It gives conversations no titles over ACP.');
