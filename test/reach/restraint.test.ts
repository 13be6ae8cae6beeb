import { describe, expect, it } from 'vitest';
import { quietFor } from '../../src/model/quiet-hours.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { ProgressInMemory, RecordingChannel } from '../support/recording-channel.ts';
import { asking, endNotifiersAfterEach, notifying, passed, programs, settled } from './notifying.ts';

endRoomsAfterEach();
endNotifiersAfterEach();

const page = (room: EngineRoom) =>
  room.engine.clients.connect({ label: 'page', interaction: { supported: true, enabled: true } });

const asked = async () => {
  const room = await openRoom();
  const phone = new RecordingChannel();
  await notifying(room, [phone]);
  const [id] = await room.running();
  return { room, phone, id: id as SessionId, client: page(room) };
};

describe('while somebody looks', () => {
  it('[REACH3] nothing is told of the session they look at, and it is once they turn away', async () => {
    const { room, phone, id, client } = await asked();
    client.look(id);
    await room.asks(id, asking('r1', 'ls'));
    for (let seconds = 0; seconds < 120; seconds += 20) {
      await passed(room, 20_000);
      client.look(id);
    }
    expect(phone.told).toEqual([]);
    client.look(null);
    await passed(room, 9_999);
    expect(phone.told).toEqual([]);
    await passed(room, 1);
    expect(phone.told).toEqual(['waits ls']);
  });

  it('[REACH3] the inbox counts for every session, another session for none, a connection alone for nothing', async () => {
    const { room, phone, id, client } = await asked();
    const [other] = await room.running();
    client.look(other as SessionId);
    await room.asks(id, asking('r1', 'ls'));
    await passed(room, 10_000);
    expect(phone.told).toEqual(['waits ls']);
    client.look('all');
    await room.asks(other, asking('r2', 'pwd'));
    await passed(room, 20_000);
    expect(phone.told).toHaveLength(1);
    client.disconnect();
    await passed(room, 10_000);
    expect(phone.told).toEqual(['waits ls', 'waits pwd']);
  });

  it('[REACH3] a page that fell silent is taken for nobody after 30 seconds, from its last sign on', async () => {
    const { room, phone, id, client } = await asked();
    client.look(id);
    await passed(room, 5_000);
    await room.asks(id, asking('r1', 'ls'));
    await passed(room, 24_999);
    expect(phone.told).toEqual([]);
    await passed(room, 1);
    expect(phone.told).toEqual(['waits ls']);
  });

  it('[REACH3] what is done or failed before their eyes is not told later', async () => {
    const { room, phone, id, client } = await asked();
    client.look(id);
    room.driver.agent(id).end('failed');
    await room.event(id, 'turn.ended');
    await passed(room, 5_000);
    client.look(null);
    await passed(room, 60_000);
    expect(phone.told).toEqual([]);
  });

  it('[REACH3] a page that went silent before it happened has not seen it', async () => {
    const { room, phone, id, client } = await asked();
    client.look(id);
    await passed(room, 1_000);
    room.driver.agent(id).end('failed');
    await room.event(id, 'turn.ended');
    await passed(room, 29_000);
    expect(phone.told).toEqual(['failed']);
  });

  it('[REACH3] programs are told all the same', async () => {
    const room = await openRoom();
    const program = programs();
    await notifying(room, [program]);
    const [id] = await room.running();
    page(room).look('all');
    await room.asks(id, asking('r1', 'ls'));
    await settled();
    expect(program.told).toEqual(['waits ls']);
  });
});

it('[REACH4] what ended more than a day ago is no news any more, and what waits is', async () => {
  const room = await openRoom();
  const store = new ProgressInMemory();
  const phone = new RecordingChannel();
  const before = await notifying(room, [phone], { store });
  const [id] = await room.running();
  const [other, agent] = await room.running();
  await room.asks(id, asking('r1', 'ls'));
  agent.end('failed');
  await room.event(other, 'turn.ended');
  await settled();
  await before.close();
  await passed(room, 90_000_000);
  await notifying(room, [phone], { store });
  await passed(room, 10_000);
  expect(phone.told).toEqual(['waits ls']);
});

