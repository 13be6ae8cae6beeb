import { expect, test } from 'vitest';
import { replyTo } from '../../../src/drivers/acp/reply.ts';
import { permissionAsk } from '../../../src/drivers/acp/translate/ask.ts';
import { type Memory, newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { noteDenied } from '../../../src/drivers/acp/translate/tool-call.ts';
import { translateReply } from '../../../src/drivers/acp/translate/turn-end.ts';
import { translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { vendorOf } from '../../../src/drivers/acp/translate/vendors.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';

// As Gemini CLI 0.61 and Qwen Code 0.24 send it.
const of = (agentName: string): Memory => ({
  ...newMemory({ cwd: '/work', prefix: 'p', permissionMode: null, model: null, outputOf: () => undefined }),
  agentName,
});
const options = [
  { optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
];
const said = (facts: readonly AgentFact[]) =>
  facts.flatMap((fact) => (fact.type === 'said' ? [fact.event] : []));
const words = (text: string) => ({ type: 'content', content: { type: 'text', text } });
const asked = (memory: Memory, toolCall: object) =>
  permissionAsk(memory, 'r1', { options, toolCall: { status: 'pending', locations: [], ...toolCall } }).ask;

test.each([
  ['[current working directory /work] (list)', { command: 'ls', description: 'list' }, 'command'],
  ['[current working directory /work]', { command: 'ls' }, 'command'],
  ['[in ../other] (list)', { command: 'ls', description: 'list', directory: '../other' }, 'input'],
  [
    '[current working directory /work] (x) [background]',
    { command: 'ls', description: 'x', is_background: true },
    'input',
  ],
  ['[current working directory /work] (list [all])', { command: 'ls', description: 'list [all]' }, 'command'],
  ['[in sub] (see [x] y)', { command: 'ls', description: 'see [x] y', directory: 'sub' }, 'input'],
  // Of these nobody can tell what is the directory: they are shown as they are.
  ...[
    '[in sub] (a] (b)',
    '[in a]b] (list)',
    '[in sub] list',
    '[in sub',
    'in sub',
    '[in sub] (list) [soon]',
  ].map((about) => [about, { command: 'ls', details: about }, 'input'] as const),
] as const)(
  '[ACP2] Gemini CLI: a command is its title, and where it runs is said: %s',
  (about, input, kind) => {
    const toolCall = {
      toolCallId: 'run_shell_command__1',
      title: 'ls',
      kind: 'execute',
      content: [words(about)],
    };
    const ask = asked(of('gemini-cli'), toolCall);
    expect(ask).toMatchObject({ toolName: 'Bash', subject: { kind } });
    expect(ask.input).toEqual(input);
  },
);

test('[ACP2] Gemini CLI: what was denied ends with the turn, for it does not say that it is over', () => {
  const memory = of('gemini-cli');
  const ask = asked(memory, { toolCallId: 'run_shell_command__1', title: 'ls', kind: 'execute' });
  noteDenied(memory, ask.toolCallId);
  const quota = { token_count: { input_tokens: 22, output_tokens: 14 } };
  const ended = translateReply(memory, { stopReason: 'end_turn', _meta: { quota } }, 1);
  expect(said(ended)).toMatchObject([{ type: 'tool.result', toolCallId: ask.toolCallId, isError: true }]);
  expect(ended.at(-1)).toMatchObject({ usage: { inputTokens: 22, outputTokens: 14 } });
});

test('[ACP2] Gemini CLI: a plan is the file that its ask names', () => {
  const memory = of('gemini-cli');
  const path = '/home/.gemini/tmp/work/s/plans/plan.md';
  const diff = { type: 'diff', path, oldText: '', newText: '# Plan\n', _meta: { kind: 'add' } };
  const write = { toolCallId: 'write_file__1', title: 'Writing', kind: 'edit', content: [diff] };
  translateUpdate(memory, { sessionUpdate: 'tool_call', status: 'completed', ...write });
  const title = `Requesting plan approval for: ${path}`;
  const ask = asked(memory, { toolCallId: 'exit_plan_mode__2', title, kind: 'other', content: [] });
  expect(ask).toMatchObject({ toolName: 'ExitPlanMode', plan: '# Plan\n', requiresPerson: true });
});

test('[ACP2] Gemini CLI: a change of mode is none of its words, and its words are no change of mode', () => {
  const { restate } = vendorOf('gemini-cli');
  const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  expect(restate?.(chunk('[MODE_UPDATE] plan'))).toMatchObject({ currentModeId: 'plan' });
  for (const text of ['[MODE_UPDATE] is what it sends', 'x [MODE_UPDATE] plan'])
    expect(restate?.(chunk(text))).toEqual(chunk(text));
});

test('[ACP2] Qwen Code: its questions are questions, and the answers are in the reply', () => {
  const questions = [
    {
      question: 'Which?',
      header: 'H',
      options: [{ label: 'A', description: 'a' }, { label: 'B' }],
      multiSelect: true,
    },
    { question: 'Why?', options: [{ label: 'C' }] },
  ];
  const _meta = {
    toolName: 'ask_user_question',
    qwenInteractionKind: 'user_question',
    qwenQuestions: questions,
  };
  const toolCall = {
    toolCallId: 'c',
    title: 'Ask user 2 questions',
    kind: 'think',
    rawInput: { questions },
    _meta,
  };
  const ask = asked(of('qwen-code'), toolCall);
  expect(ask).toMatchObject({
    kind: 'question',
    requiresPerson: true,
    questions: [{ multiSelect: true }, { multiSelect: false }],
  });
  const answers = [{ selected: ['A', 'B'], other: 'and C' }, { selected: ['C'] }];
  const outcome = { outcome: 'selected', optionId: 'proceed_once' };
  expect(replyTo(ask, { type: 'answer', answers }).reply).toEqual({
    outcome,
    answers: { 0: 'A, B, and C', 1: 'C' },
  });
  const dismissed = replyTo(ask, { type: 'dismiss', message: '' }).reply;
  expect(dismissed).toEqual({ outcome: { outcome: 'selected', optionId: 'cancel' } });
});

test('[ACP2] Qwen Code: its tools are known, output and exit are told, tokens are counted over the turn', () => {
  const memory = of('qwen-code');
  const _meta = { toolName: 'run_shell_command' };
  const rawInput = { command: 'exit 3', is_background: false };
  const ask = asked(memory, { toolCallId: 'c', title: 'exit 3', kind: 'execute', rawInput, _meta });
  expect(ask).toMatchObject({ toolName: 'Bash', input: { command: 'exit 3' }, subject: { kind: 'command' } });
  const usage = { inputTokens: 11, outputTokens: 7, cachedReadTokens: 2 };
  const counted = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: '' },
    _meta: { usage },
  };
  translateUpdate(memory, counted);
  const rawOutput = { type: 'shell_result', output: 'hi', exitCode: 3 };
  const over = {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'failed',
    content: [words('Command: …')],
    rawOutput,
  };
  expect(said(translateUpdate(memory, over))).toMatchObject([
    { isError: true, text: 'hi', output: { exitCode: 3 } },
  ]);
  translateUpdate(memory, counted);
  const total = { inputTokens: 22, outputTokens: 14, cacheReadTokens: 4 };
  expect(translateReply(memory, { stopReason: 'end_turn' }, 1).at(-1)).toMatchObject({ usage: total });
  expect(translateReply(memory, { stopReason: 'end_turn' }, 1).at(-1)).not.toHaveProperty('usage');
});
