import { describe, expect, it, vi } from 'vitest';
import { ToolError } from '../../src/tools/sdk/index.ts';
import type {
  ApprovalRequest,
  InputRequest,
  InteractionResponse,
  Reprompt,
} from '../../src/tools/sdk/interaction.ts';
import { session, settled, ToolBench } from './tool-bench.ts';

const nameForm = {
  type: 'form',
  fields: [{ id: 'name', type: 'text', label: 'Name', required: true }],
} as const;

const askName = (more: Partial<InputRequest>): InputRequest => ({
  type: 'input',
  prompt: 'Who?',
  inputSchema: nameForm,
  onResponse: (response) => ({ complete: response }),
  ...more,
});

const askLeave = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  type: 'approval',
  prompt: 'May I?',
  onResponse: (response) => ({ complete: response }),
  ...more,
});

const submit = (name: string) => ({ action: 'submit', input: { name } }) as const;

describe('a request', () => {
  it('[TOOL2] an approval is asked with its prompt, scopes, call and arguments, and nothing to fill in', async () => {
    const bench = new ToolBench();
    void bench.run(
      (context) => context.requestInteraction(askLeave({ approvalScopes: ['once', 'always'] })),
      {
        callId: 'toolu_1',
        agentToolName: 'mcp__beckon__a_tool',
      },
    );
    const { ask, sessionId } = await bench.asked();
    expect(sessionId).toBe(session);
    expect(ask).toEqual({
      kind: 'approval',
      title: 'May I?',
      toolName: 'mcp__beckon__a_tool',
      toolCallId: 'toolu_1',
      input: {},
      approvalScopes: ['once', 'always'],
      tool: { name: 'a_tool', callId: 'toolu_1', attempt: 1 },
      expiresAt: '2026-01-01T00:05:00.000Z',
    });
  });

  it('[TOOL2] an approval that says nothing of scopes can be given once and for the session', async () => {
    const bench = new ToolBench();
    void bench.run((context) => context.requestInteraction(askLeave()));
    expect((await bench.asked()).ask.approvalScopes).toEqual(['once', 'session']);
  });

  it('[TOOL2] without a prompt it says which tool wants leave, or input', async () => {
    const bench = new ToolBench();
    const { prompt: _, ...leave } = askLeave();
    const { prompt: __, ...name } = askName({});
    void bench.run((context) =>
      Promise.all([context.requestInteraction(leave), context.requestInteraction(name)]),
    );
    expect((await bench.asked()).ask.title).toBe('Allow "a_tool"?');
    expect((await bench.asked()).ask.title).toBe('"a_tool" needs your input.');
  });

  it('[TOOL2] [TOOL3] input is asked as a form with every field, presentation, values and summary as given', async () => {
    const bench = new ToolBench();
    const fields = [
      { id: 'a', type: 'text', label: 'A', description: 'Help', required: true, defaultValue: 'x' },
      { id: 'b', type: 'textarea', label: 'B', maxLength: 10 },
      { id: 'c', type: 'select', label: 'C', options: ['one', { value: '2', label: 'Two' }] },
      { id: 'd', type: 'checkbox', label: 'D', defaultValue: false },
      { id: 'e', type: 'radio', label: 'E', options: [{ value: 'only' }], defaultValue: 'only' },
      { id: 'f', type: 'number', label: 'F', minimum: 1, maximum: 9, integer: true },
      { id: 'g', type: 'multiselect', label: 'G', options: ['x', 'y'], defaultValue: ['y'] },
      { id: 'h', type: 'date', label: 'H' },
    ] as const;
    void bench.run((context) =>
      context.requestInteraction({
        type: 'input',
        prompt: 'All of it',
        inputSchema: { type: 'form', fields },
        initialValues: { b: 'begun' },
        error: 'Already wrong',
        timeoutMs: 0,
        presentation: 'questionnaire',
        completedView: { summary: 'It was {a}' },
        onResponse: () => ({ complete: 'done' }),
      }),
    );
    const { ask } = await bench.asked();
    expect(ask.kind).toBe('form');
    expect(ask.expiresAt).toBeUndefined();
    expect(ask.form).toEqual({
      message: 'All of it',
      presentation: 'questionnaire',
      error: 'Already wrong',
      initialValues: { b: 'begun' },
      completedView: { summary: 'It was {a}' },
      fields: [
        { id: 'a', type: 'text', label: 'A', description: 'Help', required: true, defaultValue: 'x' },
        { id: 'b', type: 'textarea', label: 'B', required: false, maxLength: 10 },
        {
          id: 'c',
          type: 'select',
          label: 'C',
          required: false,
          options: [
            { value: 'one', label: 'one' },
            { value: '2', label: 'Two' },
          ],
        },
        { id: 'd', type: 'checkbox', label: 'D', required: false, defaultValue: false },
        {
          id: 'e',
          type: 'radio',
          label: 'E',
          required: false,
          options: [{ value: 'only', label: 'only' }],
          defaultValue: 'only',
        },
        { id: 'f', type: 'number', label: 'F', required: false, minimum: 1, maximum: 9, integer: true },
        {
          id: 'g',
          type: 'multiselect',
          label: 'G',
          required: false,
          options: [
            { value: 'x', label: 'x' },
            { value: 'y', label: 'y' },
          ],
          defaultValue: ['y'],
        },
        { id: 'h', type: 'date', label: 'H', required: false },
      ],
    });
  });

  const broken: [string, unknown, string][] = [
    ['no prompt', askName({ prompt: '  ' }), 'prompt: is blank'],
    ['a prompt of a million characters', askName({ prompt: 'x'.repeat(1_000_000) }), 'prompt: Too big'],
    [
      'a misspelt option',
      { ...askName({}), timeoutMS: 5 },
      '"timeoutMS" is not known here; did you mean "timeoutMs"?',
    ],
    ['a stranger', { ...askName({}), colour: 'red' }, 'shown: "colour" is not known here.'],
    [
      'a misspelt field',
      withFields({ requierd: true }),
      'inputSchema.fields.0: "requierd" is not known here; did you mean "required"?',
    ],
    ['what belongs to another type of field', withFields({ minimum: 1 }), '"minimum" is not known here'],
    [
      'a misspelt option of a choice',
      withFields({ type: 'radio', options: [{ value: 'a', lable: 'A' }] }),
      'did you mean "label"?',
    ],
    [
      'a misspelt view',
      askName({ completedView: { showInput: true } as object }),
      'completedView: "showInput" is not known here; did you mean "showInputs"?',
    ],
    [
      'a misspelt form',
      askName({ inputSchema: { type: 'form', fields: [], feilds: [] } as never }),
      'did you mean "fields"?',
    ],
    ['a wish for nobody that is none', { ...askName({}), whenNobody: 'wait' }, 'whenNobody:'],
    ['an unknown type', { ...askName({}), type: 'riddle' }, 'type:'],
    ['no handler', { ...askName({}), onResponse: undefined }, 'onResponse: must be a function'],
    ['input without a form', { ...askName({}), inputSchema: undefined }, 'needs an inputSchema'],
    ['an endless limit', askName({ timeoutMs: Number.POSITIVE_INFINITY }), 'timeoutMs:'],
    ['a negative limit', askName({ timeoutMs: -1 }), 'timeoutMs:'],
    ['no scope', askLeave({ approvalScopes: [] }), 'approvalScopes:'],
    ['nobody’s initial value', askName({ initialValues: { nmae: 'x' } }), '"nmae", which is not a field'],
    ['a value that is no data', askName({ initialValues: { name: 1n } }), 'plain values'],
    ['two fields of one id', withFields({ id: 'x' }, { id: 'x' }), 'two fields have one id'],
    ['a field called __proto__', withFields({ id: '__proto__' }), 'cannot be called "__proto__"'],
    ['a field without an id', withFields({ id: '' }), 'inputSchema.fields.0.id'],
    ['a field of no known type', withFields({ type: 'colour' }), 'inputSchema.fields.0.type'],
    ['a choice without options', withFields({ type: 'select', options: [] }), 'at least one option'],
    [
      'two options of one value',
      withFields({ type: 'radio', options: ['a', 'a'] }),
      'two options have one value',
    ],
    [
      'a default that is no option',
      withFields({ type: 'select', options: ['a'], defaultValue: 'b' }),
      'defaultValue',
    ],
  ];
  it.each(broken)('[TOOL2] %s is the tool’s error, and nobody is asked', async (_, request, words) => {
    const bench = new ToolBench();
    const result = await bench.run((context) => context.requestInteraction(request as InputRequest));
    expect(result).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(result.text).toContain(words);
    expect(bench.desk.puts).toEqual([]);
  });

  it('[TOOL3] fields called like what every object has are fields like others', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(withFields({ id: 'constructor' }, { id: 'toString' })),
    );
    const put = await bench.asked();
    await bench.answer(put, { action: 'submit', input: { constructor: 'me' } });
    expect(await result).toMatchObject({ value: { action: 'submit', input: { constructor: 'me' } } });
  });

  function withFields(...fields: object[]): InputRequest {
    const all = fields.map((field) => ({ id: 'x', type: 'text', label: 'X', ...field }));
    return askName({ inputSchema: { type: 'form', fields: all } as unknown as InputRequest['inputSchema'] });
  }
});

