import { expect, test } from 'vitest';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Ask } from '../../src/protocol/interaction.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';

endRoomsAfterEach();

const HOUR = 3_600_000;
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

test('[ASK5] [SES10] killed while the agent is started for the answer: the next server waits for it to ask again, and lets nothing be left for later', async () => {
  const first: EngineRoom = await openRoom({ settings: { deferAsksMs: HOUR } });
  const [id, agent] = await first.running();
  const { requestId } = await first.asks(id, question('first'));
  first.clock.pass(HOUR + 10_000);
  await first.until('deferred', () => agent.kinds().includes('defer'));
  agent.end('suspended');
  await first.event(id, 'process.exited');
  await first.do('answer', { session: id, requestId, answers: [{ selected: ['B'] }] });
  await first.until('another process', () => first.driver.agents.length === 2);
  const kept = [
    {
      id: first.driver.agent(id).start.processId,
      sessionId: SessionId.parse(id),
      running: true,
      outputEnd: 0,
    },
  ];
  first.abandon();

  const second = await openRoom({ log: first.log, clock: first.clock, run: 'second', kept });
  const taken = second.driver.agent(id);
  expect(taken.left?.openAsks).toEqual([]);
  taken.report({ type: 'caught-up' });
  taken.ready();
  await second.event(id, 'process.ready');
  await second.drained(id);
  expect(taken.kinds()).not.toContain('defer');
  taken.report({ type: 'asked', ask: question('again') });
  await second.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  expect(taken.answers().map(({ ask }) => ask.agentRequestId)).toEqual(['again']);
});

test('[ASK5] an answer between the taking over and the end of the backlog is given once', async () => {
  const first = await openRoom();
  const [id] = await first.running();
  const asked = await first.asks(id, { ...question('r1'), deferrable: false });
  const kept = [
    {
      id: first.driver.agent(id).start.processId,
      sessionId: SessionId.parse(id),
      running: true,
      outputEnd: 0,
    },
  ];
  first.abandon();
  const second = await openRoom({ log: first.log, clock: first.clock, run: 'second', kept });
  const taken = second.driver.agent(id);
  const given: Ask[] = [];
  taken.answer = (ask: Ask) => {
    given.push(ask);
    return new Promise(() => undefined);
  };
  void second.do('answer', { session: id, requestId: asked.requestId, answers: [{ selected: ['B'] }] });
  await second.event(id, 'interaction.decided');
  taken.report({ type: 'caught-up' });
  await second.drained(id);
  await second.drained(id);
  expect(given).toHaveLength(1);
});
