import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { permissionReply } from '../../../src/drivers/acp/reply.ts';
import { permissionAsk } from '../../../src/drivers/acp/translate/ask.ts';
import { elicitationAsk, elicitationReply } from '../../../src/drivers/acp/translate/elicitation.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { hunksOf } from '../../../src/drivers/acp/translate/tool-result.ts';
import { translateReply } from '../../../src/drivers/acp/translate/turn-end.ts';
import { closeTurn, translateSettings, translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { Delta, eventDefinitions } from '../../../src/protocol/event.ts';
import { Ask } from '../../../src/protocol/interaction.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';
import { times } from '../../support/seeded-random.ts';

const memory = () =>
  newMemory({
    cwd: '/work',
    prefix: 'p1',
    permissionMode: null,
    model: null,
    outputOf: (id) => (id === 't1' ? 'printed\n' : undefined),
  });

const chunk = (text: string, more: object = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...more,
});

const call = (fields: object) => ({ sessionUpdate: 'tool_call', toolCallId: 'c1', ...fields });
const later = (fields: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', ...fields });

/** The stored events that come of some updates, to the end of the turn. */
function told(...updates: object[]) {
  const remembered = memory();
  const facts = [
    ...updates.flatMap((update) => translateUpdate(remembered, { ...update })),
    ...closeTurn(remembered),
  ];
  return facts.flatMap((fact: AgentFact) => (fact.type === 'said' ? [fact.event] : []));
}

function asked(toolCall: object, options: object[] = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }]) {
  return permissionAsk(memory(), 'r1', { toolCall: { toolCallId: 'c1', ...toolCall }, options }).ask;
}

describe('commands', () => {
  const update = (availableCommands: unknown) => ({
    sessionUpdate: 'available_commands_update',
    availableCommands,
  });

  test('are told as a whole, with what may follow the name', () => {
    const facts = translateUpdate(
      memory(),
      update([
        { name: 'plan', description: 'Makes a plan', input: { hint: 'what for' } },
        { name: '/init', description: 'Looks around', input: null },
        { name: 'odd', input: { hint: 3 } },
        { description: 'Without a name' },
        null,
      ]),
    );
    expect(facts).toEqual([
      {
        type: 'commands-changed',
        commands: [
          { name: 'plan', description: 'Makes a plan', hint: 'what for' },
          { name: 'init', description: 'Looks around' },
          { name: 'odd', description: '' },
        ],
      },
    ]);
    expect(translateUpdate(memory(), update([]))).toEqual([{ type: 'commands-changed', commands: [] }]);
    expect(translateUpdate(memory(), update('plan'))).toEqual([]);
  });

  test('are heard also before the session is open', () => {
    expect(translateSettings(memory(), update([{ name: 'plan', description: '' }]))).toHaveLength(1);
  });
});

