import { describe, expect, test } from 'vitest';
import { RequestError, wordsOf } from '../../../src/drivers/acp/json-rpc.ts';
import { elicitationAsk, elicitationReply } from '../../../src/drivers/acp/translate/elicitation.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { objectAt } from '../../../src/drivers/fields.ts';
import { nameToAgents } from '../../../src/drivers/tool-server.ts';
import { valueAt } from '../../../src/model/json-pointer.ts';
import { linesOf, replay } from './recorded-wire.ts';

describe.each(['codex-2.6', 'zed-codex-0.16'])('what %s printed', (agent) => {
  test('[ASK1] [ASK15] a command is asked as it is, and what it printed and how it ended is told', () => {
    const { asks, calls, results, diagnostics } = replay(agent, 'command');
    expect(diagnostics).toEqual([]);
    expect(asks).toMatchObject([
      {
        toolName: 'Bash',
        title: 'Bash: echo hello; exit 3',
        subject: { kind: 'command', value: 'echo hello; exit 3' },
      },
    ]);
    const [ask] = asks;
    expect(ask?.call?.is === 'command' && valueAt(ask.input, ask.call.command)).toBe('echo hello; exit 3');
    expect(calls).toHaveLength(1);
    expect(calls).toMatchObject([{ name: 'Bash', toolCallId: ask?.toolCallId, call: { is: 'command' } }]);
    expect(results).toMatchObject([{ isError: true, text: 'hello\n', output: { exitCode: 3 } }]);
  });

  test('[GRANT6] the same command asked twice is held against the same words, whatever ids and times stand beside it', () => {
    const { asks } = replay(agent, 'command-twice');
    const subject = { kind: 'command', value: 'touch made.txt' };
    expect(asks.map((ask) => ask.subject)).toEqual([subject, subject]);
    // What is shown is all that was told.
    if (agent.startsWith('zed')) expect(asks[0]?.input).toMatchObject({ call_id: expect.any(String) });
  });

  test('[ASK1] [GRANT6] a file that is created, and one that is edited, is asked with the change', () => {
    const created = replay(agent, 'file-created');
    expect(created.asks).toMatchObject([
      { toolName: 'Write', title: 'Write: /work/new.txt', subject: { kind: 'path', value: '/work/new.txt' } },
    ]);
    expect(created.calls).toMatchObject([{ name: 'Write' }]);
    const edited = replay(agent, 'file-edited');
    expect(edited.asks).toMatchObject([
      { toolName: 'Edit', title: 'Edit: /work/a.txt', subject: { kind: 'path', value: '/work/a.txt' } },
    ]);
    const [ask] = edited.asks;
    const edit = ask?.call?.is === 'change' ? ask.call.edits[0] : undefined;
    expect(edit && valueAt(ask?.input, edit.after)).toBe('one\n2\nthree\n');
    expect(edited.results).toMatchObject([
      { output: { patch: '/hunks', changed: { added: 1, removed: 1 } } },
    ]);
  });

  test('[TOOL11] a tool of ours is known by its name, its input is what it is given, and its result is its words', () => {
    const { calledNames, asks, calls, results } = replay(agent, 'own-tool');
    expect(calledNames).toEqual([nameToAgents('ask_user')]);
    expect(asks).toMatchObject([{ toolName: 'mcp__beckon__ask_user', input: { question: 'Which?' } }]);
    expect(asks[0]?.requiresPerson).toBeUndefined();
    expect(calls).toMatchObject([{ name: 'mcp__beckon__ask_user', input: { question: 'Which?' } }]);
    expect(results).toMatchObject([{ isError: false, text: 'Green' }]);
  });

  test('[ASK8] a denial ends the turn', () => {
    const { facts, results } = replay(agent, 'denied');
    expect(facts.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'interrupted' });
    expect(results.every(({ isError }) => isError)).toBe(true);
  });

  test('[SES13] modes and models have names', () => {
    const { settings } = replay(agent, 'command');
    expect(settings.mode?.options[0]).toMatchObject({ value: 'read-only', label: /Read.only/i });
    expect(settings.model?.options.length).toBeGreaterThan(1);
  });
});

test('[ASK15] a command of which Codex tells no more than that it lists files keeps its title and its output', () => {
  const { calls, results } = replay('codex-2.6', 'listing');
  expect(calls).toMatchObject([
    {
      name: 'exec_command',
      input: { told: { title: 'List files' } },
      call: { is: 'fields', title: '/told/title' },
    },
  ]);
  expect(results).toMatchObject([{ isError: false, text: 'a.txt\n', output: { exitCode: 0 } }]);
});

test('the steps of a plan are told', () => {
  const { calls } = replay('zed-codex-0.16', 'steps');
  expect(calls).toMatchObject([{ name: 'TodoWrite', call: { todos: [{ state: 'active' }] } }]);
});

test('[PEER6] the words of a refusal are those of the agent, where its message says nothing', () => {
  const refused = linesOf('zed-codex-0.16', 'model-error').find((line) => 'error' in line) ?? {};
  const { code, message, data } = objectAt(refused, 'error') ?? {};
  expect(wordsOf(new RequestError(Number(code), String(message), data))).toContain('told to fail');
  expect(wordsOf(new RequestError(-1, 'Internal error', 'the key is missing'))).toBe(
    'Internal error: the key is missing',
  );
  expect(wordsOf(new RequestError(-1, 'Internal error', { details: 'the key is missing' }))).toBe(
    'Internal error: the key is missing',
  );
});

test('[ASK9] [ASK10] the questions of Codex are asked as questions, and words of one’s own are its note', () => {
  const { params = {} } =
    linesOf('codex-2.6', 'question').find(({ method }) => method === 'elicitation/create') ?? {};
  const memory = newMemory({
    ...{ cwd: '/work', prefix: 'p1', permissionMode: null, model: null },
    outputOf: () => undefined,
  });
  const ask = elicitationAsk(memory, 'r1', params as object as Record<string, unknown>);
  expect(ask).toMatchObject({
    kind: 'question',
    questions: [
      {
        question: 'Which size?',
        header: 'Size',
        options: [{ label: 'Big' }, { label: 'Small' }],
        multiSelect: false,
      },
    ],
  });
  expect(ask.questions?.[0]?.options).toHaveLength(2);
  const content = (selected: string[], other?: string) =>
    elicitationReply(ask, { type: 'answer', answers: [{ selected, ...(other && { other }) }] });
  expect(content(['Small'])).toEqual({ action: 'accept', content: { size: 'Small' } });
  expect(content([], 'Tiny')).toEqual({
    action: 'accept',
    content: { size: 'None of the above', size_note: 'Tiny' },
  });
});