describe('an answer', () => {
  it.each([
    ['approval', { action: 'approve' }, { action: 'approve', approvalScope: 'once', input: {} }],
    ['approval', { action: 'approve', approvalScope: 'session' }, { approvalScope: 'session' }],
    ['approval', { action: 'deny', reason: 'Not now' }, { action: 'deny', reason: 'Not now' }],
    ['input', { action: 'submit', input: { name: 'Ada' } }, { action: 'submit', input: { name: 'Ada' } }],
    ['input', { action: 'cancel', reason: 'No' }, { action: 'cancel', reason: 'No' }],
    ['input', { action: 'deny', reason: 'No' }, { action: 'cancel', reason: 'No' }],
  ] as const)('[TOOL4] to an %s, %o, reaches onResponse', async (type, said, heard) => {
    const bench = new ToolBench();
    const scopes = ['once', 'session'] as const;
    const result = bench.run((context) =>
      type === 'approval'
        ? context.requestInteraction(askLeave({ approvalScopes: scopes }))
        : context.requestInteraction(askName({})),
    );
    await bench.answer(await bench.asked(), said);
    expect(await result).toMatchObject({ ok: true, value: heard });
  });

  it('[TOOL4] values filled in beside an approval come with it', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(
        askLeave({ inputSchema: nameForm, completedView: { summary: 'By {name}' } }),
      ),
    );
    const put = await bench.asked();
    expect(put.ask.form?.completedView).toEqual({ summary: 'By {name}' });
    await bench.answer(put, { action: 'approve', input: { name: 'Ada' } });
    expect(await result).toMatchObject({ value: { action: 'approve', input: { name: 'Ada' } } });
  });

  it('[TOOL4] a promise of an outcome is waited for, and its result is what requestInteraction gives', async () => {
    const bench = new ToolBench();
    const result = bench.run(async (context) => {
      const length = await context.requestInteraction(
        askName({ onResponse: async (said) => ({ complete: said.action === 'submit' ? 3 : 0 }) }),
      );
      return { twice: (length as number) * 2 };
    });
    await bench.answer(await bench.asked(), submit('Ada'));
    expect(await result).toEqual({ ok: true, text: '{"twice":6}', value: { twice: 6 } });
  });

  it.each([
    ['nothing', undefined],
    ['a string', 'complete'],
    ['an empty object', {}],
    ['two at once', { complete: 1, reprompt: {} }],
    ['a reprompt that is a text', { reprompt: 'again' }],
    ['a pending without a message', { pending: {} }],
  ])('[TOOL4] %s is no outcome: the tool fails in words', async (_, outcome) => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(askName({ onResponse: () => outcome as never })),
    );
    await bench.answer(await bench.asked(), submit('Ada'));
    expect(await result).toMatchObject({ ok: false, code: 'invalid_outcome' });
    expect(bench.desk.puts.map(({ outcome }) => outcome)).toEqual(['submitted']);
  });

  it('[TOOL8] an onResponse that throws is a tool error, and the card is closed', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(
        askName({
          onResponse: () => {
            throw new ToolError('no_such_person', 'Nobody is called that.');
          },
        }),
      ),
    );
    await bench.answer(await bench.asked(), submit('Ada'));
    expect(await result).toEqual({
      ok: false,
      code: 'no_such_person',
      message: 'Nobody is called that.',
      text: 'Nobody is called that. (no_such_person)',
    });
    expect(bench.desk.puts.every(({ outcome }) => outcome !== undefined)).toBe(true);
  });

  it('[TOOL2] two requests at once are answered in any order; one after the other follow each other', async () => {
    const bench = new ToolBench();
    const result = bench.run(async (context) => {
      const ask = (prompt: string) =>
        context.requestInteraction(askName({ prompt, onResponse: (said) => ({ complete: said }) }));
      const both = await Promise.all([ask('first'), ask('second')]);
      return [...both, await ask('third')];
    });
    const [first, second] = [await bench.asked(), await bench.asked()];
    await bench.answer(second, submit('two'));
    await bench.answer(first, submit('one'));
    const third = await bench.asked();
    expect(third.ask.tool).toMatchObject({ attempt: 1 });
    expect(third.ask.tool.replaces).toBeUndefined();
    await bench.answer(third, submit('three'));
    expect(await result).toMatchObject({
      value: ['one', 'two', 'three'].map((name) => ({ input: { name } })),
    });
  });
});

