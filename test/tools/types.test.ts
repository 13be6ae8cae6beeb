import {
  defineTool,
  type InteractionOutcome,
  type QueuedResult,
  type Tool,
  type ToolContext,
} from 'beckon/tools';
import { runTool } from 'beckon/tools/testing';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

// What is written here is checked by the compiler; nothing of it runs.
declare const context: ToolContext;
const compiled = (_: () => unknown): void => {};

describe('types', () => {
  it('[TOOL1] the handler’s arguments are those of the input', () => {
    compiled(() =>
      defineTool({
        name: 'typed',
        description: 'd',
        input: z.object({
          to: z.string(),
          times: z.number().default(1),
          tags: z.array(z.string()).optional(),
        }),
        handler(args, given) {
          expectTypeOf(args).toEqualTypeOf<{ to: string; times: number; tags?: string[] | undefined }>();
          expectTypeOf(given).toEqualTypeOf<ToolContext>();
          return args.to;
        },
      }),
    );
    compiled(() => {
      // @ts-expect-error a tool needs a description
      defineTool({ name: 'x', input: z.object({}), handler: () => 'x' });
      // @ts-expect-error the input is an object
      defineTool({ name: 'x', description: 'd', input: z.string(), handler: () => 'x' });
      // @ts-expect-error a handler says something
      defineTool({ name: 'x', description: 'd', input: z.object({}), handler: () => {} });
    });
  });

  it('[TOOL1] tools of all inputs go into one list', () => {
    const one = defineTool({
      name: 'a',
      description: 'd',
      input: z.object({ a: z.string() }),
      handler: () => 1,
    });
    expectTypeOf(one).toExtend<Tool>();
  });

  it('[TOOL3] [TOOL4] what a person fills in is typed by the fields', () => {
    compiled(() =>
      context.requestInteraction({
        type: 'input',
        prompt: 'All of it',
        inputSchema: {
          type: 'form',
          fields: [
            { id: 'text', type: 'text', label: 'T', required: true },
            { id: 'long', type: 'textarea', label: 'L' },
            { id: 'count', type: 'number', label: 'N', required: true },
            { id: 'day', type: 'date', label: 'D' },
            { id: 'sure', type: 'checkbox', label: 'S' },
            { id: 'one', type: 'select', label: 'O', options: ['a'], required: true },
            { id: 'many', type: 'multiselect', label: 'M', options: ['a'] },
          ],
        },
        onResponse(response) {
          expectTypeOf(response.action).toEqualTypeOf<'submit' | 'cancel'>();
          if (response.action === 'cancel') return { complete: response.reason };
          expectTypeOf(response.input.text).toEqualTypeOf<string>();
          expectTypeOf(response.input.long).toEqualTypeOf<string | undefined>();
          expectTypeOf(response.input.count).toEqualTypeOf<number>();
          expectTypeOf(response.input.day).toEqualTypeOf<string | undefined>();
          expectTypeOf(response.input.sure).toEqualTypeOf<boolean | undefined>();
          expectTypeOf(response.input.one).toEqualTypeOf<string>();
          expectTypeOf(response.input.many).toEqualTypeOf<string[] | undefined>();
          // @ts-expect-error there is no such field
          response.input.other;
          return { complete: 'done' };
        },
      }),
    );
  });

  it('[TOOL4] an approval is approved, with a scope, or denied, with a reason', () => {
    compiled(() =>
      context.requestInteraction({
        type: 'approval',
        prompt: 'May I?',
        onResponse(response) {
          expectTypeOf(response.action).toEqualTypeOf<'approve' | 'deny'>();
          return response.action === 'approve'
            ? { complete: response.approvalScope }
            : { complete: response.reason };
        },
      }),
    );
  });

  it('[TOOL4] the result is what the handlers complete with, and a queued result where they may be pending', () => {
    compiled(async () => {
      const ask = { type: 'approval', prompt: 'May I?' } as const;
      const plain = await context.requestInteraction({ ...ask, onResponse: () => ({ complete: 3 }) });
      expectTypeOf(plain).toEqualTypeOf<number>();
      const again = await context.requestInteraction({
        ...ask,
        onResponse: async (said) =>
          said.action === 'deny' ? { reprompt: { error: 'Why not?' } } : { complete: 'yes' },
      });
      expectTypeOf(again).toEqualTypeOf<string>();
      const late = await context.requestInteraction({
        ...ask,
        onResponse: () => ({ complete: true }),
        onTimeout: () => ({ pending: { message: 'Later' } }),
      });
      expectTypeOf(late).toEqualTypeOf<boolean | QueuedResult>();
      const left = await context.requestInteraction({
        type: 'approval',
        whenNobody: 'leave open',
        onResponse: () => ({ complete: 3 }),
      });
      expectTypeOf(left).toEqualTypeOf<number | QueuedResult>();
      const failing = await context.requestInteraction({
        ...ask,
        whenNobody: 'fail',
        onResponse: () => ({ complete: 3 }),
      });
      expectTypeOf(failing).toEqualTypeOf<number>();
      const wide = await context.requestInteraction({
        ...ask,
        onResponse: (): InteractionOutcome<number> => ({ complete: 3 }),
      });
      expectTypeOf(wide).toEqualTypeOf<number | QueuedResult>();
    });
  });

  it('[TOOL2] [TOOL4] what cannot be, does not compile', () => {
    compiled(() => {
      const ask = { prompt: 'x', onResponse: () => ({ complete: 1 }) };
      // @ts-expect-error input needs a form
      context.requestInteraction({ ...ask, type: 'input' });
      // @ts-expect-error there is no such type
      context.requestInteraction({ ...ask, type: 'question' });
      // @ts-expect-error somebody must hear the answer
      context.requestInteraction({ type: 'approval', prompt: 'x' });
      // @ts-expect-error that is no outcome
      context.requestInteraction({ type: 'approval', prompt: 'x', onResponse: () => ({ done: 1 }) });
      // @ts-expect-error there is no such option
      context.requestInteraction({ ...ask, type: 'approval', promt: 'x' });
      // @ts-expect-error nobody waits
      context.requestInteraction({ ...ask, type: 'approval', whenNobody: 'wait' });
      // @ts-expect-error that is no scope
      context.requestInteraction({ ...ask, type: 'approval', approvalScopes: ['forever'] });
      context.requestInteraction({
        ...ask,
        type: 'input',
        // @ts-expect-error a choice needs options
        inputSchema: { type: 'form', fields: [{ id: 'x', type: 'select', label: 'X' }] },
      });
      // @ts-expect-error that is no scope
      context.approvals.set('key', 'forever');
    });
  });

  it('[TOOL1] runTool takes what the agent may send', () => {
    const tool = defineTool({
      name: 'a',
      description: 'd',
      input: z.object({ city: z.string(), days: z.number().default(1) }),
      handler: () => 'x',
    });
    compiled(() => runTool(tool, { city: 'Rome' }));
    // @ts-expect-error the city is missing
    compiled(() => runTool(tool, { days: 1 }));
    // @ts-expect-error approvals are not submitted with an empty hand
    compiled(() => runTool(tool, { city: 'Rome' }, { respond: () => ({ action: 'submit' }) }));
  });
});
