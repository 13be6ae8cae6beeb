import { describe, expect, it, vi } from 'vitest';
import { refuse } from '../../src/protocol/errors.ts';
import type { InputRequest } from '../../src/tools/sdk/interaction.ts';
import { session, settled, ToolBench } from './tool-bench.ts';

const message = 'Somebody was notified.';

const ask = (more: Partial<InputRequest>): InputRequest => ({
  type: 'input',
  prompt: 'Which way?',
  inputSchema: { type: 'form', fields: [{ id: 'way', type: 'text', label: 'Way', required: true }] },
  onResponse: (said) => ({ complete: said.action === 'submit' ? `We go ${said.input.way}` : 'We stay' }),
  onTimeout: () => ({ pending: { message } }),
  ...more,
});

const submit = (way: string) => ({ action: 'submit', input: { way } }) as const;
const late = (text: string): string => `Result of your earlier call of the tool "a_tool":\n\n${text}`;

/** A bench on which a tool has left its ask open at the time limit. */
async function leftOpen(more: Partial<InputRequest> = {}) {
  const bench = new ToolBench();
  const call = bench.run((context) => context.requestInteraction(ask(more)));
  const put = await bench.asked();
  bench.clock.pass(300_000);
  return { bench, put, result: await call };
}

describe('pending', () => {
  it('[TOOL6] at the time limit: the call ends with a queued result, the ask stays open', async () => {
    const { bench, put, result } = await leftOpen();
    expect(result).toEqual({
      ok: true,
      text: `{"status":"queued","message":"${message}"}`,
      value: { status: 'queued', message },
    });
    expect(put).toMatchObject({ outcome: undefined, leftOpen: { message } });
    expect(bench.desk.puts).toHaveLength(1);
  });

  it('[TOOL6] the late answer goes through onResponse once more, and its result becomes one message', async () => {
    const { bench, put } = await leftOpen();
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('We go north')]);
    expect(put.outcome).toBe('submitted');
  });

  it('[TOOL6] a result that is no text is told as JSON', async () => {
    const { bench, put } = await leftOpen({ onResponse: () => ({ complete: { ok: true } }) });
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('{"ok":true}')]);
  });

  it('[TOOL6] a late onResponse that throws: the answer is delivered as it was given', async () => {
    let calls = 0;
    const { bench, put } = await leftOpen({
      onResponse: () => {
        calls += 1;
        throw new Error('broken by then');
      },
    });
    await bench.answer(put, submit('north'));
    expect(calls).toBe(1);
    expect(bench.desk.lateMessages).toEqual(['Answer to your earlier question "Which way?": north']);
    expect(bench.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        details: expect.objectContaining({ reason: 'broken by then' }),
      }),
    );
  });

  it('[TOOL5] [TOOL6] a late answer that will not do is asked again, and that stays open, too', async () => {
    const { bench, put } = await leftOpen({
      onResponse: (said) =>
        said.action === 'submit' && said.input.way === 'south'
          ? { complete: 'South it is' }
          : { reprompt: { error: 'Only south is open.' } },
    });
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([]);
    const second = await bench.asked();
    expect(second).toMatchObject({
      leftOpen: {},
      ask: {
        tool: { attempt: 2, replaces: put.id },
        form: { error: 'Only south is open.', initialValues: { way: 'north' } },
      },
    });
    expect(second.ask.expiresAt).toBeUndefined();
    await bench.answer(second, submit('south'));
    expect(bench.desk.lateMessages).toEqual([late('South it is')]);
  });

  it('[TOOL5] [TOOL6] late reprompts end at ten, and the agent is told', async () => {
    const { bench } = await leftOpen({ onResponse: () => ({ reprompt: { error: 'No.' } }) });
    for (let asked = 0; asked <= 10; asked += 1) {
      const put = bench.desk.puts[asked];
      if (put === undefined) throw new Error(`There is no ask ${asked + 1}`);
      await bench.answer(put, submit('north'));
    }
    expect(bench.desk.puts).toHaveLength(11);
    expect(bench.desk.lateMessages).toEqual([expect.stringContaining('could not be asked again')]);
  });

  it('[TOOL6] from onResponse: what was answered is over, so the same is asked anew and left open', async () => {
    const bench = new ToolBench();
    let isOpen = false;
    const call = bench.run((context) =>
      context.requestInteraction(
        ask({
          onResponse: (said) =>
            isOpen && said.action === 'submit'
              ? { complete: `Open: ${said.input.way}` }
              : { pending: { message: 'The gate is closed.' } },
        }),
      ),
    );
    const first = await bench.asked();
    await bench.answer(first, submit('north'));
    expect(await call).toMatchObject({
      ok: true,
      value: { status: 'queued', message: 'The gate is closed.' },
    });
    const second = await bench.asked();
    expect(first.outcome).toBe('submitted');
    expect(second).toMatchObject({
      outcome: undefined,
      leftOpen: { message: 'The gate is closed.' },
      ask: { title: 'Which way?', tool: { attempt: 2, replaces: first.id } },
    });
    expect(second.ask.expiresAt).toBeUndefined();
    expect(bench.clock.armed).toBe(0);
    isOpen = true;
    await bench.answer(second, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('Open: north')]);
  });

  it('[TOOL6] pending once more, late: it stays open', async () => {
    let answers = 0;
    const { bench, put } = await leftOpen({
      onResponse: () => {
        answers += 1;
        return answers < 3 ? { pending: { message: `Not yet ${answers}` } } : { complete: 'Now' };
      },
    });
    await bench.answer(put, submit('a'));
    const second = await bench.asked();
    expect(second.leftOpen).toEqual({ message: 'Not yet 1' });
    await bench.answer(second, submit('b'));
    await bench.answer(await bench.asked(), submit('c'));
    expect(bench.desk.lateMessages).toEqual([late('Now')]);
  });

  it('[TOOL6] queued: false keeps nothing open: the answer comes by a way of the tool’s own', async () => {
    const { bench, put, result } = await leftOpen({
      onTimeout: () => ({ pending: { message: 'By mail', queued: false } }),
    });
    expect(result).toMatchObject({ ok: true, value: { status: 'pending', message: 'By mail' } });
    expect(put).toMatchObject({ outcome: 'expired', leftOpen: undefined });
    expect(bench.desk.puts).toHaveLength(1);
  });

  it('[TOOL6] [TOOL7] the late onResponse may still keep an approval, and cannot ask', async () => {
    const bench = new ToolBench();
    let asked: unknown;
    const call = bench.run((context) =>
      context.requestInteraction(
        ask({
          async onResponse() {
            await context.approvals.set('way', 'session');
            asked = await context.requestInteraction(ask({})).catch((error: { code: string }) => error.code);
            return { complete: context.signal.aborted };
          },
        }),
      ),
    );
    const put = await bench.asked();
    bench.clock.pass(300_000);
    await call;
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('false')]);
    expect(asked).toBe('run_ended');
    expect(bench.desk.approval(session, 'a_tool', 'way')).toBe('session');
  });

  it('[TOOL6] an interrupt later leaves it open; the answer still arrives', async () => {
    const { bench, put } = await leftOpen();
    bench.desk.interrupt(session);
    await settled();
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('We go north')]);
  });

  it('[TOOL9] ended without an answer, onCancel is called once', async () => {
    const onCancel = vi.fn();
    const { bench, put } = await leftOpen({ onCancel });
    expect(onCancel).not.toHaveBeenCalled();
    bench.desk.stop(session);
    await settled();
    expect(put.outcome).toBe('interrupted');
    expect(onCancel.mock.calls).toEqual([['The session was stopped.']]);
    expect(bench.desk.lateMessages).toEqual([]);
  });

  it('[TOOL6] an answer just before it is left open is the call’s result', async () => {
    const bench = new ToolBench();
    const leave = bench.desk.leaveOpen.bind(bench.desk);
    bench.desk.leaveOpen = async (sessionId, id, words) => {
      await bench.desk.respond(id, submit('north'));
      return leave(sessionId, id, words);
    };
    const call = bench.run((context) => context.requestInteraction(ask({})));
    await bench.asked();
    bench.clock.pass(300_000);
    expect(await call).toMatchObject({ ok: true, value: 'We go north' });
    expect(bench.desk.lateMessages).toEqual([]);
    expect(bench.desk.puts).toHaveLength(1);
  });

  it('[TOOL6] the same, when the tool hears of it only after the refusal', async () => {
    const bench = new ToolBench();
    const put = bench.desk.ask.bind(bench.desk);
    let hear: Parameters<typeof put>[2] = async () => null;
    bench.desk.ask = (sessionId, given, listener) => {
      hear = listener;
      return put(sessionId, given, listener);
    };
    bench.desk.leaveOpen = async () => {
      setImmediate(
        () =>
          void hear({
            kind: 'decided',
            outcome: 'submitted',
            decision: { type: 'submit', values: { way: 'north' } },
            by: { kind: 'person' },
          }),
      );
      return refuse('interaction_already_resolved');
    };
    const call = bench.run((context) => context.requestInteraction(ask({})));
    await bench.asked();
    bench.clock.pass(300_000);
    expect(await call).toMatchObject({ ok: true, value: 'We go north' });
  });

  it('[TOOL6] an answer just before it is left open, and the tool still wants to wait: asked anew and left open', async () => {
    const bench = new ToolBench();
    const leave = bench.desk.leaveOpen.bind(bench.desk);
    bench.desk.leaveOpen = async (sessionId, id, words) => {
      bench.desk.leaveOpen = leave;
      await bench.desk.respond(id, submit('north'));
      return leave(sessionId, id, words);
    };
    const call = bench.run((context) =>
      context.requestInteraction(ask({ onResponse: () => ({ pending: { message: 'Closed.' } }) })),
    );
    await bench.asked();
    bench.clock.pass(300_000);
    expect(await call).toMatchObject({ ok: true, value: { status: 'queued', message: 'Closed.' } });
    expect(bench.desk.puts).toMatchObject([
      { outcome: 'submitted', leftOpen: undefined },
      { outcome: undefined, leftOpen: { message: 'Closed.' } },
    ]);
  });

  it('[TOOL6] an answer just after it was left open is a message, though the tool knows of neither yet', async () => {
    const bench = new ToolBench();
    const leave = bench.desk.leaveOpen.bind(bench.desk);
    bench.desk.leaveOpen = async (sessionId, id, words) => {
      const left = await leave(sessionId, id, words);
      void bench.desk.respond(id, submit('north'));
      return left;
    };
    const call = bench.run((context) => context.requestInteraction(ask({})));
    await bench.asked();
    bench.clock.pass(300_000);
    expect(await call).toMatchObject({ ok: true, value: { status: 'queued' } });
    await settled();
    expect(bench.desk.lateMessages).toEqual([late('We go north')]);
  });
});