describe('[PEER6] whatever an agent sends', () => {
  const texts = fc.constantFrom(
    '',
    'a.txt',
    '/work/a.txt',
    'npm test',
    'ls\n&& rm -rf /',
    'text',
    'diff',
    'Bash',
  );
  const blocks = fc.constantFrom(
    { type: 'text', text: 'words' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'file:///a' } },
    { type: 'diff', path: '/work/a.txt', oldText: 'a\n', newText: 'b\n' },
    { type: 'content', content: { type: 'text', text: 'words' } },
    { type: 'terminal', terminalId: 't1' },
  );
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), texts, blocks, fc.array(blocks));
  const named = (names: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...names), value).map((fields) => ({ ...fields }));
  const kinds = ['execute', 'edit', 'read', 'switch_mode', 'fetch', 'search', 'think', 'other'];
  const toolCall = fc
    .tuple(
      named([
        'title',
        'name',
        'status',
        'content',
        'locations',
        'rawInput',
        'rawOutput',
        '_meta',
        'toolCallId',
      ]),
      fc.record(
        {
          toolCallId: fc.constantFrom('c1', 'c2'),
          kind: fc.constantFrom(...kinds),
          status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed'),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([odd, known]) => ({ ...odd, ...known }));
  const updates = [
    ...['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'notice'],
    ...['compaction_update', 'usage_update', 'current_mode_update', 'config_option_update', 'dance'],
  ];
  const others = named([
    'content',
    'messageId',
    'entries',
    'cost',
    'currentModeId',
    'configOptions',
    'severity',
  ]);
  const update = fc
    .tuple(fc.constantFrom(...updates), toolCall, others)
    .map(([sessionUpdate, fields, more]) => ({ ...fields, ...more, sessionUpdate }));

  test('[PEER6] what has a toString that is no function is told as it is', () => {
    const odd = { toString: '' };
    const facts = [
      ...translateUpdate(memory(), { sessionUpdate: odd }),
      ...translateReply(memory(), { stopReason: odd }, 1),
    ];
    expect(facts).toMatchObject([
      { type: 'diagnostic', text: 'The agent sent an unknown update {"toString":""}' },
      { type: 'diagnostic', text: 'The agent sent an unknown reason to stop {"toString":""}' },
      { type: 'turn-ended' },
    ]);
  });

  test('gives facts that can be stored, or none', () => {
    fc.assert(
      fc.property(fc.array(update, { maxLength: 8 }), value, (sent, stopReason) => {
        const remembered = memory();
        const facts = sent.flatMap((one) => translateUpdate(remembered, one));
        facts.push(...translateReply(remembered, { stopReason }, 1));
        for (const fact of facts) {
          if (fact.type === 'delta') Delta.parse(fact.delta);
          if (fact.type === 'said') eventDefinitions[fact.event.type].schema.parse(fact.event);
        }
      }),
      { numRuns: times(300) },
    );
  });

  test('gives asks that can be stored', () => {
    const options = fc.array(fc.oneof(value, fc.constantFrom({ optionId: 'y', kind: 'allow_once' })));
    const schema = fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'a_custom', 'b'), value) });
    const elicited = fc.record({ message: value, url: value, requestedSchema: fc.oneof(schema, value) });
    fc.assert(
      fc.property(toolCall, options, elicited, (call, offered, form) => {
        Ask.parse(permissionAsk(memory(), 'r1', { toolCall: call, options: offered }).ask);
        Ask.parse(elicitationAsk(memory(), 'r2', { toolCallId: 'c1', ...form }));
      }),
      { numRuns: times(300) },
    );
  });
});

describe('what is said', () => {
  test('fragments in a row are one block, and each message has its own', () => {
    expect(
      told(chunk('a', { messageId: 'm1' }), chunk('b', { messageId: 'm1' }), chunk('c', { messageId: 'm2' })),
    ).toEqual([
      { type: 'agent.text', agentMessageId: 'm1', block: 0, text: 'ab' },
      { type: 'agent.text', agentMessageId: 'm2', block: 0, text: 'c' },
    ]);
  });

  test('without names, thoughts and words share a message until a call comes between', () => {
    const events = told(
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
      chunk('one'),
      call({ title: 'Look', status: 'completed' }),
      chunk('two'),
    );
    const places = events.flatMap((event) =>
      'block' in event ? [[event.type, event.agentMessageId, event.block]] : [],
    );
    expect(places).toEqual([
      ['agent.thinking', 'p1-message-1', 0],
      ['agent.text', 'p1-message-1', 1],
      ['tool.called', 'p1-message-1', 2],
      ['agent.text', 'p1-message-2', 0],
    ]);
  });

  test('[SES12] two sub-agents that speak at once are kept apart', () => {
    const of = (parentToolUseId: string) => ({ _meta: { claudeCode: { parentToolUseId } } });
    const events = told(
      chunk('a1', of('A')),
      chunk('b1', of('B')),
      chunk('a2', of('A')),
      chunk('b2', of('B')),
    );
    expect(events).toMatchObject([
      { parentToolCallId: 'A', text: 'a1a2' },
      { parentToolCallId: 'B', text: 'b1b2' },
    ]);
  });

  test('what is no text is named', () => {
    const link = { type: 'resource_link', name: 'notes', uri: 'file:///notes' };
    expect(told({ ...chunk(''), content: link })).toMatchObject([{ text: '[notes](file:///notes)' }]);
    expect(told({ ...chunk(''), content: { type: 'hologram' } })).toMatchObject([{ text: '[hologram]' }]);
  });
});

