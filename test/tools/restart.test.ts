import { expect, it } from 'vitest';
import type { SessionId } from '../../src/protocol/ids.ts';
import { resumeIdOf } from '../../src/tools/mcp/open-call.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { ToolRun } from '../support/tool-runs.ts';
import { reader, stage } from './mcp-stage.ts';
import { settled } from './tool-bench.ts';

endRoomsAfterEach();

interface Told {
  readonly isError: boolean;
  readonly content: readonly { readonly text: string }[];
}

/** The client of a call whose server was killed comes back to this one, over HTTP. */
async function comesBack({ engine }: EngineRoom, id: SessionId): Promise<Told> {
  const { get } = await stage({ left: (_, callId) => engine.tools.leftOpen(id, callId) ?? null });
  const point = resumeIdOf({ requestId: 7, callId: 'toolu_1' });
  const events = reader(await get({ 'last-event-id': point }));
  expect((await events.next())?.id).toBe(point);
  const told = await events.next();
  expect(told?.message).toMatchObject({ id: 7 });
  return told?.message.result;
}

const seed = testSeed();
it(`[TOOL6] an answer, the return of the call it is for and further kills come in any order: it is told once, as a message (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  for (let round = 0; round < times(50); round += 1) {
    const stored = memoryLog();
    let log = failingLog(stored);
    let room = await openRoom({ run: 'a', log });
    const [id, agent] = await room.running();
    const run = new ToolRun(room, id);
    const asked = await run.asks();
    const { clock } = room;
    const kept = [{ id: agent.start.processId, sessionId: run.sessionId, running: true, outputEnd: 0 }];
    let servers = 0;
    const kill = async (): Promise<void> => {
      room.abandon();
      // What it had handed to the disk is there, and all that it would have done next is not.
      log.full = true;
      await settled();
      log = failingLog(stored);
      servers += 1;
      room = await openRoom({ log, clock, run: `server-${servers}`, kept });
      room.driver.agent(id).report({ type: 'caught-up' });
    };
    const answer = () => room.do('approve', { session: id, requestId: asked, decision: 'allow' });

    let told: Promise<Told> | undefined;
    const comes = (): Promise<Told> => {
      told = comesBack(room, run.sessionId);
      return told;
    };

    await kill();
    const steps = [answer, comes, ...[kill, kill].filter(() => random() < 0.5)];
    steps.sort(() => random() - 0.5);
    const isHasty = random() < 0.3;
    const under: Promise<unknown>[] = [];
    for (const step of steps) {
      if (step === kill || !isHasty) await Promise.all(under);
      const doing = step();
      if (step === kill) await doing;
      under.push(doing);
    }
    await Promise.all(under);
    const order = `round ${round}: ${steps.map(({ name }) => name).join(', ')}`;
    const result = await told;
    expect(result, order).toMatchObject({ isError: false });
    expect(result?.content[0]?.text, order).toMatch(/^(?!.*lost).*as a message/);
    const again = room.driver.agent(id);
    again.end();
    await room.until('the answer', () => again.sent().length > 0);
    await room.drained(id);
    const answers = room.all(id, 'message.queued').filter((event) => event.answers === asked);
    expect(answers, order).toHaveLength(1);
    expect(again.sent(), order).toMatchObject([{ text: answers[0]?.text }]);
  }
});