describe('a reprompt', () => {
  const untilAda = askName({
    inputSchema: {
      type: 'form',
      fields: [...nameForm.fields, { id: 'note', type: 'text', label: 'Note', defaultValue: 'a default' }],
    },
    initialValues: { name: 'at first', note: 'as well' },
    onResponse: (said) =>
      said.action === 'submit' && said.input.name === 'Ada'
        ? { complete: 'It is Ada' }
        : { reprompt: { error: 'That is not Ada.' } },
  });

  it('[TOOL5] is a new ask in the same place, with the error and what was typed', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) => context.requestInteraction(untilAda));
    const first = await bench.asked();
    await bench.answer(first, { action: 'submit', input: { name: 'Bob', note: 'x' } });
    const second = await bench.asked();
    expect(second.id).not.toBe(first.id);
    expect(second.ask.tool).toEqual({ name: 'a_tool', callId: 'call_1', attempt: 2, replaces: first.id });
    expect(second.ask.form).toMatchObject({
      error: 'That is not Ada.',
      initialValues: { name: 'Bob', note: 'x' },
    });
    await bench.answer(second, submit('Eve'));
    const third = await bench.asked();
    expect(third.ask.tool).toMatchObject({ attempt: 3, replaces: second.id });
    await bench.answer(third, submit('Ada'));
    expect(await result).toEqual({ ok: true, text: 'It is Ada', value: 'It is Ada' });
  });

  it('[TOOL5] leaves empty what was emptied, though it has a default', async () => {
    const bench = new ToolBench();
    void bench.run((context) => context.requestInteraction(untilAda));
    await bench.answer(await bench.asked(), submit('Bob'));
    expect((await bench.asked()).ask.form?.initialValues).toEqual({ name: 'Bob', note: '' });
  });

  it('[TOOL5] may change type, presentation and view, and is heard as what it became', async () => {
    const bench = new ToolBench();
    const heard: string[] = [];
    const result = bench.run((context) =>
      context.requestInteraction({
        type: 'approval',
        prompt: 'May I?',
        completedView: { summaryTemplate: 'first' },
        onResponse: (said: InteractionResponse) => {
          heard.push(said.action);
          if (heard.length === 3) return { complete: said };
          const completedView = { showInputs: false };
          return heard.length === 1
            ? {
                reprompt: {
                  type: 'input',
                  inputSchema: nameForm,
                  presentation: 'questionnaire',
                  completedView,
                },
              }
            : { reprompt: { type: 'approval', approvalScopes: ['once'] } };
        },
      }),
    );
    await bench.answer(await bench.asked(), { action: 'deny' });
    const second = await bench.asked();
    expect(second.ask).toMatchObject({
      kind: 'form',
      title: 'May I?',
      form: { presentation: 'questionnaire', completedView: { showInputs: false } },
    });
    await bench.answer(second, submit('Bob'));
    const third = await bench.asked();
    expect(third.ask).toMatchObject({
      kind: 'approval',
      approvalScopes: ['once'],
      form: {
        presentation: 'questionnaire',
        initialValues: { name: 'Bob' },
        completedView: { showInputs: false },
      },
    });
    await bench.answer(third, { action: 'approve', input: { name: 'Eve' } });
    expect(heard).toEqual(['deny', 'submit', 'approve']);
    expect(await result).toMatchObject({ value: { action: 'approve', input: { name: 'Eve' } } });
  });

  it.each([
    ['input without a form', { type: 'input' }, 'needs an inputSchema'],
    ['a misspelt name', { promt: 'x' }, '"promt" is not known here; did you mean "prompt"?'],
  ])('[TOOL5] into %s is the tool’s error', async (_, reprompt, words) => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(askLeave({ onResponse: () => ({ reprompt: reprompt as Reprompt }) })),
    );
    await bench.answer(await bench.asked(), { action: 'approve' });
    expect(await result).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) });
  });

  it('[TOOL5] may change prompt, fields, values, scopes and limit', async () => {
    const bench = new ToolBench();
    void bench.run((context) =>
      context.requestInteraction(
        askLeave({
          inputSchema: nameForm,
          onResponse: () => ({
            reprompt: {
              prompt: 'May I now?',
              inputSchema: {
                type: 'form',
                fields: [...nameForm.fields, { id: 'age', type: 'number', label: 'Age' }],
              },
              initialValues: { age: 3 },
              approvalScopes: ['always'],
              timeoutMs: 1000,
            },
          }),
        }),
      ),
    );
    await bench.answer(await bench.asked(), { action: 'approve', input: { name: 'Bob' } });
    expect((await bench.asked()).ask).toMatchObject({
      title: 'May I now?',
      approvalScopes: ['always'],
      expiresAt: '2026-01-01T00:00:01.000Z',
      form: { fields: [{ id: 'name' }, { id: 'age' }], initialValues: { name: 'Bob', age: 3 } },
    });
  });

  it('[TOOL5] is asked ten times in a row; the eleventh is a tool error', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) => context.requestInteraction(untilAda));
    for (let ask = 1; ask <= 11; ask += 1) await bench.answer(await bench.asked(), submit(`no ${ask}`));
    expect(await result).toMatchObject({ ok: false, code: 'too_many_reprompts' });
    expect(bench.desk.puts.map(({ ask, outcome }) => `${ask.tool.attempt} ${outcome}`)).toEqual(
      Array.from({ length: 11 }, (_, index) => `${index + 1} submitted`),
    );
  });

  it('[TOOL10] is asked also when the one who answered has just left', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) => context.requestInteraction(untilAda));
    const first = await bench.asked();
    bench.desk.isAvailable = () => false;
    await bench.answer(first, submit('Bob'));
    await bench.answer(await bench.asked(), submit('Ada'));
    expect((await result).ok).toBe(true);
  });

  it('[TOOL8] the agent sees the final result alone', async () => {
    const bench = new ToolBench();
    const progress = vi.fn();
    const result = bench.run((context) => context.requestInteraction(untilAda), { progress });
    await bench.answer(await bench.asked(), submit('Bob'));
    await bench.answer(await bench.asked(), submit('Ada'));
    expect((await result).text).toBe('It is Ada');
    expect(progress).not.toHaveBeenCalled();
  });
});

