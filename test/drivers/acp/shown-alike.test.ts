import { expect, test } from 'vitest';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { toolLine } from '../../../src/web/conversation/tool-call.logic.ts';
import { detailOf } from '../../../src/web/conversation/tool-detail.logic.ts';

/** What the page makes of a call that an agent told by these updates. */
function shown(...updates: object[]) {
  const start = { cwd: '/work', prefix: 'p', permissionMode: null, model: null, outputOf: () => undefined };
  const memory = newMemory(start);
  const facts = updates.flatMap((update) => translateUpdate(memory, { toolCallId: 'c', ...update }));
  const said = facts.flatMap((fact) => (fact.type === 'said' ? [fact.event] : []));
  const called = said.find((event) => event.type === 'tool.called');
  const result = said.find((event) => event.type === 'tool.result');
  if (!called) throw new Error('No call was told');
  const { name, input, call, startsAgent, toolCallId } = called;
  const at = '2026-01-01T00:00:00.000Z';
  const item = {
    kind: 'tool' as const,
    key: 'k',
    seq: 1,
    at,
    toolCallId,
    name,
    input,
    call,
    startsAgent,
    liveInput: null,
    result: result ? { ...result, at } : null,
    task: null,
    interactionId: null,
  };
  return { line: toolLine(item, '/work'), detail: detailOf(item) };
}

const call = (fields: object) => ({ sessionUpdate: 'tool_call', status: 'completed', ...fields });

test('[UI3] a command of any agent is shown with what it printed', () => {
  const { line, detail } = shown(
    call({
      kind: 'execute',
      name: 'run_shell_command',
      title: 'ls',
      rawInput: { command: 'ls' },
      rawOutput: 'a.txt',
    }),
  );
  expect(line).toMatchObject({ verb: 'command', subject: 'ls', state: 'done' });
  expect(detail).toEqual({ is: 'command', command: 'ls', output: 'a.txt' });
});

test('[UI3] a change of any agent is shown as a diff, before it is made and after', () => {
  const content = [{ type: 'diff', path: '/work/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' }];
  for (const status of ['in_progress', 'completed']) {
    const { line, detail } = shown(call({ kind: 'edit', status, title: 'Edit', content }));
    expect(line).toMatchObject({ verb: 'edit', subject: 'a.txt' });
    if (detail.is !== 'change') throw new Error(`It is shown as ${detail.is}`);
    const changed = detail.hunks.flat().filter(({ sign }) => sign !== ' ');
    expect(changed.map(({ sign, text }) => `${sign}${text}`)).toEqual(['-two', '+2']);
  }
});

test('[UI3] a new file of any agent is shown with its lines', () => {
  const content = [{ type: 'diff', path: '/work/new.txt', newText: 'one\ntwo\n' }];
  const { line, detail } = shown(call({ kind: 'edit', title: 'Write', content }));
  expect(line).toMatchObject({ verb: 'write', subject: 'new.txt', change: { added: 2, removed: 0 } });
  expect(detail).toMatchObject({ is: 'change', path: '/work/new.txt' });
});

test('[UI3] a list of steps of any agent is shown as one', () => {
  const entries = [
    { content: 'Look', status: 'completed', priority: 'high' },
    { content: 'Act', status: 'in_progress', priority: 'low' },
  ];
  const { detail } = shown({ sessionUpdate: 'plan', entries });
  expect(detail).toEqual({
    is: 'todos',
    todos: [
      { state: 'done', text: 'Look' },
      { state: 'active', text: 'Act' },
    ],
  });
});

test('[UI3] a plan, a page and a sub-agent are shown as what they are', () => {
  const plan = shown(call({ kind: 'switch_mode', name: 'ExitPlanMode', rawInput: { plan: '# Plan' } }));
  expect(plan.detail).toMatchObject({ is: 'plan', text: '# Plan' });
  const page = shown(call({ kind: 'fetch', rawInput: { url: 'https://example.org' }, rawOutput: 'Words' }));
  expect(page.detail).toEqual({ is: 'page', url: 'https://example.org', output: 'Words' });
  const agent = shown(
    call({ kind: 'think', name: 'Task', rawInput: { description: 'Look', prompt: 'Look around' } }),
  );
  expect(agent.detail).toEqual({ is: 'agent', task: 'Look around' });
});
