import { expect, it } from 'vitest';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { bashAsk, capabilities } from '../support/session-states.ts';

endRoomsAfterEach();

/** A session in the middle of a turn whose agent has said that it cannot be interrupted. */
async function uninterruptible() {
  const room = await openRoom();
  const { id } = await room.create();
  await room.event(id, 'process.starting');
  const agent = room.driver.agent(id);
  agent.report({
    type: 'ready',
    agentSessionId: null,
    version: null,
    capabilities: { ...capabilities, interrupt: false },
  });
  await room.event(id, 'process.ready');
  await room.do('sendMessage', { session: id, message: 'go on' });
  agent.begin();
  await room.event(id, 'turn.started');
  return { room, id, agent };
}

it('[SES5] an agent that cannot be interrupted is not, and that is said', async () => {
  const { room, id, agent } = await uninterruptible();
  const refusal = await room.refused('interrupt', { session: id });
  expect(refusal).toMatchObject({ code: 'agent_refused', message: 'This agent cannot be interrupted.' });
  expect(room.all(id, 'turn.interrupting')).toEqual([]);
  expect(agent.kinds()).toEqual(['send']);
  expect(room.snapshot(id).session.interrupting).toBeNull();
});

it('[SES5] [ASK8] nor is it by a denial, and what was asked stays open', async () => {
  const { room, id, agent } = await uninterruptible();
  const { interactionId: requestId } = await room.asks(id, bashAsk('r1', 'ls'));
  const refusal = await room.refused('approve', {
    session: id,
    requestId,
    decision: 'deny',
    interrupt: true,
  });
  expect(refusal).toMatchObject({ code: 'invalid_value', details: { field: 'interrupt' } });
  expect(room.snapshot(id).pending).toHaveLength(1);
  await room.do('approve', { session: id, requestId, decision: 'deny' });
  expect(agent.kinds()).toEqual(['send', 'answer']);
});
