import { expect, test } from 'vitest';
import type { Ask } from '../../src/protocol/interaction.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';

endRoomsAfterEach();

const HOUR = 3_600_000;
const settings = { deferAsksMs: HOUR, askTimeout: { softSeconds: 7_200, hardSeconds: 86_400 } };

const question = (agentRequestId: string): Ask => ({
  kind: 'question',
  agentRequestId,
  toolName: 'AskUserQuestion',
  toolCallId: 'call-1',
  title: 'Which one?',
  input: {},
  questions: [{ question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false }],
  requiresPerson: true,
  deferrable: true,
});

async function asleep(room: EngineRoom): Promise<{ id: string; requestId: string }> {
  const [id, agent] = await room.running();
  const { requestId } = await room.asks(id, question('first'));
  room.clock.pass(HOUR + 10_000);
  await room.until('deferred', () => agent.kinds().includes('defer'));
  agent.end('suspended');
  await room.event(id, 'process.exited');
  return { id, requestId };
}

test('[ASK7] a question whose agent sleeps is parked and expires as any other, and the agent is told', async () => {
  const room = await openRoom({ settings });
  const { id, requestId } = await asleep(room);
  room.clock.pass(HOUR);
  expect(await room.event(id, 'interaction.parked')).toMatchObject({ interactionId: requestId });
  room.clock.pass(24 * HOUR);
  expect(await room.event(id, 'interaction.decided')).toMatchObject({ outcome: 'expired' });
});

test('[ASK7] [SES10] also after a restart of the server', async () => {
  const first = await openRoom({ settings });
  const { id, requestId } = await asleep(first);
  first.abandon();
  const second = await openRoom({ log: first.log, run: 'second', settings });
  expect(await second.interaction(id, requestId)).toMatchObject({ status: 'open', deferred: true });
  second.clock.pass(25 * HOUR);
  expect(await second.event(id, 'interaction.decided')).toMatchObject({ outcome: 'expired' });
});

test('[ASK7] also where the agent could not leave it for later', async () => {
  const room = await openRoom({ settings });
  const [id, agent] = await room.running();
  await room.asks(id, question('first'));
  agent.defer = () => Promise.reject(new Error('not now'));
  room.clock.pass(HOUR + 10_000);
  await room.event(id, 'interaction.raised');
  room.clock.pass(24 * HOUR);
  expect(await room.event(id, 'interaction.decided')).toMatchObject({ outcome: 'expired' });
});
