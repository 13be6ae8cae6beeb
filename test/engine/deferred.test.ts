import { expect, test } from 'vitest';
import { asleep, HOUR, question } from '../support/deferred-question.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const openWith = (deferAsksMs: number | null = HOUR): Promise<EngineRoom> =>
  openRoom({ settings: { deferAsksMs } });

const answer = (room: EngineRoom, id: string, requestId: string) =>
  room.do('answer', { session: id, requestId, answers: [{ selected: ['B'] }] });

/** The next process of the session, up. */
async function woken(room: EngineRoom, id: string, count = 2) {
  await room.until('another process', () => room.driver.agents.length === count);
  const agent = room.driver.agent(id);
  agent.ready();
  await room.until('ready', () => room.all(id, 'process.ready').length === count);
  return agent;
}

test('[SES11] [ASK5] the answer wakes the agent, and is given when it asks again', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  expect(await room.session(id)).toMatchObject({ status: 'waiting', pendingCount: 1 });
  expect(await room.interaction(id, requestId)).toMatchObject({ status: 'open', deferred: true });

  await answer(room, id, requestId);
  const agent = await woken(room, id);
  expect(agent.start.resume).toBe(`own-${id}`);
  expect(agent.answers()).toEqual([]);
  agent.report({ type: 'asked', ask: question('again') });
  const resolved = await room.event(id, 'interaction.resolved');
  expect(resolved).toMatchObject({ interactionId: requestId, outcome: 'answered', delivered: true });
  expect(agent.answers().map(({ ask }) => ask.agentRequestId)).toEqual(['again']);
  expect(room.all(id, 'interaction.requested')).toHaveLength(1);
});

test('[ASK3] an answer in the moment in which the agent falls asleep wakes it again', async () => {
  const room = await openWith();
  const [id, agent] = await room.running();
  const { requestId } = await room.asks(id, question('first'));
  room.clock.pass(HOUR + 10_000);
  await room.until('deferred', () => agent.kinds().includes('defer'));
  await answer(room, id, requestId);
  expect(agent.answers()).toEqual([]);
  agent.end('suspended');
  const next = await woken(room, id);
  next.report({ type: 'asked', ask: question('again') });
  await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  expect(next.answers()).toHaveLength(1);
});

test('[MSG4] a message wakes the agent, waits, and does not answer', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  await room.do('sendMessage', { session: id, message: 'hello?' });
  const agent = await woken(room, id);
  agent.report({ type: 'asked', ask: question('again') });
  await room.event(id, 'interaction.raised');
  expect(agent.sent()).toEqual([]);
  expect(await room.interaction(id, requestId)).toMatchObject({ status: 'open' });
  await answer(room, id, requestId);
  await room.event(id, 'interaction.resolved');
  agent.report({ type: 'turn-started' });
  agent.end();
  await room.until('sent', () => agent.sent().length === 1);
  // Not into the turn that the answer lets go on.
  const types = room.events(id).map(({ type }) => type);
  expect(types.slice(types.indexOf('interaction.resolved'))).toEqual([
    'interaction.resolved',
    'turn.ended',
    'message.sending',
  ]);
});

test('[SES8] an agent that dies before it has its answer asks once more, and gets it', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  await answer(room, id, requestId);
  const second = await woken(room, id);
  second.answer = () => new Promise(() => undefined);
  second.report({ type: 'asked', ask: question('again') });
  await room.event(id, 'interaction.raised');
  second.exit(1);
  const third = await woken(room, id, 3);
  third.report({ type: 'asked', ask: question('third') });
  await room.event(id, 'interaction.resolved', ({ outcome }) => outcome === 'answered');
  expect(third.answers().map(({ ask }) => ask.agentRequestId)).toEqual(['third']);
});

