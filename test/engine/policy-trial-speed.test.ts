import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { PolicyTrial } from '../../src/protocol/policy.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { processorTime } from '../support/processor-time.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();
const directory = mkdtempSync(join(tmpdir(), 'beckon-trial-'));
afterAll(() => rmSync(directory, { recursive: true }));

const rounds = 25_000;

/** Four events each: what was asked, what was decided, what came of it, what was said. */
function round(number: number): NewEvent[] {
  const interactionId = InteractionId.parse(`i${number}`);
  const command = ['npm test', 'git push origin main', `ls dir-${number}`, 'cat a && rm b'][number % 4] ?? '';
  const outcome = number % 5 === 0 ? 'denied' : 'allowed';
  return [
    {
      type: 'interaction.requested',
      interactionId,
      turnId: null,
      processId: 'p',
      ask: bashAsk(`r${number}`, command),
    },
    {
      type: 'interaction.decided',
      interactionId,
      outcome,
      decision: { type: 'allow', scope: 'once' },
      by: { kind: 'person' },
    },
    { type: 'interaction.resolved', interactionId, outcome, by: { kind: 'person' }, delivered: true },
    {
      type: 'agent.text',
      agentMessageId: `m${number}`,
      block: 0,
      text: `What I did next: ${command}. `.repeat(10),
    },
  ];
}

it('[POL8] a policy is tried on 100,000 stored events within two seconds of work, and the server answers in between', async () => {
  const log = openSqliteLog({ path: join(directory, 'beckon.db') });
  const room = await openRoom({ log });
  const sessions = await Promise.all(Array.from({ length: 20 }, () => room.create()));
  const at = room.clock.now();
  for (let first = 0; first < rounds; first += 500) {
    const stream = SessionId.parse(sessions[(first / 500) % sessions.length]?.id);
    const events = Array.from({ length: 500 }, (_, n) => round(first + n)).flat();
    await log.append({ parts: [{ stream, at, events }] });
  }
  const rules = [
    { effect: 'allow', tool: 'Bash', pattern: 'npm test' },
    { effect: 'deny', tool: 'Bash', pattern: 'git push' },
    { effect: 'deny', tool: 'Bash', pattern: 'rm' },
    { effect: 'ask', tool: '*', pattern: '*secret*' },
  ];
  const turns = processorTimePerTurn();
  const trial = (await room.do('tryPolicy', { policy: { version: 1, rules } })).body as PolicyTrial;
  const took = turns.stop();
  expect(trial.asks).toBe(rounds);
  expect(trial.after).toEqual({ allowed: rounds / 4, denied: rounds / 2, asked: rounds / 4 });
  const all = took.reduce((sum, one) => sum + one, 0);
  // On a machine that is slow at everything, as slow as reading it all three times.
  const reading = processorTime(() => {
    for (const { id } of sessions) for (const _ of log.start(id)?.eventsAfter(0) ?? []);
  });
  expect(all).toBeLessThan(Math.max(2000, 3 * reading));
  expect(took.length).toBeGreaterThan(100);
  expect(Math.max(...took)).toBeLessThan(Math.max(50, all / 10));
});

/** What each turn of the event loop takes of the processor, in milliseconds. */
function processorTimePerTurn(): { stop(): number[] } {
  const took: number[] = [];
  let last = process.threadCpuUsage();
  const note = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    took.push((user + system) / 1000);
  };
  const tick = (): void => {
    note();
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  return {
    stop() {
      clearImmediate(next);
      note();
      return took;
    },
  };
}
