import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askOf } from '../../../src/drivers/claude/translate/ask.ts';
import { translate } from '../../../src/drivers/claude/translate/translate.ts';
import { times } from '../../support/seeded-random.ts';
import { expectMessage, freshMemory, play, replay, uuidOfMessage, versions } from './replay.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/claude-wire');

describe.each(versions)('recorded from Claude Code %s', (version) => {
  const scenarios = readdirSync(join(fixtures, version)).map((file) => file.replace('.ndjson', ''));

  test.each(scenarios)('[PEER6] %s: every line is understood', (scenario) => {
    const facts = replay(version, scenario);
    expect(facts.every('diagnostic')).toEqual([]);
    expect(facts.every('turn-ended').length).toBeGreaterThan(0);
    expect(facts.every('turn-started')).toHaveLength(facts.every('turn-ended').length);
    expect(facts.every('message-taken')[0]).toEqual({ type: 'message-taken', messageId: 'message 1' });
  });

  test('plain text: taken, started, said as it was streamed, ended', () => {
    const facts = replay(version, 'plain-text');
    const told = facts.types();
    expect(told.indexOf('message-taken')).toBeLessThan(told.indexOf('turn-started'));
    expect(told.at(-1)).toBe('turn-ended');
    for (const { agentMessageId, block, text } of facts.said('agent.text')) {
      const pieces = facts
        .every('delta')
        .map(({ delta }) => delta)
        .filter(
          (delta) => delta.messageId === agentMessageId && delta.block === block && delta.kind === 'text',
        );
      expect(pieces.map((delta) => delta.text).join('')).toBe(text);
    }
    const [ended] = facts.every('turn-ended');
    expect(ended).toMatchObject({ outcome: 'completed', usage: { inputTokens: 11, outputTokens: 7 } });
    expect(ended?.costUsd).toBeGreaterThan(0);
  });

  test('a command: the ask, the call and the result name each other', () => {
    const facts = replay(version, 'bash-allow');
    const [{ ask } = {}] = facts.every('asked');
    const [call] = facts.said('tool.called');
    const [result] = facts.said('tool.result');
    expect(ask).toMatchObject({ kind: 'approval', toolName: 'Bash', subject: { kind: 'command' } });
    expect(ask?.requiresPerson).toBeUndefined();
    expect(call).toMatchObject({ toolCallId: ask?.toolCallId, input: ask?.input, startsAgent: false });
    expect(result).toMatchObject({ toolCallId: ask?.toolCallId, isError: false });
  });

  test('[API11] a command: the ask, the call, what is streamed of it and the result say what it is', () => {
    const facts = replay(version, 'bash-allow');
    const shape = { is: 'command', command: '/command', description: '/description' };
    expect(facts.every('asked')).toMatchObject([{ ask: { call: shape } }]);
    expect(facts.said('tool.called')).toMatchObject([{ call: shape }]);
    expect(facts.said('tool.result')).toMatchObject([{ output: { exitCode: 0 } }]);
    const [begun] = facts.every('delta').filter(({ delta }) => delta.kind === 'tool-input');
    expect(begun?.delta).toMatchObject({ text: '', toolName: 'Bash', call: shape });
  });

  test('[API11] [ASK1] an ask says which path made the agent ask', () => {
    const [{ ask } = {}] = replay(version, 'bash-allow').every('asked');
    expect(ask?.blockedPath).toMatch(/^\/tmp\/beckon-wire-\w+\/work\/made\.txt$/);
  });

  test('[API11] a plan is told as one, also as it was approved', () => {
    const facts = replay(version, 'plan-approve');
    expect(facts.every('asked').at(-1)?.ask.call).toMatchObject({ is: 'plan' });
    expect(facts.said('tool.called').map(({ call }) => call?.is)).toEqual(['change', 'plan']);
    expect(facts.said('tool.result').map(({ output }) => output)).toEqual([
      { changed: { added: 3, removed: 0 } },
      { plan: '/plan' },
    ]);
  });

  test('a denial is an error result, and the turn is completed', () => {
    const facts = replay(version, 'bash-deny');
    expect(facts.said('tool.result')).toMatchObject([{ isError: true }]);
    expect(facts.every('turn-ended')).toMatchObject([{ outcome: 'completed' }]);
  });

  test.each(['bash-deny-interrupt', 'interrupt-ask-open', 'interrupt-mid-stream'])(
    '[SES5] %s: the turn was interrupted, not failed',
    (scenario) => {
      const [ended] = replay(version, scenario).every('turn-ended');
      expect(ended?.outcome).toBe('interrupted');
      expect(ended?.error).toBeUndefined();
    },
  );

  test('[PEER7] an interrupt withdraws the open ask', () => {
    const facts = replay(version, 'interrupt-ask-open');
    const [asked] = facts.every('asked');
    expect(facts.every('withdrawn')).toEqual([
      { type: 'withdrawn', agentRequestId: asked?.ask.agentRequestId },
    ]);
  });

  test('[ASK10] a question always needs a person, on versions that do not say so either', () => {
    const [{ ask } = {}] = replay(version, 'ask-user-question').every('asked');
    expect(ask).toMatchObject({ kind: 'question', requiresPerson: true });
    expect(ask?.questions?.[0]?.options.length).toBeGreaterThan(1);
    expect(ask?.title).toContain(ask?.questions?.[0]?.question);
  });

  test('[ASK10] a plan always needs a person, and leads out of plan mode', () => {
    const facts = replay(version, 'plan-approve');
    const asked = facts.every('asked').find(({ ask }) => ask.toolName === 'ExitPlanMode');
    expect(asked?.ask).toMatchObject({ kind: 'approval', requiresPerson: true });
    const modes = facts.every('mode-changed').map(({ permissionMode }) => permissionMode);
    expect(modes[0]).toBe('plan');
    expect(modes.at(-1)).not.toBe('plan');
  });

  test('[MSG1] a steered message is taken inside the turn', () => {
    const facts = replay(version, 'steer-mid-turn');
    expect(facts.every('message-taken').map(({ messageId }) => messageId)).toEqual([
      'message 1',
      'message 2',
    ]);
    const told = facts.types();
    expect(told.lastIndexOf('message-taken')).toBeGreaterThan(told.indexOf('tool.result'));
    expect(told.lastIndexOf('message-taken')).toBeLessThan(told.indexOf('turn-ended'));
  });

  test("[SES12] a sub-agent's words, calls and asks hang under its starter", () => {
    const facts = replay(version, 'sub-agent-ask');
    const starter = facts.said('tool.called').find((event) => event.startsAgent);
    const [{ ask } = {}] = facts.every('asked');
    expect(ask?.parentToolCallId).toBe(starter?.toolCallId);
    expect(facts.said('user.text')).toMatchObject([{ parentToolCallId: starter?.toolCallId }]);
    const statuses = facts.said('task.changed').map(({ status }) => status);
    expect([statuses[0], statuses.at(-1)]).toEqual(['running', 'completed']);
  });

  test('[SES12] a turn that the program starts by itself is a turn, and takes no message', () => {
    const memory = freshMemory();
    const facts = replay(version, 'sub-agent-background', memory);
    expect(facts.every('turn-ended')).toHaveLength(2);
    expect(facts.every('message-taken')).toHaveLength(1);
    expect(memory.isOwnTurnDue).toBe(false);
    expect(memory.tasks.size).toBe(0);
  });

  test('a failing model: said once as a notice, and the turn has failed', () => {
    const facts = replay(version, 'api-error');
    expect(facts.said('agent.notice')).toMatchObject([{ level: 'error', code: 'api-error' }]);
    expect(facts.said('agent.text')).toEqual([]);
    expect(facts.every('turn-ended')).toMatchObject([
      { outcome: 'failed', error: expect.stringMatching(/API Error/) },
    ]);
  });
});