describe('calls', () => {
  test('a call is told once, with its input, and its result with the end', () => {
    const events = told(
      call({ title: 'Terminal', kind: 'execute', status: 'pending', rawInput: {} }),
      later({ title: 'ls', rawInput: { command: 'ls' } }),
      later({ status: 'in_progress' }),
      later({ status: 'completed', rawOutput: { stdout: 'a.txt\n' } }),
      later({ status: 'completed' }),
    );
    expect(events).toEqual([
      expect.objectContaining({ type: 'tool.called', name: 'Bash', input: { command: 'ls' } }),
      expect.objectContaining({ type: 'tool.result', isError: false, text: 'a.txt\n' }),
    ]);
  });

  test('one that never tells its input is told when the turn ends', () => {
    expect(told(call({ title: 'Thinking hard', kind: 'think', status: 'pending' }))).toMatchObject([
      {
        type: 'tool.called',
        name: 'Thinking hard',
        input: { told: { title: 'Thinking hard' } },
        call: { is: 'fields', title: '/told/title' },
      },
    ]);
  });

  test.each([
    [{ kind: 'execute', name: 'run_shell_command' }, 'Bash'],
    [{ kind: 'read', name: 'read_file', locations: [{ path: '/a' }] }, 'Read'],
    [{ kind: 'read', name: 'exec_command', title: 'List files' }, 'exec_command'],
    [{ kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] }, 'Edit'],
    [{ kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: null, newText: 'y' }] }, 'Write'],
    [{ kind: 'fetch' }, 'WebFetch'],
    [{ kind: 'search' }, 'Grep'],
    [{ kind: 'switch_mode', title: 'Ready to code?' }, 'ExitPlanMode'],
    [{ kind: 'other', name: 'mcp__github__search' }, 'mcp__github__search'],
    [{ kind: 'levitate', title: 'Levitate' }, 'Levitate'],
    [{ kind: 'edit', _meta: { claudeCode: { toolName: 'NotebookEdit' } } }, 'NotebookEdit'],
  ])('%o goes by the name %s', (fields, name) => {
    expect(told(call({ status: 'in_progress', ...fields }))).toMatchObject([{ name }]);
  });

  test('what a terminal printed, and what is shown in a block of code, is the text of the result', () => {
    const block = { type: 'content', content: { type: 'text', text: '```console\nline\n```' } };
    const content = [{ type: 'terminal', terminalId: 't1' }, block];
    const [, result] = told(call({ kind: 'execute', status: 'completed', content }));
    expect(result).toMatchObject({ text: 'printed\n\nline' });
  });

  test('the changes to several files are told together', () => {
    const diff = (path: string) => ({ type: 'diff', path, oldText: 'a\n', newText: 'b\n' });
    const [called, result] = told(
      call({ kind: 'edit', status: 'completed', content: [diff('/x'), diff('/y')] }),
    );
    const edit = { before: 'a\n', after: 'b\n' };
    expect(called).toMatchObject({
      input: { told: { path: '/x', changes: [edit, { path: '/y', ...edit }] } },
      call: {
        is: 'change',
        does: 'edit',
        path: '/told/path',
        edits: [
          { before: '/told/changes/0/before', after: '/told/changes/0/after' },
          {
            path: '/told/changes/1/path',
            before: '/told/changes/1/before',
            after: '/told/changes/1/after',
          },
        ],
      },
    });
    expect(result).toMatchObject({
      detail: { path: '/x', hunks: [{ lines: ['-a', '+b'] }, { lines: ['-a', '+b'] }] },
      output: { patch: '/hunks', changed: { added: 2, removed: 2 } },
    });
  });

  test.each<[string, object, object, object]>([
    [
      'a command as a list of words',
      { kind: 'execute', rawInput: { command: ['rm', 'a b'], told: 1 } },
      { command: ['rm', 'a b'], told: 1, _told: { command: "rm 'a b'" } },
      { is: 'command', command: '/_told/command' },
    ],
    [
      'a command in a directory',
      { kind: 'execute', title: 'Run it', rawInput: { command: 'ls', workdir: '/work/sub' } },
      { command: 'ls', workdir: '/work/sub' },
      { is: 'command', command: '/command', directory: '/workdir' },
    ],
    [
      'a file that is read, by its place alone',
      { kind: 'read', locations: [{ path: '/work/a' }] },
      { told: { path: '/work/a' } },
      { is: 'read', path: '/told/path' },
    ],
    [
      'a file that is read, by a name of the agent’s own',
      { kind: 'read', rawInput: { abs_path: '/work/a' }, locations: [{ path: '/work/a' }] },
      { abs_path: '/work/a' },
      { is: 'read', path: '/abs_path' },
    ],
    [
      'an edit of a file that the input names, with its change beside it',
      {
        kind: 'edit',
        rawInput: { path: 'a', patch: 'x' },
        content: [{ type: 'diff', path: '/work/a', oldText: 'a', newText: 'b' }],
      },
      { path: 'a', patch: 'x', told: { changes: [{ before: 'a', after: 'b' }] } },
      {
        is: 'change',
        does: 'edit',
        path: '/path',
        edits: [{ before: '/told/changes/0/before', after: '/told/changes/0/after' }],
      },
    ],
    [
      'a change that is told nowhere',
      { kind: 'edit', rawInput: { patch: 'x' }, locations: [{ path: '/work/a' }] },
      { patch: 'x', told: { path: '/work/a' } },
      { is: 'change', does: 'edit', path: '/told/path', edits: [] },
    ],
    [
      'a file that is deleted',
      { kind: 'delete', name: 'rm_file', rawInput: { path: 'a' } },
      { path: 'a' },
      { is: 'change', does: 'delete', path: '/path', edits: [] },
    ],
    [
      'a search in words of the agent’s own',
      { kind: 'search', title: 'Searching for x' },
      { told: { title: 'Searching for x' } },
      { is: 'search', in: 'text', pattern: '/told/title' },
    ],
    [
      'what is none of these',
      { kind: 'other', title: 'Poke it', rawInput: { force: 3 } },
      { force: 3 },
      { is: 'fields' },
    ],
  ])(
    '[API11] %s: the input stays as it is, and what is told elsewhere stands beside it',
    (_, fields, input, shape) => {
      expect(told(call({ status: 'in_progress', ...fields }))).toMatchObject([{ input, call: shape }]);
      const ask = asked(fields);
      expect(ask.input).toEqual(input);
      expect(ask.call).toEqual(shape);
    },
  );

  test('[API11] an ask says that a call leads out of the session’s directory', () => {
    const { call: shape } = asked({ kind: 'read', locations: [{ path: '/etc/passwd' }] });
    expect(shape?.risks).toEqual([{ kind: 'outside-directory', at: '/told/path' }]);
  });

  test('images are passed on as such', () => {
    const remembered = memory();
    const image = { type: 'content', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } };
    const facts = translateUpdate(remembered, {
      ...call({ status: 'completed', title: 'Look', content: [image] }),
    });
    expect(facts.at(-1)).toMatchObject({ images: [{ mediaType: 'image/png', data: 'AAAA' }] });
  });
});

