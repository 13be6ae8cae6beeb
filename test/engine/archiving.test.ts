import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

describe('[SES21] an archived session', () => {
  it('is out of the lists that leave it out, and in the one of the archived, also after a restart', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const [other] = await room.idle();
    await room.do('stop', { session: id });
    await room.do('patchSession', { session: id, archived: true });
    expect(room.all(id, 'session.changed')).toMatchObject([{ archived: true, by: { kind: 'person' } }]);
    expect(room.announcements('session-updated').at(-1)).toMatchObject({ data: { id, archived: true } });
    expect(await listed(room, 'false')).toEqual([other]);
    expect(await listed(room, 'true')).toEqual([id]);
    expect((await room.session(id)).archived).toBe(true);
    room.abandon();
    const next = await openRoom({ log: room.log });
    expect(await listed(next, 'true')).toEqual([id]);
    expect(next.engine.overview()).toMatchObject({ total: 2, archived: 1 });
    await next.do('patchSession', { session: id, archived: false });
    expect(await listed(next, 'true')).toEqual([]);
  });

  it('comes back by itself when it is written to, when it asks, and when it is resumed', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const archive = () => room.do('patchSession', { session: id, archived: true });
    await archive();
    await room.asks(id, bashAsk('r1', 'npm test'));
    expect((await room.session(id)).archived).toBeUndefined();
    expect((await room.refused('patchSession', { session: id, archived: true })).code).toBe(
      'session_waiting',
    );
    await room.do('stop', { session: id });
    await archive();
    await room.do('resume', { session: id });
    expect((await room.session(id)).archived).toBeUndefined();
    await archive();
    await room.do('sendMessage', { session: id, message: 'one more thing' });
    expect((await room.session(id)).archived).toBeUndefined();
  });
});

it('[SES22] a pinned session is told of to whoever connects, however long it has rested', async () => {
  const room = await openRoom();
  const [id] = await room.idle();
  await room.do('patchSession', { session: id, pinned: true });
  await room.do('stop', { session: id });
  room.abandon();
  const next = await openRoom({ log: room.log });
  expect(next.engine.overview().sessions).toMatchObject([{ id, pinned: true, status: 'stopped' }]);
  await next.do('patchSession', { session: id, pinned: false });
  expect((await next.session(id)).pinned).toBeUndefined();
});

async function listed(room: EngineRoom, archived: 'true' | 'false'): Promise<string[]> {
  const { body } = await room.do('listSessions', { archived, limit: '10' });
  return (body.sessions as readonly Session[]).map(({ id }) => id);
}
