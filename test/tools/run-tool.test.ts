import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../../src/tools/sdk/index.ts';
import { defineTool } from '../../src/tools/sdk/index.ts';
import { type Prompt, runTool } from '../../src/tools/testing/index.ts';

const tool = (handler: (context: ToolContext) => unknown) =>
  defineTool({
    name: 'tried',
    description: 'A tool that is tried out.',
    input: z.object({ city: z.string().optional() }),
    handler: (_, context) => handler(context) as string,
  });

const asking = tool((context) =>
  context.requestInteraction({
    type: 'input',
    prompt: 'How many?',
    inputSchema: {
      type: 'form',
      fields: [{ id: 'count', type: 'number', label: 'Count', required: true, minimum: 1, defaultValue: 2 }],
    },
    onResponse: (said) =>
      said.action === 'submit' && said.input.count === 1
        ? { reprompt: { error: 'More than one.' } }
        : { complete: said },
    onTimeout: () => ({ pending: { message: 'Later.' } }),
  }),
);

describe('runTool', () => {
  it('[TOOL14] fails a tool that the server would not offer, and says why', async () => {
    const wrong = { ...asking, askfirst: true } as typeof asking;
    await expect(runTool(wrong, {})).rejects.toThrow(
      '"askfirst" is not known here; did you mean "askFirst"?',
    );
  });

  it('[TOOL15] with nobody there and whenNobody: leaves the question open, and gives the message of its answer', async () => {
    const patient = tool((context) =>
      context.requestInteraction({
        type: 'approval',
        whenNobody: 'leave open',
        onResponse: ({ action }) => ({ complete: action }),
      }),
    );
    const trial = await runTool(patient, {}, { available: false });
    expect(trial.result).toMatchObject({ ok: true, value: { status: 'queued' } });
    expect(trial.open).toMatchObject([{ prompt: 'Allow "tried"?' }]);
    expect(await trial.answerLate({ action: 'approve' })).toMatch(/approve$/);
    const there = await runTool(patient, {}, { respond: () => ({ action: 'deny' }) });
    expect(there.result).toMatchObject({ ok: true, value: 'deny' });
    expect(there.open).toEqual([]);
  });

  it('[TOOL12] plays a conversation through, and shows what the person saw', async () => {
    const seen: Prompt[] = [];
    const trial = await runTool(
      asking,
      {},
      {
        respond(prompt) {
          seen.push(prompt);
          return { action: 'submit', input: { count: prompt.attempt } };
        },
      },
    );
    expect(trial.result).toMatchObject({ ok: true, value: { action: 'submit', input: { count: 2 } } });
    expect(seen).toEqual([
      {
        id: 'int_1',
        type: 'input',
        prompt: 'How many?',
        fields: [expect.objectContaining({ id: 'count', type: 'number' })],
        values: { count: 2 },
        error: undefined,
        approvalScopes: [],
        presentation: 'tool',
        attempt: 1,
        replaces: undefined,
        expiresAt: '2026-01-01T00:05:00.000Z',
      },
      expect.objectContaining({
        error: 'More than one.',
        values: { count: 1 },
        attempt: 2,
        replaces: 'int_1',
      }),
    ]);
    expect(trial.prompts).toEqual(seen);
    expect(trial.open).toEqual([]);
  });

  it('[TOOL6] lets time pass, and answers late', async () => {
    const trial = await runTool(asking, {}, { respond: () => 'timeout', now: '2030-05-01T10:00:00Z' });
    expect(trial.prompts[0]?.expiresAt).toBe('2030-05-01T10:05:00.000Z');
    expect(trial.result).toMatchObject({ ok: true, value: { status: 'queued', message: 'Later.' } });
    expect(trial.open).toHaveLength(1);
    expect(await trial.answerLate({ action: 'submit', input: { count: 1 } })).toBeUndefined();
    expect(trial.open).toMatchObject([{ error: 'More than one.', values: { count: 1 } }]);
    expect(await trial.answerLate({ action: 'submit', input: { count: 4 } })).toContain('"count":4');
    expect(trial.lateMessages).toHaveLength(1);
    await expect(trial.answerLate({ action: 'cancel' })).rejects.toThrow('left nothing open');
  });

  it('[TOOL9] interrupts, and cancels', async () => {
    expect((await runTool(asking, {}, { respond: () => 'interrupt' })).result).toMatchObject({
      ok: false,
      message: 'The turn was interrupted.',
    });
    const agent = new AbortController();
    const cancelled = await runTool(
      asking,
      {},
      {
        signal: agent.signal,
        respond: () => {
          agent.abort();
          return new Promise(() => {});
        },
      },
    );
    expect(cancelled.result).toMatchObject({ ok: false, code: 'run_ended' });
  });

  it('[TOOL10] nobody there', async () => {
    expect((await runTool(asking, {}, { available: false })).result).toMatchObject({
      code: 'interaction_unavailable',
    });
    let isThere = false;
    const late = tool((context) => {
      const before = context.interaction.available;
      isThere = true;
      return [before, context.interaction.available];
    });
    expect((await runTool(late, {}, { available: () => isThere })).result).toMatchObject({
      value: [false, true],
    });
  });

  it('[TOOL7] with approvals of before, and shows those of after', async () => {
    const keeping = tool(async ({ approvals, logger, progress }) => {
      logger.info('Looked');
      progress('half');
      await approvals.set('new', 'always');
      await approvals.set('once', 'once');
      return ['old', 'new', 'once', 'none'].map((key) => approvals.get(key) ?? 'no');
    });
    const trial = await runTool(keeping, {}, { approvals: { old: 'session' } });
    expect(trial.result).toMatchObject({ value: ['session', 'always', 'once', 'no'] });
    expect(trial.approvals).toEqual({ old: 'session', new: 'always' });
    expect(trial.log).toEqual([{ level: 'info', message: 'Looked' }]);
    expect(trial.progress).toEqual(['half']);
  });

  it('[TOOL1] arguments are checked as for an agent', async () => {
    const result = (await runTool(asking, { city: 3 } as never)).result;
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments' });
  });

  it.each([
    ['nobody to answer', {}, 'nobody was to answer'],
    [
      'an answer nobody could give',
      { respond: () => ({ action: 'submit', input: { count: 0 } }) as const },
      'must be at least 1',
    ],
    ['an answer of the wrong kind', { respond: () => ({ action: 'approve' }) as const }, 'must be filled in'],
    [
      'a person who throws',
      {
        respond: () => {
          throw new Error('not what I expected to see');
        },
      },
      'not what I expected to see',
    ],
  ])('[TOOL12] %s fails the test itself, and not the tool', async (_, options, words) => {
    await expect(runTool(asking, {}, options)).rejects.toThrow(words);
  });

  it('[TOOL12] a limit that is not there cannot pass', async () => {
    const patient = tool((context) =>
      context.requestInteraction({
        type: 'approval',
        prompt: 'May I?',
        timeoutMs: 0,
        onResponse: () => ({ complete: 1 }),
      }),
    );
    await expect(runTool(patient, {}, { respond: () => 'timeout' })).rejects.toThrow('has no time limit');
  });
});
