import { expect, test } from 'vitest';
import { asleep, HOUR, question } from '../support/deferred-question.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';

endRoomsAfterEach();

const settings = { deferAsksMs: HOUR, askTimeout: { softSeconds: 7_200, hardSeconds: 86_400 } };

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
