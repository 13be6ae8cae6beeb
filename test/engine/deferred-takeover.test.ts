import { expect, test } from 'vitest';
import type { Ask } from '../../src/protocol/interaction.ts';
import { asleep, HOUR, question } from '../support/deferred-question.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

test('[ASK5] [SES10] killed while the agent is started for the answer: the next server waits for it to ask again, and lets nothing be left for later', async () => {
  const first = await openRoom({ settings: { deferAsksMs: HOUR } });
  const { id, requestId } = await asleep(first);
  await first.do('answer', { session: id, requestId, answers: [{ selected: ['B'] }] });
  await first.until('another process', () => first.driver.agents.length === 2);
  const second = await takeOver(first, [id]);
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
  const second = await takeOver(first, [id]);
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