const init = { type: 'system', subtype: 'init', session_id: 's', permissionMode: 'default', model: 'm' };
const result = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0 };
const taskStarted = {
  type: 'system',
  subtype: 'task_started',
  task_id: 't',
  tool_use_id: 'c',
  description: 'd',
};
const callReturned = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'launched' }] },
};
const taskEnded = { type: 'system', subtype: 'task_notification', task_id: 't', status: 'completed' };

test('[MSG3] without names for its messages, the start of a turn is the sign that one was taken', () => {
  const memory = freshMemory();
  expectMessage(memory, 1);
  expect(play([init], memory).every('message-taken')).toHaveLength(1);
});

test('[MSG3] a start that may be the program’s own takes no message; the end of another turn does', () => {
  const memory = freshMemory();
  play([init, taskStarted, callReturned, result, taskEnded], memory);
  expectMessage(memory, 1);
  expect(play([init], memory).every('message-taken')).toEqual([]);
  expect(play([{ ...result, origin: { kind: 'task-notification' } }], memory).every('message-taken')).toEqual(
    [],
  );
  expect(play([init], memory).every('message-taken')).toHaveLength(1);
});

test('[MSG3] the end of a turn proves nothing about a message sent into it', () => {
  const memory = freshMemory();
  play([init], memory);
  expectMessage(memory, 1);
  expect(play([result], memory).every('message-taken')).toEqual([]);
  expect(play([init], memory).every('message-taken')).toHaveLength(1);
});

