import { expect, test } from 'vitest';
import { ModeAfterPlan } from '../../../src/drivers/acp/mode-after-plan.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { modeChange } from '../../../src/drivers/facts.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';

/** An agent that leaves its plan for a mode of its own, and then takes or refuses the one it is asked for. */
async function leavePlan(wanted: string, own: string, takes: boolean) {
  const start = { cwd: '/work', prefix: 'p', permissionMode: 'plan', model: null, outputOf: () => undefined };
  const memory = newMemory(start);
  const told: AgentFact[] = [];
  const asked: string[] = [];
  const after = new ModeAfterPlan({
    memory,
    report: (facts) => told.push(...facts),
    setMode: async (mode) => {
      asked.push(mode);
      if (!takes) throw new Error('not now');
      told.push(...modeChange(memory, mode));
    },
  });
  after.want(wanted, 'c1');
  for (const update of [
    { sessionUpdate: 'current_mode_update', currentModeId: own },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' },
  ]) {
    told.push(...translateUpdate(memory, update).filter((fact) => !after.isOnTheWay(fact)));
    if (after.isLeftBy(update)) await after.goOn();
  }
  const modes = told.flatMap((fact) => (fact.type === 'mode-changed' ? [fact.permissionMode] : []));
  const notices = told.flatMap((fact) =>
    fact.type === 'said' && fact.event.type === 'agent.notice' ? [fact.event.text] : [],
  );
  return { asked, modes, notices };
}

test('[ASK8] the mode that was chosen is asked for once, and what lies on the way to it is not told', async () => {
  expect(await leavePlan('acceptEdits', 'default', true)).toEqual({
    asked: ['acceptEdits'],
    modes: ['acceptEdits'],
    notices: [],
  });
});

test('[ASK8] an agent that goes there by itself is not asked', async () => {
  expect(await leavePlan('default', 'default', true)).toEqual({ asked: [], modes: ['default'], notices: [] });
});

test('[ASK8] [SES13] where the mode is refused, the one the agent stays in is told, and why', async () => {
  const { modes, notices } = await leavePlan('acceptEdits', 'default', false);
  expect(modes).toEqual(['default']);
  expect(notices).toEqual([
    'The plan is approved, but the agent does not go on in the mode "acceptEdits": not now',
  ]);
});