describe('a change in lines', () => {
  test('far-apart changes are pieces of their own, with their places', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
    const before = `${lines.join('\n')}\n`;
    const after = before.replace('line 2\n', 'LINE 2\n').replace('line 18\n', '');
    const hunks = hunksOf({ path: '/a', before, after });
    expect(
      hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines]),
    ).toEqual([
      [1, 5, 1, 5],
      [15, 6, 15, 5],
    ]);
    expect(hunks[1]?.lines).toContain('-line 18');
  });

  test('nothing changed is no piece at all', () => {
    expect(hunksOf({ path: '/a', before: 'a\n', after: 'a\n' })).toEqual([]);
  });
});

describe('what leave is asked for', () => {
  test.each([
    [
      { kind: 'execute', rawInput: { command: 'npm test' } },
      { kind: 'command', value: 'npm test' },
    ],
    [
      { kind: 'execute', rawInput: { command: ['bash', '-lc', 'npm test'] } },
      { kind: 'command', value: 'npm test' },
    ],
    [
      { kind: 'execute', rawInput: { command: ['rm', 'a b'] } },
      { kind: 'command', value: "rm 'a b'" },
    ],
    [
      { kind: 'edit', rawInput: { file_path: 'sub/../a.txt' } },
      { kind: 'path', value: '/work/a.txt' },
    ],
    [
      { kind: 'fetch', rawInput: { url: 'https://example.org/x' } },
      { kind: 'host', value: 'example.org' },
    ],
  ])('[GRANT1] %o is about %o', (toolCall, subject) => {
    expect(asked(toolCall).subject).toEqual(subject);
  });

  test('[GRANT1] a title is shown and is no command that a grant could match', () => {
    const ask = asked({ kind: 'execute', title: '`npm test`' });
    expect(ask).toMatchObject({
      toolName: 'Bash',
      title: 'Bash: `npm test`',
      input: { told: { command: 'npm test' } },
      call: { is: 'command', command: '/told/command' },
    });
    expect(ask.subject).toEqual({
      kind: 'input',
      value: '{"kind":"execute","title":"`npm test`"}',
      literal: true,
    });
  });

  const diff = (path: string) => ({ type: 'diff', path, oldText: 'a', newText: 'b' });

  test.each([
    ['a file told by its change alone', { kind: 'edit', content: [diff('/work/a')] }, 'path'],
    [
      'two files at once',
      { kind: 'edit', rawInput: { file_path: '/work/a' }, content: [diff('/work/b')] },
      'input',
    ],
    ['a change without any file', { kind: 'edit', title: 'Edit' }, 'input'],
    [
      'a command in the session’s directory',
      { kind: 'execute', rawInput: { command: 'ls', cwd: '/work' } },
      'command',
    ],
    ['a command in another', { kind: 'execute', rawInput: { command: 'ls', cwd: '/' } }, 'input'],
    [
      'a command out of its sandbox',
      { kind: 'execute', rawInput: { command: 'ls', sandbox: false } },
      'input',
    ],
  ])('[GRANT1] a grant for %s is held against no more than it says', (_, toolCall, kind) => {
    expect(asked(toolCall).subject?.kind).toBe(kind);
  });

  test('[GRANT1] two calls without an input are not the same call', () => {
    const one = asked({ kind: 'edit', title: 'Edit', content: [diff('/work/a'), diff('/work/b')] });
    const two = asked({ kind: 'edit', title: 'Edit', content: [diff('/work/a'), diff('/work/c')] });
    expect(one.subject).not.toEqual(two.subject);
  });

  test('[ASK1] the options are kept with the ask', () => {
    expect(asked({ title: 'Poke' }).suggestions).toEqual([
      { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    ]);
  });

  test('[ASK10] one without a call is for a person alone', () => {
    const { ask } = permissionAsk(memory(), 'r1', {
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    });
    expect(ask).toMatchObject({ kind: 'approval', requiresPerson: true });
    expect(ask.toolCallId).toBeUndefined();
  });
});

describe('forms', () => {
  const schema = (properties: object) => ({
    mode: 'form',
    message: 'Well?',
    requestedSchema: { properties },
  });

  test('a choice without a field for other words stays a form', () => {
    const ask = elicitationAsk(memory(), 'r1', schema({ size: { type: 'string', enum: ['S', 'L'] } }));
    expect(ask).toMatchObject({ kind: 'form', form: { fields: [{ id: 'size', type: 'select' }] } });
  });

  test('an address to visit is shown', () => {
    const ask = elicitationAsk(memory(), 'r1', {
      mode: 'url',
      url: 'https://example.org',
      message: 'Sign in',
    });
    expect(ask).toMatchObject({ kind: 'form', form: { url: 'https://example.org', fields: [] } });
    expect(elicitationReply(ask, { type: 'submit', values: {} })).toEqual({ action: 'accept', content: {} });
    expect(elicitationReply(ask, { type: 'dismiss', message: '' })).toEqual({ action: 'cancel' });
    expect(elicitationReply(ask, { type: 'deny', message: '', interrupt: false })).toEqual({
      action: 'decline',
    });
  });
});

describe('the end of a turn', () => {
  test.each([
    ['end_turn', { outcome: 'completed' }],
    ['cancelled', { outcome: 'interrupted' }],
    ['max_tokens', { outcome: 'failed', error: expect.stringContaining('limit of tokens') }],
    ['refusal', { outcome: 'failed', error: expect.stringContaining('refuses') }],
  ])('%s', (stopReason, how) => {
    expect(translateReply(memory(), { stopReason }, 5).at(-1)).toMatchObject({
      type: 'turn-ended',
      durationMs: 5,
      ...how,
    });
  });

  test('a reason it does not know is told, and the turn is over', () => {
    const facts = translateReply(memory(), { stopReason: 'bored' }, 5);
    expect(facts.map(({ type }) => type)).toEqual(['diagnostic', 'turn-ended']);
  });

  test('tokens are the turn’s, and so is the cost, of which the agent tells the sum', () => {
    const remembered = memory();
    const cost = (amount: number) => ({ sessionUpdate: 'usage_update', cost: { amount, currency: 'USD' } });
    const usage = { inputTokens: 3, outputTokens: 4, cachedReadTokens: 5 };
    translateUpdate(remembered, cost(0.25));
    expect(translateReply(remembered, { stopReason: 'end_turn', usage }, 1).at(-1)).toMatchObject({
      costUsd: 0.25,
      usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheWriteTokens: 0 },
    });
    translateUpdate(remembered, cost(0.75));
    expect(translateReply(remembered, { stopReason: 'end_turn' }, 1).at(-1)).toMatchObject({ costUsd: 0.5 });
    expect(translateReply(remembered, { stopReason: 'end_turn' }, 1).at(-1)).toMatchObject({ costUsd: 0 });
  });
});