describe('the time limit', () => {
  it.each([
    ['no onTimeout', undefined],
    ['an onTimeout that completes', () => ({ complete: 'too late' })],
    ['an onTimeout that throws', () => Promise.reject(new Error('no mail server'))],
  ])('[TOOL9] with %s, an answer that is stored just before the ask is closed wins', async (_, onTimeout) => {
    const bench = new ToolBench();
    const end = bench.desk.end.bind(bench.desk);
    bench.desk.end = async (sessionId, id, how) => {
      await bench.desk.respond(id, submit('Ada'));
      return end(sessionId, id, how);
    };
    const result = bench.run((context) =>
      context.requestInteraction(askName(onTimeout === undefined ? {} : { onTimeout })),
    );
    await bench.asked();
    bench.clock.pass(300_000);
    expect(await result).toMatchObject({ ok: true, value: { input: { name: 'Ada' } } });
  });

  it('[TOOL9] is five minutes; then the ask expires, onCancel is called, and the tool is told', async () => {
    const bench = new ToolBench();
    const onCancel = vi.fn();
    const result = bench.run((context) => context.requestInteraction(askName({ onCancel })));
    const put = await bench.asked();
    bench.clock.pass(299_999);
    await settled();
    expect(put.outcome).toBeUndefined();
    bench.clock.pass(1);
    expect(await result).toMatchObject({
      ok: false,
      code: 'interaction_expired',
      message: 'Nobody answered within 5 minutes.',
    });
    expect(put.outcome).toBe('expired');
    expect(onCancel.mock.calls).toEqual([['Nobody answered within 5 minutes.']]);
    expect(bench.clock.armed).toBe(0);
  });

  it('[TOOL9] 0 means none', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) => context.requestInteraction(askName({ timeoutMs: 0 })));
    const put = await bench.asked();
    expect(bench.clock.armed).toBe(0);
    bench.clock.pass(10 ** 12);
    await settled();
    await bench.answer(put, submit('Ada'));
    expect((await result).ok).toBe(true);
  });

  it('[TOOL9] no timer is left after an answer', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) => context.requestInteraction(askName({})));
    await bench.answer(await bench.asked(), submit('Ada'));
    await result;
    expect(bench.clock.armed).toBe(0);
  });

  it('[TOOL4] onTimeout may complete: the ask expires, and the result is its', async () => {
    const bench = new ToolBench();
    const onCancel = vi.fn();
    const result = bench.run((context) =>
      context.requestInteraction(askName({ onTimeout: async () => ({ complete: 'As usual' }), onCancel })),
    );
    const put = await bench.asked();
    bench.clock.pass(300_000);
    expect(await result).toMatchObject({ ok: true, value: 'As usual' });
    expect(put.outcome).toBe('expired');
    expect(onCancel).not.toHaveBeenCalled();
  });

  it('[TOOL4] onTimeout may ask again, with a limit of its own', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(
        askName({
          initialValues: { name: 'kept' },
          onTimeout: () => ({ reprompt: { error: 'Still there?' } }),
        }),
      ),
    );
    const first = await bench.asked();
    bench.clock.pass(300_000);
    const second = await bench.asked();
    expect(first.outcome).toBe('expired');
    expect(second.ask).toMatchObject({
      tool: { attempt: 2, replaces: first.id },
      form: { error: 'Still there?', initialValues: { name: 'kept' } },
      expiresAt: '2026-01-01T00:10:00.000Z',
    });
    await bench.answer(second, submit('Ada'));
    expect((await result).ok).toBe(true);
  });

  it('[TOOL5] asking again at the limit counts like any other: eleven are too many', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(askName({ onTimeout: () => ({ reprompt: {} }) })),
    );
    for (let ask = 1; ask <= 11; ask += 1) {
      await bench.asked();
      await settled();
      bench.clock.pass(300_000);
    }
    expect(await result).toMatchObject({ ok: false, code: 'too_many_reprompts' });
    expect(bench.desk.puts.every(({ outcome }) => outcome === 'expired')).toBe(true);
  });

  it('[TOOL9] an onTimeout that throws is a tool error, and the ask expires', async () => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(askName({ onTimeout: () => Promise.reject(new Error('no mail server')) })),
    );
    const put = await bench.asked();
    bench.clock.pass(300_000);
    expect(await result).toMatchObject({ ok: false, code: 'tool_failed' });
    expect((await result).text).toContain('no mail server');
    expect(put.outcome).toBe('expired');
  });

  it('[TOOL9] an answer at the very moment of the limit wins', async () => {
    const bench = new ToolBench();
    const onCancel = vi.fn();
    const result = bench.run((context) => context.requestInteraction(askName({ onCancel })));
    const put = await bench.asked();
    bench.clock.pass(300_000);
    await bench.answer(put, submit('Ada'));
    expect(await result).toMatchObject({ ok: true, value: { input: { name: 'Ada' } } });
    expect(put.outcome).toBe('submitted');
    expect(onCancel).not.toHaveBeenCalled();
  });

  it.each([
    ['complete', { complete: 'too late' }],
    ['reprompt', { reprompt: { error: 'again' } }],
    ['pending', { pending: { message: 'later' } }],
  ] as const)('[TOOL9] an answer while onTimeout runs wins over its %s', async (_, outcome) => {
    const bench = new ToolBench();
    const slow = Promise.withResolvers<typeof outcome>();
    const result = bench.run((context) =>
      context.requestInteraction(askName({ onTimeout: () => slow.promise })),
    );
    const put = await bench.asked();
    bench.clock.pass(300_000);
    await settled();
    await bench.answer(put, submit('Ada'));
    slow.resolve(outcome);
    expect(await result).toMatchObject({ ok: true, value: { input: { name: 'Ada' } } });
    await settled();
    expect(bench.desk.puts).toHaveLength(1);
    expect(put.leftOpen).toBeUndefined();
  });

  it.each([
    ['complete', { complete: 'too late' }],
    ['pending', { pending: { message: 'later' } }],
  ] as const)('[TOOL9] an answer that is stored before onTimeout’s %s is wins', async (_, outcome) => {
    const bench = new ToolBench();
    const result = bench.run((context) =>
      context.requestInteraction(
        askName({
          onTimeout: () => {
            void bench.desk.respond(put.id, submit('Ada'));
            return outcome;
          },
        }),
      ),
    );
    const put = await bench.asked();
    bench.clock.pass(300_000);
    expect(await result).toMatchObject({ ok: true, value: { input: { name: 'Ada' } } });
    expect(bench.desk.lateMessages).toEqual([]);
  });
});