describe('a channel that is told later', () => {
  it('[REACH5] is told what still waits after its own time, and not what was answered', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    const pager = new RecordingChannel({ name: 'pager', graceMs: 120_000 });
    await notifying(room, [phone, pager]);
    const [id] = await room.running();
    const [other] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    const { interactionId } = await room.asks(other, asking('r2', 'pwd'));
    await passed(room, 10_000);
    expect(phone.told).toHaveLength(2);
    await room.do('approve', { session: other, requestId: interactionId, decision: 'allow' });
    await passed(room, 109_999);
    expect(pager.told).toEqual([]);
    await passed(room, 1);
    expect(pager.told).toEqual(['waits ls']);
  });
});

describe('a muted session', () => {
  it('[REACH5] is not told of, and what still waits is when that ends', async () => {
    const { room, phone, id } = await asked();
    const mutedUntil = new Date(Date.parse(room.clock.now()) + 3_600_000).toISOString();
    await room.do('patchSession', { session: id, mutedUntil });
    await room.asks(id, asking('r1', 'ls'));
    await passed(room, 3_599_999);
    expect(phone.told).toEqual([]);
    await passed(room, 1);
    expect(phone.told).toEqual(['waits ls']);
  });

  it('[REACH5] for ever, until it is muted no longer; what was done meanwhile is not told', async () => {
    const { room, phone, id } = await asked();
    const muted = (await room.do('patchSession', { session: id, mutedUntil: 'forever' })).body.session;
    expect(muted).toMatchObject({ mutedUntil: 'forever' });
    await room.asks(id, asking('r1', 'ls'));
    await passed(room, 86_400_000);
    expect(phone.told).toEqual([]);
    const unmuted = (await room.do('patchSession', { session: id, mutedUntil: null })).body.session;
    expect(unmuted).not.toHaveProperty('mutedUntil');
    await settled();
    expect(phone.told).toEqual(['waits ls']);
  });
});

describe('quiet hours', () => {
  it('[REACH5] hold everything back until they end, but for what is let through', async () => {
    const room = await openRoom();
    const phone = new RecordingChannel();
    // The clock stands at midnight, UTC.
    const quiet = { from: '22:00', to: '07:30', timeZone: 'UTC', except: ['failed'] } as const;
    await notifying(room, [phone], { quiet });
    const [id] = await room.running();
    const [other, agent] = await room.running();
    await room.asks(id, asking('r1', 'ls'));
    agent.end('failed');
    await room.event(other, 'turn.ended');
    await passed(room, 10_000);
    expect(phone.told).toEqual(['failed']);
    await passed(room, 7.5 * 3_600_000 - 10_001);
    expect(phone.told).toHaveLength(1);
    await passed(room, 1);
    expect(phone.told).toEqual(['failed', 'waits ls']);
  });

  const left = (from: string, to: string, timeZone: string, now: string): number =>
    quietFor({ from, to, timeZone }, Date.parse(now)) / 60_000;

  it.each([
    ['over midnight, before it', '22:00', '07:00', 'UTC', '2026-06-01T23:00:00Z', 480],
    ['over midnight, after it', '22:00', '07:00', 'UTC', '2026-06-01T06:59:30Z', 0.5],
    ['at their end', '22:00', '07:00', 'UTC', '2026-06-01T07:00:00Z', 0],
    ['within a day', '12:00', '13:00', 'UTC', '2026-06-01T12:15:00Z', 45],
    ['of no length', '12:00', '12:00', 'UTC', '2026-06-01T12:00:00Z', 0],
    ['in another zone', '22:00', '07:00', 'Europe/Berlin', '2026-06-01T21:00:00Z', 480],
    ['in a night that is an hour shorter', '22:00', '07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', 420],
    ['in a night that is an hour longer', '22:00', '07:00', 'Europe/Berlin', '2026-10-24T21:00:00Z', 540],
  ])('[REACH5] %s', (_, from, to, zone, now, minutes) => {
    expect(left(from, to, zone, now)).toBe(minutes);
  });
});