describe('an agent that gives up on calls', () => {
  async function outlasting(more: Partial<InputRequest>) {
    const bench = new ToolBench();
    const options = { limitMs: 60_000 };
    const call = bench.run((context) => context.requestInteraction(ask({ timeoutMs: 0, ...more })), options);
    const put = await bench.asked();
    return { bench, put, call };
  }

  it('[TOOL16] before it does, the call ends, the ask stays open, and the answer is one message', async () => {
    const { bench, put, call } = await outlasting({});
    bench.clock.pass(47_000);
    await settled();
    expect(put.leftOpen).toBeUndefined();
    bench.clock.pass(1_000);
    expect(await call).toMatchObject({ ok: true, value: { status: 'queued' } });
    expect(put).toMatchObject({
      outcome: undefined,
      leftOpen: { message: expect.stringContaining('stays open') },
    });
    await bench.answer(put, submit('north'));
    expect(bench.desk.lateMessages).toEqual([late('We go north')]);
  });

  it('[TOOL16] an answer in time is the result, and no clock is left', async () => {
    const { bench, put, call } = await outlasting({});
    await bench.answer(put, submit('north'));
    expect(await call).toMatchObject({ value: 'We go north' });
    bench.clock.pass(60_000);
    await settled();
    expect(put.leftOpen).toBeUndefined();
    expect(bench.desk.lateMessages).toEqual([]);
  });

  it('[TOOL16] what is asked again after that is left open at once', async () => {
    const bench = new ToolBench();
    const call = bench.run(
      async (context) => {
        await context.requestInteraction(ask({ timeoutMs: 0 }));
        return context.requestInteraction(ask({ timeoutMs: 0, prompt: 'And then?' }));
      },
      { limitMs: 60_000 },
    );
    await bench.asked();
    bench.clock.pass(48_000);
    const second = await bench.asked();
    expect(await call).toMatchObject({ value: { status: 'queued' } });
    expect(second.leftOpen).toBeDefined();
  });
});
