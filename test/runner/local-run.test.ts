import { expect, test } from 'vitest';
import type { OrderOutcome } from '../../src/engine/ports/runner.ts';
import type { Ask } from '../../src/protocol/interaction.ts';
import { LocalRun } from '../../src/runner/local-run.ts';
import type { AgentConnection } from '../../src/runner/ports/agent-driver.ts';

const failed: OrderOutcome = { ok: false, code: 'EAGAIN', message: 'Not now' };

test.each<[string, OrderOutcome, number]>([
  ['reached the agent is not given again', { ok: true }, 1],
  ['may have reached the agent is not given again', { ...failed, uncertain: true }, 1],
  ['certainly did not reach the agent can be given again', failed, 2],
])('[SES19] an order that %s', async (_, first, times) => {
  const outcomes = [first, { ok: true } as const];
  let written = 0;
  const answer = async (): Promise<OrderOutcome> => outcomes[written++] ?? failed;
  const run = new LocalRun({ id: 'run', last: 0, report: () => {}, onExit: () => {} });
  run.begin('startError', 0, () => ({ answer }) as unknown as AgentConnection);
  const order = {
    kind: 'answer',
    id: 'int_1',
    ask: {} as Ask,
    decision: { type: 'allow', scope: 'once' },
  } as const;
  expect(await run.give(order)).toEqual(first);
  expect(await run.give(order)).toEqual(outcomes[times - 1]);
  expect(written).toBe(times);
});
