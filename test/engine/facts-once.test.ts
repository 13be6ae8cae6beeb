import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DiagnosticCounts, FactIntake } from '../../src/engine/fact-intake.ts';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import type { AgentFact } from '../../src/model/agent-fact.ts';
import { carriedRunner } from '../support/carried-runner.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, type RoomOptions } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import type { ScriptedAgent } from '../support/scripted-driver.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { bashAsk } from '../support/session-states.ts';
import { keptOf } from '../support/take-over.ts';

endRoomsAfterEach();

const said = (text: string): AgentFact => ({
  type: 'said',
  event: { type: 'agent.text', agentMessageId: 'm', block: 0, text },
});
const fragment: AgentFact = { type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'x' } };
const odd: AgentFact = { type: 'diagnostic', code: 'odd', text: 'odd' };
const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index}`);
const texts = (room: EngineRoom, id: string): string[] => room.all(id, 'agent.text').map(({ text }) => text);

test('[SES10] what was said at once is stored at once, with the place up to which it was read', async () => {
  const log = failingLog(memoryLog());
  const room = await openRoom({ log });
  const [id, agent] = await room.running();
  const appended: { texts: number; number: number | undefined }[] = [];
  log.onAppend = ({ parts }) => {
    for (const { events, checkpoint } of parts)
      appended.push({
        texts: events.filter(({ type }) => type === 'agent.text').length,
        number: checkpoint?.number,
      });
  };
  agent.reportAt(9000, ...upTo(150).flatMap((text) => [fragment, said(text)]), odd);
  agent.reportAt(9500, ...upTo(70).map(said));
  await room.until('all is stored', () => texts(room, id).length === 220);
  const before = 3; // ready, message-taken, turn-started
  expect(appended).toEqual([
    { texts: 150, number: before + 150 },
    { texts: 70, number: before + 220 },
  ]);
});

describe('facts that come by an unreliable way', () => {
  test('[SES19] are taken once, in order, and a gap is seen', () => {
    const intake = new FactIntake(4, new DiagnosticCounts());
    const batch = (first: number, ...facts: AgentFact[]) => ({ runId: 'r', first, facts });
    const [a, b, c] = [said('a'), said('b'), said('c')];
    expect(intake.take(batch(5, a, fragment, b))).toEqual({ facts: [a, fragment, b], last: 6 });
    expect(intake.take(batch(5, a, fragment, b))).toEqual({ facts: [], last: 6 });
    expect(intake.take(batch(6, b, fragment, c, fragment))).toEqual({ facts: [c, fragment], last: 7 });
    expect(intake.take(batch(5, fragment))).toEqual({ facts: [], last: 7 });
    expect(intake.take(batch(9, a))).toBe('gap');
    expect(intake.take(batch(9))).toBe('gap');
    expect(intake.take(batch(8, odd))).toEqual({ facts: [{ ...odd, count: 1 }], last: 7 });
  });

  const seed = testSeed();
  test(`[SES19] [ASK5] each is stored once, each answer given once, whatever is lost, doubled or late, and whenever the server dies (seed ${seed})`, async () => {
    for (let round = 0; round < 60; round += 1) await play(seed + round);
  });
});

/** An agent that says so many things and asks in between, whose servers come and go. */
async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const script: AgentFact[] = [
    ...upTo(10).map(said),
    { type: 'asked', ask: bashAsk('r1', 'ls') },
    ...upTo(20).slice(10).map(said),
  ];
  const log = memoryLog();
  let server = await serve(log, random);
  const [id, first] = await server.room.running();
  let agent: ScriptedAgent = first;
  let told = 0;
  while (told < script.length) {
    const end = Math.min(script.length, told + 1 + Math.floor(random() * 4));
    agent.reportAt(end, ...script.slice(told, end).flatMap((fact) => [fact, fragment]));
    told = end;
    if (random() < 0.3) await server.room.drained(id);
    if (random() < 0.85) continue;
    const kept = [keptOf(server.room, id)];
    await server.kill();
    server = await serve(log, random, { kept, run: `after${told}` });
    const { room } = server;
    agent = await room.until('it is taken up', () => room.driver.agents.at(-1));
    told = agent.left?.mark?.offset ?? 0;
    if (random() < 0.5) agent.report({ type: 'caught-up' });
  }
  const { room } = server;
  await room.until('all is stored', () => texts(room, id).length >= 20);
  const [asked, ...more] = room.all(id, 'interaction.requested');
  const { requestId } = await room.interaction(id, asked?.interactionId ?? '');
  await room.do('approve', { session: id, requestId, decision: 'allow' });
  await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  expect({ seed, texts: texts(room, id), more }).toEqual({ seed, texts: upTo(20), more: [] });
  expect({ seed, answers: agent.answers().length }).toEqual({ seed, answers: 1 });
  await server.kill();
}

async function serve(log: EventLog, random: () => number, options: RoomOptions = {}) {
  const disk = failingLog(log);
  const { append } = disk;
  disk.append = async (batch) => {
    while (random() < 0.8) await turn();
    return append(batch);
  };
  const carrier = { random, isCut: () => disk.full };
  const room = await openRoom({ ...options, log: disk, carry: (runner) => carriedRunner(runner, carrier) });
  return {
    room,
    /** It hears, tells and stores nothing more; what the disk was given by then it has. */
    async kill(): Promise<void> {
      room.abandon();
      disk.full = true;
      await log.append({ parts: [] });
    },
  };
}