describe('[ACP3] options of an agent that a person chooses among', () => {
  const offered = [
    { optionId: 'restore', name: 'Yes, as before', kind: 'allow_once' },
    { optionId: 'edits', name: 'Yes, and edit', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const asks = (kind: string, options = offered) =>
    permissionAsk(memory(), 'r1', { toolCall: { toolCallId: 'c', kind, rawInput: { plan: '# P' } }, options })
      .ask;

  test('a plan has all that allow it, and is answered with the one that was chosen', () => {
    const ask = asks('switch_mode');
    expect(ask.ways).toEqual([
      { id: 'restore', label: 'Yes, as before' },
      { id: 'edits', label: 'Yes, and edit' },
    ]);
    const chosen = permissionReply(ask, { type: 'allow', scope: 'once', way: 'edits' });
    expect(chosen).toEqual({ outcome: { outcome: 'selected', optionId: 'edits' } });
    // One that does not allow is no way to allow.
    const refused = permissionReply(ask, { type: 'allow', scope: 'once', way: 'no' });
    expect(refused.outcome).toEqual({ outcome: 'selected', optionId: 'restore' });
  });

  test('anything else has those for one time alone', () => {
    expect(asks('other').ways).toBeUndefined();
    const twice = asks('other', [...offered, { optionId: 'safe', name: 'In safety', kind: 'allow_once' }]);
    expect(twice.ways?.map(({ id }) => id)).toEqual(['restore', 'safe']);
  });
});

describe('[ASK18] an ask that says nothing', () => {
  test.each([{}, { kind: 'execute' }, { kind: 'edit', content: [] }, { rawInput: {} }])(
    '%j defaults to no, and wants a person',
    (toolCall) => {
      expect(asked(toolCall)).toMatchObject({ input: {}, defaultToNo: true, requiresPerson: true });
    },
  );

  test('words of it are enough, and a tool that takes no input is known by its name', () => {
    expect(asked({ kind: 'execute', title: 'ls -l' }).defaultToNo).toBeUndefined();
    expect(asked({ name: 'mcp__clock__now', rawInput: {} }).defaultToNo).toBeUndefined();
  });
});
