import { describe, expect, test } from 'vitest';
import { replyTo } from '../../../src/drivers/acp/reply.ts';
import { optionsIn } from '../../../src/drivers/acp/settings.ts';
import { permissionAsk } from '../../../src/drivers/acp/translate/ask.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { valueAt } from '../../../src/model/json-pointer.ts';
import { linesOf, replay } from './recorded-wire.ts';

/** What an edit or a new file is shown with: the words before and after. */
function changeShown({ call, input }: { call?: unknown; input: unknown }) {
  const { edits = [] } = call as { edits?: { before?: string; after: string }[] };
  return edits.map(({ before, after }) => [before && valueAt(input, before), valueAt(input, after)]);
}

const runs = 'echo hello; touch made.txt';

describe.each([
  ['copilot-1.0', 'Copilot'],
  ['kimi-2.1', 'Kimi'],
  ['cline-3.0', 'Cline'],
])('the recorded lines of %s', (agent) => {
  test('[ASK1] [ASK21] the exact command is asked about, stored and held against grants', () => {
    const { asks, calls, results, diagnostics } = replay(agent, 'command');
    expect(diagnostics).toEqual([]);
    expect(calls).toMatchObject([{ name: 'Bash', input: { command: runs } }]);
    expect(calls).toHaveLength(1);
    expect(asks).toMatchObject([
      { title: `Bash: ${runs}`, input: { command: runs }, subject: { kind: 'command', value: runs } },
    ]);
    expect(results).toMatchObject([{ isError: false, text: 'hello\n' }]);
    expect(results).toHaveLength(1);
  });

  test('[ASK1] what was denied is told once, in words', () => {
    const { calls, results } = replay(agent, 'denied');
    expect(calls).toHaveLength(1);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ isError: true, text: expect.stringMatching(/rejected/) });
    expect(results[0]?.text).not.toMatch(/^[{[]/);
  });

  test('[ASK15] a file is shown with its change before it is written', () => {
    const created = replay(agent, 'file-created');
    expect(created.asks).toMatchObject([{ subject: { kind: 'path', value: '/work/new.txt' } }]);
    expect(created.asks.flatMap(changeShown).map(([before, after]) => [before || '', after])).toEqual([
      ['', 'hello\n'],
    ]);
    expect(created.results[0]?.text).not.toMatch(/^[{[]/);
    const edited = replay(agent, 'file-edited');
    expect(edited.asks).toMatchObject([
      { toolName: 'Edit', subject: { kind: 'path', value: '/work/a.txt' } },
    ]);
    expect(edited.asks.flatMap(changeShown)).toEqual([['two', '2']]);
  });
});

test.each(['copilot-1.0', 'kimi-2.1'])('[TOOL11] %s: a tool of ours is known by its name', (agent) => {
  const { calledNames, calls } = replay(agent, 'own-tool');
  expect(calledNames).toEqual(['mcp__beckon__ask_user']);
  expect(calls).toMatchObject([{ name: 'mcp__beckon__ask_user', input: { question: 'Which?' } }]);
});

test('[ASK9] Kimi: a question is asked as one, and takes one of its answers and no other words', () => {
  const [ask] = replay('kimi-2.1', 'question').asks;
  if (ask === undefined) throw new Error('nothing was asked');
  expect(ask).toMatchObject({
    kind: 'question',
    requiresPerson: true,
    questions: [{ question: 'Which?', options: [{ label: 'Green' }, { label: 'Blue' }], multiSelect: false }],
  });
  const answered = (answer: { selected: string[]; other?: string }) => ({
    type: 'answer' as const,
    answers: [answer],
  });
  expect(replyTo(ask, answered({ selected: ['Blue'] })).reply).toEqual({
    outcome: { outcome: 'selected', optionId: 'q0_opt_1' },
  });
  const skip = { outcome: { outcome: 'selected', optionId: 'q0_skip' } };
  const own = replyTo(ask, answered({ selected: [], other: 'Red' }));
  expect(own.reply).toEqual(skip);
  expect(own.facts).toMatchObject([{ event: { type: 'agent.notice', code: 'answer-not-taken' } }]);
  expect(replyTo(ask, { type: 'dismiss', message: '' }).reply).toEqual(skip);
});

test('Copilot: how a command ended is told apart from what it printed', () => {
  expect(replay('copilot-1.0', 'command').results).toMatchObject([{ output: { exitCode: 0 } }]);
});

test('pi: a command that it ran is told with what it printed and how it ended', () => {
  const { calls, results, diagnostics } = replay('pi-0.0.34', 'command');
  expect(diagnostics).toEqual([]);
  expect(calls).toMatchObject([{ name: 'Bash', input: { told: { command: runs } } }]);
  expect(results).toMatchObject([{ isError: false, text: 'hello\n', output: { exitCode: 0 } }]);
  expect(replay('pi-0.0.34', 'failed').results).toMatchObject([
    { isError: true, text: 'hello\n', output: { exitCode: 3 } },
  ]);
  const [edited] = replay('pi-0.0.34', 'file-edited').results;
  expect(edited?.detail).toMatchObject({ hunks: [{ lines: [' one', '-two', '+2', ' three'] }] });
});

test('Cline: several commands in one call are all shown, and none is made of them', () => {
  const { asks, results } = replay('cline-3.0', 'two-commands');
  expect(asks).toMatchObject([{ input: { commands: ['echo one', 'echo two'] }, call: { is: 'fields' } }]);
  expect(results).toMatchObject([{ text: 'one\ntwo\n' }]);
});

test('Kimi: its to-do list is told as one', () => {
  const { calls } = replay('kimi-2.1', 'steps');
  expect(calls.filter(({ call }) => call?.is === 'todos')).toHaveLength(1);
});

test('[SES1] the title that an agent finds is told, and how full its context is', () => {
  for (const agent of ['copilot-1.0', 'kimi-2.1']) {
    expect(replay(agent, 'command').facts).toContainEqual({ type: 'titled', title: 'go' });
  }
  const ends = replay('copilot-1.0', 'command').facts.filter(({ type }) => type === 'turn-ended');
  expect(ends).toMatchObject([{ context: { used: 8749, size: 128_000 } }]);
});

test('Copilot: tokens that it counts over all turns are counted once', () => {
  const ends = replay('copilot-1.0', 'two-turns').facts.filter(({ type }) => type === 'turn-ended');
  const tokens = { inputTokens: 11, outputTokens: 7 };
  expect(ends).toMatchObject([{ usage: tokens }, { usage: tokens }]);
});

test('[SES13] modes and models go by the names that agents have for them, and all other options are offered', () => {
  const namesOf = (choice: { options: { label: string }[] } | undefined) =>
    choice?.options.map(({ label }) => label);
  const copilot = replay('copilot-1.0', 'command').settings;
  expect(namesOf(copilot.mode)).toEqual(['Agent', 'Plan', 'Autopilot']);
  expect(copilot.options.map(({ id }) => id)).toEqual(['allow_all']);
  const cline = replay('cline-3.0', 'command').settings;
  expect(cline.model?.configId).toBe('model');
  expect(cline.options.map(({ id }) => id)).toEqual(['provider', 'auto_approve']);
  const pi = replay('pi-0.0.34', 'command').settings;
  expect(pi.mode).toBeUndefined();
  expect(pi.options.map(({ id }) => id)).toEqual(['thought_level']);
  expect(namesOf(replay('kimi-2.1', 'command').settings.mode)).toEqual(['Default', 'Plan', 'Auto', 'YOLO']);
});

test('[SES13] an option with which an agent asks less says so', () => {
  const lessOf = (agent: string) =>
    (
      optionsIn(
        linesOf(agent, 'command')
          .map(({ result }) => result as object)
          .find(isOpened) ?? {},
      ) ?? []
    )
      .filter(({ asksLess }) => asksLess !== undefined)
      .map(({ id, asksLess }) => [id, asksLess]);
  const isOpened = (result: object | undefined) => result !== undefined && 'configOptions' in result;
  expect(lessOf('copilot-1.0')).toEqual([['allow_all', ['on']]]);
  expect(lessOf('cline-3.0')).toEqual([['auto_approve', ['true']]]);
  expect(lessOf('pi-0.0.34')).toEqual([]);
});

describe('[ASK21] what has no input', () => {
  const begin = (agentName: string) => ({
    ...newMemory({ cwd: '/work', prefix: 'p', permissionMode: null, model: null, outputOf: () => undefined }),
    agentName,
  });
  const words = (text: string) => [{ type: 'content', content: { type: 'text', text } }];
  const ask = (memory: ReturnType<typeof begin>, toolCall: object) =>
    permissionAsk(memory, 'r', { options: [{ optionId: 'a', kind: 'allow_once', name: 'Allow' }], toolCall })
      .ask;

  test('is asked about in the words of the ask, and no command is made of them', () => {
    const asked = ask(begin('Some agent'), {
      toolCallId: 't1',
      title: 'Bash',
      kind: 'execute',
      content: words('Requesting approval to Running: touch one.txt'),
    });
    expect(asked).toMatchObject({
      title: 'Bash: Requesting approval to Running: touch one.txt',
      input: { told: { words: 'Requesting approval to Running: touch one.txt' } },
      call: { is: 'fields' },
      subject: { kind: 'input', literal: true },
    });
    expect(JSON.stringify(asked)).not.toContain('"command":');
  });

  test('Kimi: half of an input that is still being written is not taken for it', () => {
    const memory = begin('Kimi Code CLI');
    const call = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Bash', kind: 'execute' };
    translateUpdate(memory, { ...call, status: 'pending', content: words('{"command":"rm -rf') });
    const asked = ask(memory, {
      toolCallId: 't1',
      title: 'Bash',
      content: words('Requesting approval to Running: rm -rf build'),
    });
    expect(asked.input).toEqual({ told: { words: 'Requesting approval to Running: rm -rf build' } });
  });

  test('Kimi: where the words of the ask do not name the command, they are shown beside it and no grant answers', () => {
    const memory = begin('Kimi Code CLI');
    const call = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Bash', kind: 'execute' };
    translateUpdate(memory, { ...call, status: 'pending', content: words('{"command":"ls"}') });
    const asked = ask(memory, {
      toolCallId: 't1',
      title: 'Bash',
      content: words('Requesting approval to Running: rm -rf build'),
    });
    expect(asked).toMatchObject({
      input: { command: 'ls' },
      reason: 'The agent says: Requesting approval to Running: rm -rf build',
      requiresPerson: true,
    });
  });
});

describe('[ASK22] tools that are called like ours', () => {
  const called = (agentName: string, begun: object, asked: object) => {
    const memory = {
      ...newMemory({
        cwd: '/work',
        prefix: 'p',
        permissionMode: null,
        model: null,
        outputOf: () => undefined,
      }),
      agentName,
    };
    const call = { toolCallId: 't1', kind: 'other', ...begun };
    translateUpdate(memory, { sessionUpdate: 'tool_call', status: 'pending', rawInput: { a: 1 }, ...call });
    const toolCall = { ...call, ...asked };
    return permissionAsk(memory, 'r', { options: [], toolCall }).calledName;
  };

  test('[TOOL11] of Copilot are not taken for ours', () => {
    const ours = 'mcp__beckon__ask_user';
    expect(called('Copilot', { title: 'beckon-ask_user' }, { title: 'ask_user' })).toBe(ours);
    // Another server, a command that the model describes so, and a call of which the ask says something else.
    expect(called('Copilot', { title: 'beckon-evil-ask_user' }, { title: 'ask_user' })).not.toBe(ours);
    expect(called('Copilot', { title: 'x-beckon-ask_user' }, { title: 'beckon-ask_user' })).not.toBe(ours);
    expect(called('Copilot', { title: 'beckon-ask_user' }, { title: 'beckon-ask_user' })).not.toBe(ours);
    const command = { title: 'beckon-ask_user', kind: 'execute', rawInput: { command: 'rm -rf /' } };
    expect(called('Copilot', command, { title: 'ask_user' })).not.toBe(ours);
  });

  test('[TOOL11] of Kimi are not taken for ours', () => {
    const ours = 'mcp__beckon__ask_user';
    expect(called('Kimi Code CLI', { title: ours }, {})).toBe(ours);
    expect(called('Kimi Code CLI', { title: 'mcp__beckon2__ask_user' }, {})).not.toBe(ours);
    expect(called('Kimi Code CLI', { title: ours, kind: 'execute' }, {})).not.toBe(ours);
    expect(called('Kimi Code CLI', { title: 'Bash' }, { title: ours })).not.toBe(ours);
  });

  test('[TOOL11] of agents that are not known say nothing by their titles', () => {
    expect(called('Another', { title: 'mcp__beckon__ask_user' }, {})).toBeUndefined();
  });
});