test('[MSG3] newer versions name the messages, and a turn of their own names none', () => {
  const memory = freshMemory();
  const named = { ...init, capabilities: ['msg_lifecycle_v1'] };
  expectMessage(memory, 1);
  expect(play([named], memory).every('message-taken')).toEqual([]);
  expect(play([result], memory).every('message-taken')).toHaveLength(1);
  expectMessage(memory, 2);
  const facts = play([{ ...named, user_message_uuids: [uuidOfMessage(2)] }], memory);
  expect(facts.all.slice(-2)).toEqual([
    { type: 'message-taken', messageId: 'message 2' },
    { type: 'turn-started', messageIds: ['message 2'] },
  ]);
});

test('[MSG3] a turn that was begun by itself says that it works on no message', () => {
  const memory = freshMemory();
  play([init, taskStarted, callReturned, result, taskEnded], memory);
  expect(play([init], memory).every('turn-started')).toEqual([{ type: 'turn-started', messageIds: [] }]);
  const newer = { ...init, capabilities: ['msg_lifecycle_v1'] };
  expect(play([newer]).every('turn-started')).toEqual([{ type: 'turn-started', messageIds: [] }]);
});

test('[ASK4] a form still open when its turn is aborted is withdrawn, before the turn has ended', () => {
  const memory = freshMemory();
  memory.openForms.add('r1');
  const facts = play([init, { ...result, is_error: true, terminal_reason: 'aborted_tools' }], memory);
  expect(facts.all.slice(-2)).toMatchObject([
    { type: 'withdrawn', agentRequestId: 'r1' },
    { type: 'turn-ended', outcome: 'interrupted' },
  ]);
  expect(play([result], memory).every('withdrawn')).toEqual([]);
});

test("a turn's cost is its own share, whatever the total does", () => {
  const costs = (lines: object[]) =>
    play(lines.map((line) => ({ ...result, ...line })))
      .every('turn-ended')
      .map(({ costUsd }) => costUsd);
  expect(costs([{ total_cost_usd: 2 }, { total_cost_usd: 5 }, { total_cost_usd: 1 }])).toEqual([2, 3, 1]);
  const share = { model_usage_since_last_result: { a: { costUSD: 1 }, b: { costUSD: 0.5 } } };
  expect(costs([{ total_cost_usd: 100, ...share }])).toEqual([1.5]);
});

test('a turn cut short by a newer message counts as interrupted, though it calls itself a success', () => {
  const [ended] = play([init, { ...result, result: '', terminal_reason: 'aborted_tools' }]).every(
    'turn-ended',
  );
  expect(ended?.outcome).toBe('interrupted');
});

test('a result keeps its images apart, and its detail without the old file', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const withImage = {
    type: 'user',
    message: {
      content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x' }, image] }],
    },
    tool_use_result: { type: 'image', file: { base64: 'AAAA' } },
  };
  const [shown] = play([withImage]).every('said');
  expect(shown).toEqual({
    type: 'said',
    event: { type: 'tool.result', toolCallId: 'c', isError: false, text: 'x' },
    images: [{ mediaType: 'image/png', data: 'AAAA' }],
  });
  const edit = { ...callReturned, tool_use_result: { originalFile: 'long', structuredPatch: [] } };
  expect(play([edit]).said('tool.result')).toMatchObject([{ detail: { structuredPatch: [] } }]);
  expect(JSON.stringify(play([edit]).all)).not.toContain('long');
});

