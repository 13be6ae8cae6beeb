import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InteractionOutcome } from '../../src/tools/sdk/index.ts';
import { session, settled, ToolBench } from './tool-bench.ts';

type Step = 'answer' | 'time' | 'cancel' | 'interrupt' | 'settle' | 'stop';

const outcome = fc.constantFrom<InteractionOutcome | 'throw'>(
  { complete: 'done' },
  { reprompt: { error: 'again' } },
  { pending: { message: 'later' } },
  { pending: { message: 'elsewhere', queued: false } },
  'throw',
);
const step = fc.constantFrom<Step>(
  'answer',
  'answer',
  'answer',
  'time',
  'settle',
  'settle',
  'cancel',
  'interrupt',
  'stop',
);
const scene = fc.record({
  steps: fc.array(step, { maxLength: 12 }),
  answers: fc.array(outcome, { maxLength: 6 }),
  timeouts: fc.array(outcome, { maxLength: 3 }),
  requests: fc.integer({ min: 1, max: 2 }),
});

it('[TOOL4] [TOOL9] whatever happens in whatever order, everything has one end', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ steps, answers, timeouts, requests }) => {
      const bench = new ToolBench();
      const agent = new AbortController();
      const cancels = new Map<number, number>();
      const next = (from: (InteractionOutcome | 'throw')[]): InteractionOutcome => {
        const given = from.shift() ?? { complete: 'by default' };
        if (given === 'throw') throw new Error('as was to be expected');
        return given;
      };
      const call = bench.run(
        (context) =>
          Promise.all(
            Array.from({ length: requests }, (_, request) =>
              context.requestInteraction({
                type: 'approval',
                prompt: `Request ${request}`,
                onResponse: async () => next(answers),
                onTimeout: async () => next(timeouts),
                onCancel: () => void cancels.set(request, (cancels.get(request) ?? 0) + 1),
              }),
            ),
          ),
        { signal: agent.signal },
      );
      let results = 0;
      void call.then(() => {
        results += 1;
      });
      const open = () => bench.desk.puts.filter((put) => put.outcome === undefined);
      const acts: Record<Step, () => unknown> = {
        // Not waited for: the next step comes while this one is under way.
        answer: () => {
          for (const { id } of open()) void bench.desk.respond(id, { action: 'approve' });
        },
        time: () => bench.clock.pass(300_000),
        cancel: () => agent.abort(),
        interrupt: () => bench.desk.interrupt(session),
        stop: () => bench.desk.stop(session),
        settle: settled,
      };
      for (const one of steps) await acts[one]();
      await settled();
      agent.abort();
      await call;
      await settled();

      expect(results).toBe(1);
      expect(open().filter(({ leftOpen }) => leftOpen === undefined)).toEqual([]);
      expect(bench.clock.armed).toBe(0);
      expect([...cancels.values()].filter((times) => times > 1)).toEqual([]);
      bench.desk.stop(session);
      await settled();
      expect(open()).toEqual([]);
      expect([...cancels.values()].filter((times) => times > 1)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
