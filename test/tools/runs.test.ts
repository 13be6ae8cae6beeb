import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool, ToolError } from '../../src/tools/sdk/index.ts';
import type { InputRequest } from '../../src/tools/sdk/interaction.ts';
import { session, settled, ToolBench, toolOf } from './tool-bench.ts';

const ask = (more: Partial<InputRequest> = {}): InputRequest => ({
  type: 'input',
  prompt: 'Who?',
  inputSchema: { type: 'form', fields: [{ id: 'name', type: 'text', label: 'Name' }] },
  onResponse: (said) => ({ complete: said }),
  ...more,
});

const submit = { action: 'submit', input: { name: 'Ada' } } as const;

describe('arguments', () => {
  const handler = vi.fn(() => 'ran');
  const tool = defineTool({
    name: 'typed',
    description: 'Takes an address.',
    input: z.object({ to: z.object({ email: z.email() }), times: z.number().int().default(1) }),
    handler,
  });

  it('[TOOL1] the handler gets what the schema makes of them', async () => {
    await new ToolBench().call(tool, { to: { email: 'a@b.example' }, more: true });
    expect(handler).toHaveBeenLastCalledWith({ to: { email: 'a@b.example' }, times: 1 }, expect.anything());
  });

  it.each([
    ['a wrong type', { to: { email: 'a@b.example' }, times: 'twice' }, '"times"'],
    ['a wrong value deep inside', { to: { email: 'nobody' } }, '"to.email"'],
    [
      'two faults',
      { to: { email: 1 }, times: 0.5 },
      '"to.email": Invalid input: expected string, received number; "times"',
    ],
    ['a list', [1, 2], 'expected object'],
    ['a text', 'to a@b.example', 'expected object'],
    ['null', null, '"to"'],
    ['nothing', undefined, '"to"'],
    ['another prototype', JSON.parse('{"__proto__":{"to":{"email":"a@b.example"}}}'), '"to"'],
  ])('[TOOL1] %s: an error that names the field, and the handler is not called', async (_, args, words) => {
    handler.mockClear();
    const result = await new ToolBench().call(tool, args);
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments' });
    expect(result.text).toContain(words);
    expect(handler).not.toHaveBeenCalled();
  });

  it('[TOOL1] a schema that throws is a tool error', async () => {
    const input = z.object({}).refine(() => {
      throw new Error('the check itself failed');
    });
    const broken = defineTool({ name: 'broken', description: 'Fails.', input, handler: () => 'never' });
    expect(await new ToolBench().call(broken)).toMatchObject({
      ok: false,
      code: 'tool_failed',
      message: 'The tool "broken" failed: the check itself failed',
    });
  });
});

