import { describe, expect, it } from 'vitest';
import type { Announcement } from '../../src/protocol/announcement.ts';
import {
  afterAnnouncement,
  emptyRoom,
  queueOf,
  type Room,
  roomOf,
  unknownCount,
  withSessions,
} from '../../src/web/data/room.logic.ts';
import { anInteraction, aSession, at, messageId, sessionId } from './support/samples.ts';

const snapshot = {
  clientId: 'c1',
  sessions: [aSession({ id: 's1' }), aSession({ id: 's2' })],
  pending: [
    anInteraction({ id: 'late', createdAt: at(9) }),
    anInteraction({ id: 'early', createdAt: at(1) }),
  ],
  queues: {},
  partials: {},
};
const ids = (room: Room): string[] => room.pending.map(({ interactionId }) => interactionId);
const afterThese = (room: Room, ...announcements: readonly Announcement[]): Room =>
  announcements.reduce((known, each) => afterAnnouncement(known, each, 0), room);

describe('what is known of all sessions', () => {
  it('[UI2] has open interactions oldest first', () => {
    const room = roomOf(snapshot, emptyRoom, 0);
    expect(ids(room)).toEqual(['early', 'late']);
    const between = anInteraction({ id: 'between', createdAt: at(5) });
    expect(ids(afterThese(room, { type: 'question-requested', data: between }))).toEqual([
      'early',
      'between',
      'late',
    ]);
  });

  it('[UI1] knows a new session as soon as it is told of, and forgets a removed one with all that was its', () => {
    const room = afterThese(
      roomOf(snapshot, emptyRoom, 0),
      {
        type: 'session-started',
        data: { ...aSession({ id: 's3' }), sessionId: sessionId('s3'), sessionKey: null },
      },
      { type: 'session-removed', data: { sessionId: sessionId('s1'), sessionKey: null } },
    );
    expect(Object.keys(room.sessions)).toEqual(['s2', 's3']);
    expect(room.pending).toEqual([]);
  });

  it('[UI15] keeps older sessions that it asked for when it is told anew, and counts those it does not know', () => {
    const asleep = (id: string, second: number) => aSession({ id, status: 'asleep', since: at(second) });
    const told = { ...snapshot, pending: [], sessions: [asleep('new', 9)], total: 4, nextCursor: 'here' };
    const room = withSessions(roomOf(told, emptyRoom, 0), [asleep('old', 1), asleep('gone', 9)]);
    expect(unknownCount(room)).toBe(1);
    const again = roomOf({ ...told, sessions: [asleep('new', 9)], total: 3 }, room, 0);
    expect(Object.keys(again.sessions).sort()).toEqual(['new', 'old']);
    const { nextCursor: _, ...all } = told;
    expect(Object.keys(roomOf({ ...all, total: 1 }, room, 0).sessions)).toEqual(['new']);
    const started = { ...aSession({ id: 's3' }), sessionId: sessionId('s3'), sessionKey: null };
    const after = afterThese(
      again,
      { type: 'session-started', data: started },
      {
        type: 'session-updated',
        data: { ...asleep('woken', 10), sessionId: sessionId('woken'), sessionKey: null },
      },
    );
    expect([after.total, unknownCount(after)]).toEqual([4, 0]);
  });

  it('[SES21] counts the archived apart from the others, and keeps those it was asked for when it is told anew', () => {
    const one = aSession({ id: 'one', status: 'stopped' });
    const told = { ...snapshot, pending: [], sessions: [one], total: 3, archived: 2 };
    const away = aSession({ id: 'away', status: 'stopped', archived: true });
    const room = withSessions(roomOf(told, emptyRoom, 0), [away]);
    expect([unknownCount(room), unknownCount(room, true)]).toEqual([0, 1]);
    expect(Object.keys(roomOf(told, room, 0).sessions).sort()).toEqual(['away', 'one']);
    const names = { sessionId: sessionId('one'), sessionKey: null };
    const after = afterThese(room, { type: 'session-updated', data: { ...one, archived: true, ...names } });
    expect([after.archived, unknownCount(after), unknownCount(after, true)]).toEqual([3, 0, 1]);
    const gone = { sessionId: sessionId('away'), sessionKey: null };
    const less = afterThese(after, { type: 'session-removed', data: gone });
    expect([less.total, less.archived]).toEqual([2, 2]);
  });

  it('[ASK4] takes an interaction from the open ones however it ended, and remembers how', () => {
    const ended = anInteraction({ id: 'early', status: 'resolved', outcome: 'withdrawn' });
    const room = afterThese(roomOf(snapshot, emptyRoom, 0), { type: 'approval-cancelled', data: ended });
    expect(ids(room)).toEqual(['late']);
    expect(room.leaving).toEqual([ended]);
  });

  it('is told of the same interaction twice and has it once', () => {
    const again = anInteraction({ id: 'early', createdAt: at(1) });
    expect(
      ids(afterThese(roomOf(snapshot, emptyRoom, 0), { type: 'approval-requested', data: again })),
    ).toEqual(['early', 'late']);
  });

  it('[MSG2] has the queue as the server last told it', () => {
    const queue = [
      {
        messageId: messageId('q1'),
        message: 'Next',
        position: 1,
        disposition: 'queue' as const,
        createdAt: at(0),
        images: 0,
        sending: false,
      },
    ];
    const data = { sessionId: sessionId('s1'), sessionKey: null, messageId: 'q1', message: 'Next', queue };
    expect(queueOf(afterThese(emptyRoom, { type: 'message-queued', data }), 's1')).toEqual(queue);
    expect(queueOf(emptyRoom, 's1')).toBe(queueOf(emptyRoom, 's2'));
  });

  it('[MULTI3] is replaced by a snapshot: what is not in it is gone', () => {
    const room = roomOf({ ...snapshot, sessions: [], pending: [] }, roomOf(snapshot, emptyRoom, 0), 0);
    expect(room).toMatchObject({ sessions: {}, pending: [] });
  });

  it('takes no harm from an announcement of a newer server', () => {
    const unknown = { type: 'something-new', data: {} } as unknown as Announcement;
    const room = roomOf(snapshot, emptyRoom, 0);
    expect(afterAnnouncement(room, unknown, 0)).toBe(room);
  });
});
