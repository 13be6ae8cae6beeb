import { describe, expect, it, vi } from 'vitest';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { Room } from '../../src/web/data/room.logic.ts';
import { isSeen, type News, newsBetween } from '../../src/web/notifications/news.logic.ts';
import { createPacer } from '../../src/web/notifications/pacer.ts';
import { anInteraction, aSession, at } from './support/samples.ts';

type Known = Pick<Room, 'sessions' | 'pending'>;
const room = (sessions: readonly ReturnType<typeof aSession>[], pending: Room['pending'] = []): Known => ({
  sessions: Object.fromEntries(sessions.map((session) => [session.id, session])),
  pending,
});
const running = aSession({ status: 'running' });

describe('news', () => {
  it('[UI11] are that something waits, has failed, or is done', () => {
    const waiting = room([aSession({ status: 'waiting' })], [anInteraction({ title: 'Bash: npm test' })]);
    expect(newsBetween(room([running]), waiting)).toEqual([
      { urgency: 'asks', sessionId: 's1', interactionId: 'i1', about: 'Bash: npm test' },
    ]);
    const failed = room([aSession({ status: 'failed', failure: { reason: 'It crashed.', stderr: [] } })]);
    expect(newsBetween(room([running]), failed)).toEqual([
      { urgency: 'failed', sessionId: 's1', about: 'It crashed.' },
    ]);
    expect(newsBetween(room([running]), room([aSession({ status: 'idle' })]))).toEqual([
      { urgency: 'finished', sessionId: 's1', about: '' },
    ]);
  });

  it('[UI11] are not what a person caused: an interrupt, a stop, a session that is new', () => {
    const interrupted = aSession({ status: 'running', interrupting: { since: at(0), overdue: false } });
    expect(newsBetween(room([interrupted]), room([aSession({ status: 'idle' })]))).toEqual([]);
    expect(newsBetween(room([running]), room([aSession({ status: 'stopped' })]))).toEqual([]);
    expect(newsBetween(room([]), room([aSession({ status: 'idle' })]))).toEqual([]);
  });

  it('[UI11] do not say done while more is queued', () => {
    expect(newsBetween(room([running]), room([aSession({ status: 'idle', queueLength: 1 })]))).toEqual([]);
  });

  it('[UI11] tell what waits before anything else, and once for a session', () => {
    const both = room([aSession({ status: 'idle' })], [anInteraction(), anInteraction({ id: 'i2' })]);
    expect(newsBetween(room([running]), both).map(({ urgency }) => urgency)).toEqual(['asks']);
    expect(newsBetween(both, room([aSession({ status: 'idle' })], both.pending))).toEqual([]);
  });

  it('[UI11] are quiet when the person sees them happen', () => {
    const [s1, s2] = ['s1', 's2'] as SessionId[];
    const news: News = { urgency: 'asks', sessionId: 's1', about: '' };
    expect(isSeen(news, { isHere: true, session: s1 })).toBe(true);
    expect(isSeen(news, { isHere: true, session: null })).toBe(true);
    expect(isSeen(news, { isHere: true, session: s2 })).toBe(false);
    expect(isSeen(news, { isHere: true, session: undefined })).toBe(false);
    expect(isSeen(news, { isHere: false, session: s1 })).toBe(false);
  });
});

describe('the pace of news', () => {
  const news = (urgency: News['urgency'], sessionId = 's1'): News => ({ urgency, sessionId, about: '' });

  it('[UI11] is one a second for a session: what waits is told after it, and the most urgent wins', () => {
    vi.useFakeTimers();
    const told: string[] = [];
    const pacer = createPacer(
      ({ sessionId, urgency }) => told.push(`${sessionId} ${urgency}`),
      () => Date.now(),
    );
    pacer.take(news('finished'));
    pacer.take(news('finished'));
    pacer.take(news('asks'));
    pacer.take(news('failed'));
    pacer.take(news('asks', 's2'));
    expect(told).toEqual(['s1 finished', 's2 asks']);
    vi.advanceTimersByTime(999);
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(told).toEqual(['s1 finished', 's2 asks', 's1 asks']);
    vi.advanceTimersByTime(5000);
    expect(told).toHaveLength(3);
    pacer.take(news('failed'));
    pacer.take(news('failed'));
    pacer.close();
    vi.advanceTimersByTime(5000);
    expect(told).toHaveLength(4);
    vi.useRealTimers();
  });
});
