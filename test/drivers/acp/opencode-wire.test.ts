import { expect, test } from 'vitest';
import { valueAt } from '../../../src/model/json-pointer.ts';
import { replay } from './recorded-wire.ts';

const opencode = (scene: string) => replay('opencode-1.18', scene);

test('[ASK1] [ASK15] the whole command is stored, though it comes after its call was begun', () => {
  const { asks, calls, results, diagnostics } = opencode('command');
  expect(diagnostics).toEqual([]);
  expect(calls).toMatchObject([
    { name: 'Bash', input: { command: 'echo hello; exit 3', description: 'A command' } },
  ]);
  expect(calls).toHaveLength(1);
  expect(asks).toMatchObject([
    { title: 'Bash: echo hello; exit 3', subject: { kind: 'command', value: 'echo hello; exit 3' } },
  ]);
  expect(results).toMatchObject([{ text: 'hello\n', output: { exitCode: 3 } }]);
});

test('[ASK1] [GRANT6] a file that is created, and one that is edited, is asked with the change', () => {
  const created = opencode('file-created');
  expect(created.asks).toMatchObject([
    { toolName: 'Write', title: 'Write: /work/new.txt', subject: { kind: 'path', value: '/work/new.txt' } },
  ]);
  const [call] = created.calls;
  const [written] = call?.call?.is === 'change' ? call.call.edits : [];
  expect(call?.name).toBe('Write');
  expect(written && valueAt(call?.input, written.after)).toBe('hello\n');

  const edited = opencode('file-edited');
  expect(edited.calls).toMatchObject([
    { name: 'Read', call: { is: 'read', path: '/filePath' } },
    { name: 'Edit', call: { edits: [{ before: '/oldString', after: '/newString' }] } },
  ]);
  expect(edited.results[0]).toMatchObject({ text: 'one\ntwo\nthree' });
  expect(edited.asks).toMatchObject([
    { toolName: 'Edit', title: 'Edit: /work/a.txt', subject: { kind: 'path', value: '/work/a.txt' } },
  ]);
  const [ask] = edited.asks;
  const [change] = ask?.call?.is === 'change' ? ask.call.edits : [];
  expect(change && valueAt(ask?.input, change.after)).toBe('one\n2\nthree\n');
});

test('[TOOL11] a tool of ours is known by its name', () => {
  expect(opencode('own-tool').calls).toMatchObject([{ name: 'mcp__beckon__ask_user' }]);
});

test('its to-do list is told as one', () => {
  const { calls } = opencode('steps');
  expect(calls).toMatchObject([{ name: 'TodoWrite', call: { is: 'todos', todos: [{ state: 'active' }] } }]);
});

test('[SES12] a sub-agent is known to be one', () => {
  const { facts, calls } = opencode('sub-agent');
  expect(calls).toMatchObject([{ startsAgent: true, call: { is: 'agent', task: '/prompt' } }]);
  const tasks = facts.flatMap((fact) =>
    fact.type === 'said' && fact.event.type === 'task.changed' ? [fact.event.status] : [],
  );
  expect(tasks).toEqual(['running', 'completed']);
});