test('notes of the program to its model are nobody’s words', () => {
  const note = {
    type: 'user',
    parent_tool_use_id: null,
    message: { content: '[Request interrupted by user]' },
  };
  expect(play([note]).all).toEqual([]);
});

test('commands that were found later are told as a whole, and a list that is none is passed over', () => {
  const changed = (commands: unknown) => ({ type: 'system', subtype: 'commands_changed', commands });
  const facts = play([
    changed([
      { name: 'greet', description: 'Greets someone', argumentHint: '<name>' },
      { name: 'odd', description: 7, argumentHint: null },
      { description: 'Without a name' },
      'greet',
    ]),
    changed({ greet: {} }),
    changed([]),
  ]);
  expect(facts.all).toEqual([
    {
      type: 'commands-changed',
      commands: [
        { name: 'greet', description: 'Greets someone', hint: '<name>' },
        { name: 'odd', description: '' },
      ],
    },
    { type: 'commands-changed', commands: [] },
  ]);
});

test('limits, retries and summaries are told', () => {
  const limit = (status: string) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: 1_800_000_000 },
  });
  const facts = play([
    limit('allowed'),
    limit('allowed_warning'),
    limit('rejected'),
    { type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, error_status: 529 },
    { type: 'system', subtype: 'compact_boundary', compact_metadata: { pre_tokens: 1000 } },
  ]);
  expect(facts.said('agent.notice').map(({ level, code }) => [level, code])).toEqual([
    ['warning', 'rate-limit'],
    ['error', 'rate-limit'],
    ['warning', 'model-retry'],
    ['info', 'compacted'],
  ]);
  expect(facts.said('agent.notice')[1]?.text).toContain('2027-01-15');
});

test('[PEER6] what is unknown is told once for each kind', () => {
  const facts = play([
    { type: 'from_the_future' },
    { type: 'from_the_future' },
    { type: 'system', subtype: 'from_the_future' },
    { type: 'assistant', message: { id: 'm', content: [{ type: 'hologram' }] } },
  ]);
  expect(facts.every('diagnostic').map(({ text }) => text)).toEqual([
    'The agent sent an unknown line from_the_future',
    'The agent sent an unknown system line from_the_future',
    'The agent sent an unknown block hologram',
  ]);
});

test('[PEER6] whatever fields a known line has, translating it does not throw', () => {
  const types = [
    'assistant',
    'user',
    'system',
    'result',
    'stream_event',
    'command_lifecycle',
    'rate_limit_event',
  ];
  const subtypes = [
    'init',
    'commands_changed',
    'status',
    'task_started',
    'task_updated',
    'task_notification',
    'api_retry',
    'compact_boundary',
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constant({
      id: 'm',
      content: [{ type: 'text' }, { type: 'tool_use', id: 1 }, null, { type: 'tool_result' }],
    }),
    fc.constant({ type: 'content_block_delta', delta: { type: 'text_delta', text: 7 } }),
    fc.constant({ status: 'rejected', resetsAt: 1e300 }),
  );
  const fields = fc.dictionary(
    fc.constantFrom(
      'message',
      'event',
      'uuid',
      'task_id',
      'usage',
      'origin',
      'patch',
      'rate_limit_info',
      'errors',
      'isReplay',
    ),
    value,
  );
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.constantFrom(...subtypes), fields, (type, subtype, rest) => {
      translate(freshMemory(), { ...rest, type, subtype });
    }),
    { numRuns: times(500) },
  );
});