describe('results', () => {
  it.each([
    ['a text', 'plain', 'plain'],
    ['an object', { a: [1, null] }, '{"a":[1,null]}'],
    ['a number', 3, '3'],
    ['false', false, 'false'],
    ['null', null, 'null'],
    ['nothing', undefined, 'The tool has ended and returned nothing.'],
  ])('[TOOL8] %s', async (_, value, text) => {
    expect(await new ToolBench().run(() => value)).toEqual({ ok: true, text, value });
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each([
    ['a circle', circular],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
  ])('[TOOL8] %s cannot be told, and that is said', async (_, value) => {
    expect(await new ToolBench().run(() => value)).toMatchObject({ ok: false, code: 'result_not_json' });
  });

  it.each([
    ['an error', new Error('no disk'), 'tool_failed', 'The tool "a_tool" failed: no disk'],
    ['an error without words', new TypeError(), 'tool_failed', 'The tool "a_tool" failed: TypeError'],
    ['a text', 'just so', 'tool_failed', 'The tool "a_tool" failed: just so'],
    ['undefined', undefined, 'tool_failed', 'The tool "a_tool" failed: undefined'],
    [
      'an object of no kind',
      Object.create(null),
      'tool_failed',
      'The tool "a_tool" failed: [Object: null prototype] {}',
    ],
    ['a ToolError', new ToolError('full', 'The disk is full.'), 'full', 'The disk is full.'],
  ])(
    '[TOOL8] a handler that throws %s, at once or later, is a tool error',
    async (_, error, code, message) => {
      const now = await new ToolBench().run(() => {
        throw error;
      });
      const later = await new ToolBench().run(async () => {
        await settled();
        throw error;
      });
      expect(now).toEqual({ ok: false, code, message, text: `${message} (${code})` });
      expect(later).toEqual(now);
    },
  );

  it.each(['message', 'code'])(
    '[TOOL8] an error whose %s cannot be read is a tool error, too',
    async (part) => {
      const error = new ToolError('full', 'The disk is full.');
      Object.defineProperty(error, part, {
        get() {
          throw new Error('not to be read');
        },
      });
      const result = await new ToolBench().run(() => {
        throw error;
      });
      expect(result).toMatchObject({ ok: false, code: 'tool_failed' });
      expect(result.text).toContain('The tool "a_tool" failed');
    },
  );
});

describe('the context', () => {
  it('[TOOL1] names session and call, logs to the server’s log, and tells how far it is', async () => {
    const bench = new ToolBench();
    const progress = vi.fn();
    await bench
      .run(
        (context) => {
          context.logger.warn('Careful', { disk: '90 %' });
          context.progress('half');
          return `${context.sessionId} ${context.callId}`;
        },
        { callId: 'toolu_1', progress },
      )
      .then((result) => expect(result.text).toBe('ses_1 toolu_1'));
    expect(bench.logged).toEqual([
      {
        level: 'warn',
        message: 'Careful',
        details: { disk: '90 %', tool: 'a_tool', sessionId: 'ses_1', callId: 'toolu_1' },
      },
    ]);
    expect(progress).toHaveBeenCalledWith('half');
  });

  it('[TOOL10] says, at any moment, whether someone can answer', async () => {
    const bench = new ToolBench();
    bench.desk.isAvailable = () => false;
    const result = await bench.run((context) => {
      const before = context.interaction.available;
      bench.desk.isAvailable = () => true;
      return [before, context.interaction.available];
    });
    expect(result).toMatchObject({ value: [false, true] });
  });

  it('[TOOL10] a request that nobody can answer throws; the tool may go on without', async () => {
    const bench = new ToolBench();
    bench.desk.isAvailable = () => false;
    expect(await bench.run((context) => context.requestInteraction(ask()))).toMatchObject({
      ok: false,
      code: 'interaction_unavailable',
    });
    const fallback = await bench.run((context) =>
      context.requestInteraction(ask()).catch((error: ToolError) => `without, for ${error.code}`),
    );
    expect(fallback).toMatchObject({ ok: true, value: 'without, for interaction_unavailable' });
    expect(bench.desk.puts).toEqual([]);
  });

  it('[TOOL10] a session that does not run refuses the ask, in words', async () => {
    const bench = new ToolBench();
    bench.desk.ask = async () => ({
      ok: false,
      refusal: { code: 'session_stopped', message: 'It is stopped.' },
    });
    expect(await bench.run((context) => context.requestInteraction(ask()))).toMatchObject({
      ok: false,
      code: 'session_stopped',
      message: 'It is stopped.',
    });
  });
});

describe('approvals', () => {
  it('[TOOL7] once holds in this run; session and always beyond it', async () => {
    const bench = new ToolBench();
    const result = await bench.run(async ({ approvals }) => {
      await approvals.set('a', 'once');
      await approvals.set('b', 'session');
      await approvals.set('c', 'always');
      return [approvals.get('a'), approvals.get('b'), approvals.get('c'), approvals.get('d')];
    });
    expect(result).toMatchObject({ value: ['once', 'session', 'always', undefined] });
    const next = await bench.run(({ approvals }) =>
      ['a', 'b', 'c'].map((key) => approvals.get(key) ?? 'none'),
    );
    expect(next).toMatchObject({ value: ['none', 'session', 'always'] });
  });

  it('[TOOL7] the longest scope counts', async () => {
    const result = await new ToolBench().run(async ({ approvals }) => {
      await approvals.set('a', 'session');
      await approvals.set('a', 'once');
      return approvals.get('a') ?? 'none';
    });
    expect(result).toMatchObject({ value: 'session' });
  });

  it('[TOOL7] clearSession forgets once and session, not always, and not those of another tool', async () => {
    const bench = new ToolBench();
    await bench.call(toolOf(({ approvals }) => approvals.set('k', 'session'), 'other'));
    const result = await bench.run(async ({ approvals }) => {
      await approvals.set('a', 'once');
      await approvals.set('b', 'session');
      await approvals.set('c', 'always');
      await approvals.clearSession();
      return ['a', 'b', 'c'].map((key) => approvals.get(key) ?? 'none');
    });
    expect(result).toMatchObject({ value: ['none', 'none', 'always'] });
    expect(bench.desk.approval(session, 'other', 'k')).toBe('session');
  });

  it('[TOOL7] are kept on the word of whoever answered', async () => {
    const bench = new ToolBench();
    const kept = vi.spyOn(bench.desk, 'setApproval');
    const call = bench.run(async (context) => {
      await context.approvals.set('before', 'session');
      await context.requestInteraction(
        ask({
          async onResponse() {
            await context.approvals.set('after', 'session');
            return { complete: true };
          },
        }),
      );
      return 'done';
    });
    await bench.answer(await bench.asked(), submit);
    await call;
    expect(kept.mock.calls.map(([, { key, by }]) => [key, by])).toEqual([
      ['before', { kind: 'server', where: 'tool a_tool' }],
      ['after', { kind: 'person', where: 'test' }],
    ]);
  });

  it.each([
    ['no key', '', 'session'],
    ['a key that is no text', 7, 'session'],
    ['an endless key', 'k'.repeat(3000), 'always'],
    ['an unknown scope', 'k', 'forever'],
  ])('[TOOL7] %s is refused', async (_, key, scope) => {
    const result = await new ToolBench().run(({ approvals }) =>
      approvals.set(key as string, scope as 'once'),
    );
    expect(result).toMatchObject({ ok: false, code: 'invalid_request' });
  });

  it('[TOOL7] what could not be stored is an error, not a silence', async () => {
    const bench = new ToolBench();
    bench.desk.setApproval = async () => ({
      ok: false,
      refusal: { code: 'storage_unavailable', message: 'The disk is full.' },
    });
    expect(await bench.run(({ approvals }) => approvals.set('k', 'always'))).toMatchObject({
      code: 'storage_unavailable',
    });
  });
});

describe('the end of a run', () => {
  /** A tool that asks, and whose ask is open. */
  async function waiting(options: { signal?: AbortSignal; onCancel?: InputRequest['onCancel'] } = {}) {
    const bench = new ToolBench();
    const { onCancel = vi.fn() } = options;
    let signal: AbortSignal | undefined;
    const call = bench.run((context) => {
      signal = context.signal;
      return context.requestInteraction(ask({ onCancel }));
    }, options);
    return { bench, call, put: await bench.asked(), onCancel, aborted: () => signal?.aborted };
  }

  it('[TOOL9] the agent’s cancelling ends the handler: signal, onCancel once, ask withdrawn, a result in words', async () => {
    const agent = new AbortController();
    const { call, put, onCancel, aborted, bench } = await waiting({ signal: agent.signal });
    agent.abort();
    expect(await call).toMatchObject({
      ok: false,
      code: 'run_ended',
      message: 'The agent cancelled the call.',
    });
    await settled();
    expect(aborted()).toBe(true);
    expect(put.outcome).toBe('withdrawn');
    expect(onCancel).toHaveBeenCalledExactlyOnceWith('The agent cancelled the call.');
    expect(bench.clock.armed).toBe(0);
  });

  it('[TOOL9] a reason that was given is passed on', async () => {
    const agent = new AbortController();
    const { call } = await waiting({ signal: agent.signal });
    agent.abort('it took too long');
    expect((await call).text).toBe('The call was cancelled: it took too long (run_ended)');
  });

  it('[TOOL9] an interrupt ends it, in the interrupt’s words', async () => {
    const { bench, call, put, onCancel, aborted } = await waiting();
    bench.desk.interrupt(session);
    expect(await call).toMatchObject({ ok: false, message: 'The turn was interrupted.' });
    await settled();
    expect(aborted()).toBe(true);
    expect(put.outcome).toBe('interrupted');
    expect(onCancel).toHaveBeenCalledExactlyOnceWith('The turn was interrupted.');
  });

  it('[TOOL9] runs of other sessions go on', async () => {
    const { bench, call, put } = await waiting();
    bench.desk.interrupt('ses_2' as typeof session);
    await bench.answer(put, submit);
    expect((await call).ok).toBe(true);
  });

  it('[TOOL9] a handler that never returns and hears nothing is not waited for', async () => {
    const bench = new ToolBench();
    const agent = new AbortController();
    const call = bench.run(() => new Promise(() => {}), { signal: agent.signal });
    await settled();
    agent.abort();
    expect(await call).toMatchObject({ ok: false, code: 'run_ended' });
  });

  it('[TOOL9] what a handler does or throws after the end is nobody’s business', async () => {
    const bench = new ToolBench();
    const agent = new AbortController();
    const gate = Promise.withResolvers<void>();
    const codes: string[] = [];
    const call = bench.run(
      async (context) => {
        await gate.promise;
        await context.requestInteraction(ask()).catch((error: ToolError) => codes.push(error.code));
        throw new Error('after the end');
      },
      { signal: agent.signal },
    );
    await settled();
    agent.abort();
    expect(await call).toMatchObject({ code: 'run_ended' });
    gate.resolve();
    await settled();
    expect(codes).toEqual(['run_ended']);
    expect(bench.desk.puts).toEqual([]);
  });

  it('[TOOL9] a call that was cancelled before it began does not begin', async () => {
    const handler = vi.fn();
    expect(await new ToolBench().run(handler, { signal: AbortSignal.abort() })).toMatchObject({
      code: 'run_ended',
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('[TOOL9] cancelled while onResponse runs: the result is the end, the outcome is dropped', async () => {
    const bench = new ToolBench();
    const agent = new AbortController();
    const slow = Promise.withResolvers<{ reprompt: object }>();
    const onCancel = vi.fn();
    const call = bench.run(
      (context) => context.requestInteraction(ask({ onResponse: () => slow.promise, onCancel })),
      { signal: agent.signal },
    );
    await bench.answer(await bench.asked(), submit);
    await settled();
    agent.abort();
    expect(await call).toMatchObject({ code: 'run_ended' });
    slow.resolve({ reprompt: {} });
    await settled();
    expect(bench.desk.puts.map(({ outcome }) => outcome)).toEqual(['submitted']);
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it('[TOOL9] cancelled while the ask is being stored: it is withdrawn as soon as it is', async () => {
    const bench = new ToolBench();
    const agent = new AbortController();
    const gate = Promise.withResolvers<void>();
    const put = bench.desk.ask.bind(bench.desk);
    bench.desk.ask = async (...given) => {
      await gate.promise;
      return put(...given);
    };
    const onCancel = vi.fn();
    const call = bench.run((context) => context.requestInteraction(ask({ onCancel })), {
      signal: agent.signal,
    });
    await settled();
    agent.abort();
    expect((await call).ok).toBe(false);
    gate.resolve();
    await settled();
    expect(bench.desk.puts.map(({ outcome }) => outcome)).toEqual(['withdrawn']);
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it('[TOOL8] a handler that throws while it asks: the other ask is withdrawn, its card closed', async () => {
    const bench = new ToolBench();
    const onCancel = vi.fn();
    const call = bench.run(async (context) => {
      const open = context.requestInteraction(ask({ prompt: 'open', onCancel }));
      await context.requestInteraction(ask({ prompt: 'answered' }));
      throw new Error(`before ${typeof open} came`);
    });
    await bench.asked();
    await bench.answer(await bench.asked(), submit);
    expect(await call).toMatchObject({ ok: false, code: 'tool_failed' });
    await settled();
    expect(bench.desk.puts.map(({ outcome }) => outcome)).toEqual(['withdrawn', 'submitted']);
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it('[TOOL9] a handler that returns without waiting for its ask withdraws it', async () => {
    const bench = new ToolBench();
    const call = bench.run(async (context) => {
      void context.requestInteraction(ask());
      await settled();
      return 'did not wait';
    });
    expect(await call).toMatchObject({ ok: true, value: 'did not wait' });
    await settled();
    expect(bench.desk.puts.map(({ outcome }) => outcome)).toEqual(['withdrawn']);
  });

  it('[TOOL9] an onCancel that throws, at once or later, ends nothing else', async () => {
    const agent = new AbortController();
    const { bench, call } = await waiting({
      signal: agent.signal,
      onCancel: () => {
        throw new Error('could not clean up');
      },
    });
    agent.abort();
    expect(await call).toMatchObject({ code: 'run_ended' });
    await settled();
    expect(bench.logged).toContainEqual(expect.objectContaining({ message: 'onCancel failed' }));
  });

  it('[TOOL6] the server’s end ends the runs and leaves what they asked', async () => {
    const { bench, call, put, onCancel } = await waiting();
    bench.runs.close('The server is ending.');
    expect(await call).toMatchObject({
      ok: false,
      code: 'run_ended',
      message: 'The server is ending. What was asked stays open, and the answer will come as a message.',
    });
    await settled();
    expect(put.outcome).toBeUndefined();
    expect(onCancel).toHaveBeenCalledTimes(1);
    expect(await bench.run(() => 'one more')).toMatchObject({ code: 'run_ended' });
  });

  it('[TOOL9] the server’s end, when nothing is asked, is just that', async () => {
    const bench = new ToolBench();
    const call = bench.run(() => new Promise(() => {}));
    await settled();
    bench.runs.close('The server is ending.');
    expect(await call).toMatchObject({ message: 'The server is ending.' });
  });
});
