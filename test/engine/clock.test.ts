import { describe, expect, it } from 'vitest';
import type { Grant } from '../../src/protocol/grant.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { bashAsk } from '../support/session-states.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;
const scopes = ['session', 'always'] as const;

const grants = async (room: EngineRoom): Promise<Grant[]> =>
  (await room.do('listGrants')).body.grants as Grant[];

/** A grant for everything that echoes, from now on for so long. */
async function grantEcho(room: EngineRoom, id: string, scope: string, milliseconds: number): Promise<void> {
  const { interactionId } = await room.asks(id, bashAsk('first', 'echo 1'));
  const expiresAt = new Date(Date.parse(room.clock.now()) + milliseconds).toISOString();
  const how = { decision: 'allow', scope, pattern: 'echo *', expiresAt };
  await room.do('approve', { session: id, requestId: interactionId, ...how });
}

/** Whether the grant answers when the agent asks. */
const isGranted = async (room: EngineRoom, id: string, request: string): Promise<boolean> =>
  (await room.asks(id, bashAsk(request, 'echo 2'))).status !== 'open';

const ends = (room: EngineRoom, id: string) => [
  ...room.all(id, 'grant.ended'),
  ...room.log.page('global', { after: 0, limit: 100 }).events.filter(({ type }) => type === 'grant.ended'),
];

describe.each(scopes)('[SES16] a grant (%s) whose time is up', (scope) => {
  it('is over on record, and a clock that is set back does not bring it back', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await grantEcho(room, id, scope, HOUR);
    room.clock.pass(HOUR - 1000);
    expect(await isGranted(room, id, 'in time')).toBe(true);
    room.clock.pass(2000);
    await room.drained(id);
    room.clock.set(-YEAR);
    expect(await isGranted(room, id, 'too late')).toBe(false);
    expect(await grants(room)).toEqual([]);
    expect(ends(room, id)).toMatchObject([{ cause: 'expired', by: { kind: 'timer' } }]);
    const second = await takeOver(room, [id]);
    expect(await grants(second)).toEqual([]);
  });

  it('ends when its time has passed, though the clock was set back meanwhile', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await grantEcho(room, id, scope, HOUR);
    room.clock.set(-YEAR);
    expect(await isGranted(room, id, 'in time')).toBe(true);
    room.clock.pass(HOUR + 1);
    await room.drained(id);
    expect(await isGranted(room, id, 'too late')).toBe(false);
  });

  it('is not brought back by a clock that was wrong for a moment', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await grantEcho(room, id, scope, HOUR);
    room.clock.set(YEAR);
    expect(await isGranted(room, id, 'while it is wrong')).toBe(false);
    room.clock.set(-YEAR);
    expect(await isGranted(room, id, 'after it')).toBe(false);
    const { at } = room.events(id).at(-1) ?? { at: '' };
    expect(at.slice(0, 10)).toBe('2026-01-01');
  });

  it('after a restart has at most the time that it was given', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await grantEcho(room, id, scope, HOUR);
    room.clock.set(-YEAR);
    const second = await takeOver(room, [id]);
    expect(await isGranted(second, id, 'in time')).toBe(true);
    second.clock.pass(HOUR + 1);
    await second.drained(id);
    expect(await isGranted(second, id, 'too late')).toBe(false);
  });
});

const seed = testSeed();
it(`[SES16] whatever the clock is set to, a grant that has once not answered never does again (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  for (let round = 0; round < 20; round += 1) {
    const room = await openRoom();
    const [id] = await room.running();
    const scope = scopes[round % 2] ?? 'session';
    await grantEcho(room, id, scope, HOUR);
    let isOver = false;
    let passed = 0;
    for (let step = 0; step < 12; step += 1) {
      if (random() < 0.5) {
        const span = Math.floor(random() * 20 * MINUTE);
        room.clock.pass(span);
        passed += span;
      } else {
        room.clock.set(Math.floor((random() - 0.5) * 4 * HOUR));
      }
      await room.drained(id);
      const granted = await isGranted(room, id, `ask-${step}`);
      expect(granted && (isOver || passed >= HOUR), `round ${round}, step ${step}`).toBe(false);
      isOver ||= !granted;
    }
  }
});

describe('[SES16] [ASK7] the limits of an ask', () => {
  const limited = async (room: EngineRoom) => {
    const [id, agent] = await room.running({ askTimeout: { softSeconds: 60, hardSeconds: 3600 } });
    return { id, agent, asked: await room.asks(id, bashAsk('r1', 'ls')) };
  };

  it('are time that passes, whatever the clock is set to', async () => {
    const room = await openRoom();
    const { id, asked } = await limited(room);
    room.clock.set(YEAR);
    room.clock.pass(59_000);
    await room.drained(id);
    expect(await room.interaction(id, asked.interactionId)).toMatchObject({ status: 'open', parked: false });
    room.clock.set(-2 * YEAR);
    room.clock.pass(1000);
    await room.event(id, 'interaction.parked');
    room.clock.pass(HOUR);
    expect(await room.event(id, 'interaction.decided')).toMatchObject({ outcome: 'expired' });
  });

  it('are after a restart never longer than they were', async () => {
    const room = await openRoom();
    const { id } = await limited(room);
    room.clock.set(-YEAR);
    const second = await takeOver(room, [id]);
    second.clock.pass(HOUR);
    expect(await second.event(id, 'interaction.decided')).toMatchObject({ outcome: 'expired' });
  });
});

describe('[SES16] an idle agent', () => {
  it('is put to sleep when it was idle long enough, though the clock was set back', async () => {
    const room = await openRoom({ settings: { idleMs: 10 * MINUTE } });
    const [id] = await room.idle();
    room.clock.pass(5 * MINUTE);
    room.clock.set(-YEAR);
    room.clock.pass(5 * MINUTE);
    expect(await room.event(id, 'process.closing')).toMatchObject({ cause: 'sleep' });
  });

  it('is not put to sleep because the clock was set forward', async () => {
    const room = await openRoom({ settings: { idleMs: 10 * MINUTE } });
    const [id] = await room.idle();
    room.clock.set(YEAR);
    room.clock.pass(5 * MINUTE);
    await room.drained(id);
    expect(room.all(id, 'process.closing')).toEqual([]);
  });
});

it('[SES16] [SES8] a crash is mended, though by the clock it was before the last one', async () => {
  const room = await openRoom();
  const [id, agent] = await room.running();
  agent.exit(1);
  await room.event(id, 'process.starting', (event) => event.cause === 'crash');
  room.driver.agent(id).ready();
  room.clock.pass(HOUR);
  room.clock.set(-YEAR);
  await room.do('sendMessage', { session: id, message: 'go on' });
  const second = room.driver.agent(id);
  second.begin();
  await room.until('the second turn', () => room.all(id, 'turn.started').length === 2);
  second.exit(1);
  await room.until('another start', () => room.all(id, 'process.starting').length === 3);
  expect(room.all(id, 'session.failed')).toEqual([]);
});