describe('asks', () => {
  const ask = (request: object, requestId = 'r') =>
    askOf(freshMemory(), { requestId, subtype: 'can_use_tool', request: { tool_use_id: 't', ...request } });

  test('[PEER6] what is nested beyond measure is no ask: it could be neither shown nor stored', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    expect(ask({ tool_name: 'Bash', input: { command: 'ls', deep } })).toBeUndefined();
    const request = { message: 'Who?', requested_schema: deep };
    expect(askOf(freshMemory(), { requestId: 'r', subtype: 'elicitation', request })).toBeUndefined();
  });

  test('[GRANT1] the subject of a call is its command, its path, its host, or all of it', () => {
    const subject = (tool_name: string, input: object) => ask({ tool_name, input })?.subject;
    expect(subject('Bash', { command: 'npm test' })).toEqual({ kind: 'command', value: 'npm test' });
    expect(subject('Write', { file_path: '/work/src/../../etc/passwd' })).toEqual({
      kind: 'path',
      value: '/etc/passwd',
    });
    expect(subject('Read', { file_path: 'a.txt' })).toEqual({
      kind: 'path',
      value: '/work/a.txt',
      readOnly: true,
    });
    expect(subject('Grep', { pattern: 'x' })).toEqual({ kind: 'path', value: '/work/**', readOnly: true });
    expect(subject('WebFetch', { url: 'https://b.com:8080/x' })).toEqual({
      kind: 'host',
      value: 'b.com:8080',
    });
    expect(subject('mcp__x__y', { b: 1, a: { d: 1, c: [2] } })).toEqual({
      kind: 'input',
      value: '{"a":{"c":[2],"d":1},"b":1}',
    });
  });

  test.each([
    { requires_user_interaction: true },
    { suppress_always_allow_rule: true },
    { matched_ask_rule: { rule: 'Bash(git push:*)' } },
    { tool_use_id: undefined },
    { input: { command: 'ls', dangerouslyDisableSandbox: true } },
  ])('[GRANT5] an ask with %j needs a person', (extra) => {
    expect(ask({ tool_name: 'Bash', input: { command: 'ls' }, ...extra })?.requiresPerson).toBe(true);
  });

  test('[ASK1] reasons come without colours, suggestions as they are', () => {
    const asked = ask({
      tool_name: 'Bash',
      input: { command: 'ls' },
      decision_reason: '\u001b[1mNot\u001b[22m listed',
      permission_suggestions: [{ type: 'setMode' }],
      default_to_no: true,
    });
    expect(asked).toMatchObject({
      reason: 'Not listed',
      suggestions: [{ type: 'setMode' }],
      defaultToNo: true,
    });
  });

  test('[ASK1] a title is made of the input itself, on one line', () => {
    expect(
      ask({ tool_name: 'Bash', input: { command: 'ls\nrm -rf /', description: 'Harmless' } })?.title,
    ).toBe('Bash: ls…');
    expect(ask({ tool_name: 'Bash', input: { command: 'x'.repeat(500) } })?.title).toHaveLength(201);
  });

  test('[PEER6] questions that are none are asked as any other call; a request without a tool is none', () => {
    expect(ask({ tool_name: 'AskUserQuestion', input: { questions: [{}] } })?.kind).toBe('approval');
    expect(ask({ input: {} })).toBeUndefined();
    expect(ask({ tool_name: 'Bash', input: 'ls' })).toBeUndefined();
  });

  test('[TOOL11] an elicitation is a form, with its fields in order', () => {
    const asked = askOf(freshMemory(), {
      requestId: 'r',
      subtype: 'elicitation',
      request: {
        subtype: 'elicitation',
        mcp_server_name: 'deploy',
        message: 'Where to?',
        property_order: ['port', 'name', 'gone'],
        requested_schema: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', title: 'Name', minLength: 2 },
            port: { type: 'integer', minimum: 1, maximum: 65535, default: 80 },
            tls: { type: 'boolean' },
            day: { type: 'string', format: 'date' },
            size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
            tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] } },
          },
        },
      },
    });
    expect(asked).toMatchObject({
      kind: 'form',
      title: 'Where to?',
      form: { source: 'deploy', message: 'Where to?' },
    });
    expect(asked?.form?.fields).toEqual([
      {
        id: 'port',
        type: 'number',
        integer: true,
        label: 'port',
        required: false,
        defaultValue: 80,
        minimum: 1,
        maximum: 65535,
      },
      { id: 'name', type: 'text', label: 'Name', required: true, minLength: 2 },
      { id: 'tls', type: 'checkbox', label: 'tls', required: false },
      { id: 'day', type: 'date', label: 'day', required: false, format: 'date' },
      {
        id: 'size',
        type: 'select',
        label: 'size',
        required: false,
        options: [
          { value: 's', label: 'Small' },
          { value: 'l', label: 'Large' },
        ],
      },
      {
        id: 'tags',
        type: 'multiselect',
        label: 'tags',
        required: false,
        options: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'b' },
        ],
      },
    ]);
  });
});