test('[ASK16] an agent that dies after it has asked again: everyone is told that the question sleeps once more', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  await room.do('sendMessage', { session: id, message: 'hello?' });
  const second = await woken(room, id);
  second.report({ type: 'asked', ask: question('again') });
  await room.event(id, 'interaction.raised');
  expect(await room.interaction(id, requestId)).not.toHaveProperty('deferred');
  second.exit(1);
  await woken(room, id, 3);
  expect(await room.interaction(id, requestId)).toMatchObject({ status: 'open', deferred: true });
  expect(room.announcements('approval-updated').at(-1)).toMatchObject({
    data: { requestId, deferred: true },
  });
});

test('[ASK4] an agent that does not ask again: the answer is lost, in words', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  await answer(room, id, requestId);
  await woken(room, id);
  room.clock.pass(31_000);
  const resolved = await room.event(id, 'interaction.resolved');
  expect(resolved).toMatchObject({ interactionId: requestId, outcome: 'lost', delivered: false });
  expect(resolved.reason).toContain('was to ask this again, and did not');
});

test('[ASK4] an agent that goes on instead of leaving the question has withdrawn it', async () => {
  const room = await openWith();
  const [id, agent] = await room.running();
  await room.asks(id, question('first'));
  room.clock.pass(HOUR + 10_000);
  await room.until('deferred', () => agent.kinds().includes('defer'));
  agent.end('completed');
  expect(await room.event(id, 'interaction.resolved')).toMatchObject({ outcome: 'withdrawn' });
  expect(room.all(id, 'process.closing')).toEqual([]);
});

test('[ASK5] an agent that cannot leave the question for later is answered as ever', async () => {
  const room = await openWith();
  const [id, agent] = await room.running();
  const { requestId } = await room.asks(id, question('first'));
  agent.defer = () => Promise.reject(new Error('not now'));
  room.clock.pass(HOUR + 10_000);
  await room.event(id, 'interaction.raised');
  await answer(room, id, requestId);
  await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  expect(agent.answers().map(({ ask }) => ask.agentRequestId)).toEqual(['first']);
});

test('[SES6] a stop while it sleeps ends the question', async () => {
  const room = await openWith();
  const { id, requestId } = await asleep(room);
  await room.do('stop', { session: id });
  expect(await room.interaction(id, requestId)).toMatchObject({ outcome: 'interrupted' });
});

test('[SES10] after a restart it still sleeps, and the answer still wakes it', async () => {
  const first = await openWith();
  const { id, requestId } = await asleep(first);
  first.abandon();
  const second = await openRoom({ log: first.log, run: 'second' });
  expect(await second.interaction(id, requestId)).toMatchObject({ status: 'open', deferred: true });
  await answer(second, id, requestId);
  const starting = await second.event(id, 'process.starting', ({ cause }) => cause === 'answer');
  expect(starting.resume).toBe(`own-${id}`);
});

test.each([
  ['another ask is open', (room: EngineRoom, id: string) => room.asks(id, bashAsk('other', 'ls'))],
  [
    'a task runs',
    async (room: EngineRoom, id: string) => {
      const event = { type: 'task.changed', taskId: 't', status: 'running' } as const;
      room.driver.agent(id).report({ type: 'said', event });
      await room.event(id, 'task.changed');
    },
  ],
])('[SES11] it is not put to sleep while %s', async (_, also) => {
  const room = await openWith();
  const [id, agent] = await room.running();
  await room.asks(id, question('first'));
  await also(room, id);
  room.clock.pass(HOUR * 5);
  await room.drained(id);
  expect(agent.kinds()).not.toContain('defer');
});

test('[SES11] an ask that cannot be left for later just waits, and so does every ask where that is not wanted', async () => {
  const room = await openWith();
  const [id, agent] = await room.running();
  await room.asks(id, bashAsk('r', 'ls'));
  const unwanted = await openWith(null);
  const [other, otherAgent] = await unwanted.running();
  await unwanted.asks(other, question('q'));
  room.clock.pass(HOUR * 100);
  unwanted.clock.pass(HOUR * 100);
  await room.drained(id);
  await unwanted.drained(other);
  expect(agent.kinds()).not.toContain('defer');
  expect(otherAgent.kinds()).not.toContain('defer');
});
