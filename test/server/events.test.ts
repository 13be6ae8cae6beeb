import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunningServer, startServer, token } from './running-server.ts';
import type { ScriptedSession } from './scripted-room.ts';
import { type Message, SseReader } from './sse-reader.ts';

const headers = { authorization: `Bearer ${token}` };
const stream = { ...headers, accept: 'text/event-stream' };

const lastSeq = ({ room }: RunningServer, { id }: ScriptedSession): number => {
  const now = room.snapshot(id);
  return now.ok ? now.value.lastSeq : 0;
};
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);
const texts = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `text ${from + n}`);

describe('the stream of all sessions', () => {
  it('[MULTI3] begins with a snapshot, then tells what happens, each thing once', async () => {
    const { url, newSession, call } = await startServer();
    const first = await newSession({ key: 'K' });
    first.ask({ agentRequestId: 'r1', toolCallId: 'c1' });
    await call('POST', '/api/sessions/K/message', { message: 'later', disposition: 'queue' });
    const reader = await SseReader.open(`${url}/api/events`, headers);
    const snapshot = await reader.first('snapshot');
    expect(reader.messages[0]).toBe(snapshot);
    expect(snapshot.id).toBeTruthy();
    expect(snapshot.data).toMatchObject({
      clientId: expect.any(String),
      sessions: [{ id: first.id, key: 'K' }],
    });
    const asked = snapshot.data.pending.length;

    const second = await newSession({ title: 'Second' });
    second.ask({ agentRequestId: 'r2', kind: 'question', questions: [question] });
    const request = await reader.first('question-requested');
    expect(request.data).toMatchObject({
      sessionId: second.id,
      kind: 'question',
      requestId: request.data.interactionId,
    });
    const answers = { [question.question]: 'Postgres' };
    await call('POST', `/api/sessions/${second.id}/answer`, { requestId: request.data.requestId, answers });
    const resolved = await reader.first('approval-resolved');
    expect(resolved.data).toMatchObject({
      sessionId: second.id,
      requestId: request.data.requestId,
      kind: 'question',
      outcome: 'answered',
      decision: null,
      by: { kind: 'person', where: 'api' },
    });
    await call('POST', `/api/sessions/${second.id}/stop`);
    await reader.first('session-ended');

    expect(reader.of('session-started').map(({ data }) => data.id)).toEqual([second.id]);
    expect(reader.of('question-requested')).toHaveLength(1);
    expect(reader.of('event')).toHaveLength(0);
    expect(reader.of('approval-requested')).toHaveLength(1 - asked);
  });

  it('[MULTI5] one stream carries the events and deltas of the sessions it names, by id or key', async () => {
    const server = await startServer();
    const [a, b, c] = [
      await server.newSession({ key: 'A' }),
      await server.newSession(),
      await server.newSession(),
    ];
    const reader = await SseReader.open(`${server.url}/api/events?sessions=A,${b.id}`, headers);
    await reader.first('snapshot');
    const before = [lastSeq(server, a), lastSeq(server, b)];
    for (const session of [a, b, c]) {
      session.murmur(['Hel', 'lo']);
      session.say(texts(3));
    }
    await reader.until(() => reader.of('event').length >= 8 && reader.of('delta').length >= 2);
    for (const [index, session] of [a, b].entries()) {
      const seqs = reader
        .of('event')
        .filter(({ data }) => data.sessionId === session.id)
        .map(({ data }) => data.seq);
      expect(seqs).toEqual(range((before[index] ?? 0) + 1, lastSeq(server, session)));
    }
    expect(reader.of('delta').map(({ data }) => data)).toEqual([
      { sessionId: a.id, messageId: 'live', block: 0, kind: 'text', text: 'Hello' },
      { sessionId: b.id, messageId: 'live', block: 0, kind: 'text', text: 'Hello' },
    ]);
    expect(JSON.stringify(reader.of('event'))).not.toContain(c.id);
  });

  it('[MULTI3] who comes in the middle of a sentence gets its beginning with the snapshot', async () => {
    const { url, newSession } = await startServer();
    const session = await newSession();
    session.murmur(['The beg', 'inning']);
    const reader = await SseReader.open(`${url}/api/events?sessions=${session.id}`, headers);
    session.murmur([' and the end']);
    const { data } = await reader.first('delta');
    const snapshot = await reader.first('snapshot');
    expect(snapshot.data.partials[session.id]).toMatchObject([{ text: 'The beginning' }]);
    expect(data.text).toBe(' and the end');
    const own = await SseReader.open(`${url}/api/sessions/${session.id}/events`, stream);
    expect((await own.first('snapshot')).data.partial).toMatchObject([{ text: 'The beginning and the end' }]);
  });

  it('[MULTI3] a client that comes back gets a snapshot and the events it has missed of several sessions', async () => {
    const server = await startServer();
    const [a, b] = [await server.newSession(), await server.newSession()];
    const at = `${server.url}/api/events?sessions=${a.id},${b.id}`;
    const before = await SseReader.open(at, headers);
    await before.first('snapshot');
    a.say(texts(5));
    b.say(texts(2));
    await before.until(() => before.of('event').length >= 9);
    before.close();
    await before.ended;
    const seen = [lastSeq(server, a), lastSeq(server, b)];
    a.say(texts(250));
    b.say(texts(1));
    const after = await SseReader.open(at, { ...headers, 'last-event-id': before.lastId ?? '' });
    await after.until(() => after.of('event').length >= 251);
    const kinds = after.messages.map(({ event }) => event);
    expect(kinds.indexOf('snapshot')).toBeLessThan(kinds.indexOf('event'));
    for (const [index, session] of [a, b].entries()) {
      const seqs = after
        .of('event')
        .filter(({ data }) => data.sessionId === session.id)
        .map(({ data }) => data.seq);
      expect(seqs).toEqual(range((seen[index] ?? 0) + 1, lastSeq(server, session)));
    }
    expect(after.of('snapshot')).toHaveLength(1);
  });

  it('[MULTI1] a client counts as able and willing unless it says otherwise, and can be switched', async () => {
    const { url, room, newSession, call } = await startServer();
    const { id } = await newSession();
    const readers: SseReader[] = [];
    for (const query of ['', '?interaction=disabled', '?interaction=none']) {
      const reader = await SseReader.open(`${url}/api/events${query}`, headers);
      await reader.first('snapshot');
      readers.push(reader);
    }
    expect(room.clients.count(id)).toEqual({ supported: 2, enabled: 1 });
    const clientId = readers[1]?.messages[0]?.data.clientId;
    expect(await call('POST', `/api/clients/${clientId}/interaction`, { enabled: true })).toMatchObject({
      status: 200,
    });
    expect(room.clients.count(id)).toEqual({ supported: 2, enabled: 2 });
    for (const reader of readers) {
      reader.close();
      await reader.ended;
    }
    while (room.clients.count(id).supported > 0) await nextTurn();
  });

  it('[API4] a session that is not there is 404, another word for interaction 422', async () => {
    const { call } = await startServer();
    expect(await call('GET', '/api/events?sessions=none')).toMatchObject({
      status: 404,
      body: { error: { code: 'session_not_found' } },
    });
    expect(await call('GET', '/api/events?interaction=maybe')).toMatchObject({
      status: 422,
      body: { error: { details: { field: 'interaction' } } },
    });
  });

  it('[MULTI5] comments keep a quiet stream alive', async () => {
    const { url } = await startServer({ limits: { keepAliveMs: 20 } });
    const reader = await SseReader.open(`${url}/api/events`, headers);
    await reader.until(() => reader.comments.length >= 3);
    expect(reader.messages.map(({ event }) => event)).toEqual(['snapshot']);
  });

  it('[MULTI3] reconnecting all the time, in the middle of anything, loses and doubles nothing', async () => {
    const server = await startServer();
    const sessions = [await server.newSession(), await server.newSession(), await server.newSession()];
    const start = new Map(sessions.map((session) => [session.id as string, lastSeq(server, session)]));
    const at = `${server.url}/api/events?sessions=${sessions.map(({ id }) => id).join(',')}`;
    const taken: Message[] = [];
    let lastId: string | undefined;
    const reconnect = async (events: number): Promise<void> => {
      const reader = await SseReader.open(
        at,
        lastId === undefined ? headers : { ...headers, 'last-event-id': lastId },
      );
      await reader.until(() => reader.of('event').length >= events && reader.of('snapshot').length === 1);
      reader.close();
      await reader.ended;
      taken.push(...reader.of('event'));
      lastId = reader.lastId;
    };
    await reconnect(0);
    let stopped = false;
    const talk = (async () => {
      for (let round = 0; !stopped; round++) {
        for (const session of sessions) session.say(texts(1 + (round % 7), round));
        for (const session of sessions) session.murmur(['a', 'b', 'c'], round);
        await nextTurn();
      }
    })();
    const seed = 20_260_101;
    for (const events of fc.sample(fc.integer({ min: 0, max: 60 }), { numRuns: 40, seed }))
      await reconnect(events);
    stopped = true;
    await talk;
    const left = sessions.reduce(
      (sum, session) => sum + lastSeq(server, session) - (start.get(session.id) ?? 0),
      0,
    );
    await reconnect(left - taken.length);
    for (const session of sessions) {
      const seqs = taken.filter(({ data }) => data.sessionId === session.id).map(({ data }) => data.seq);
      expect(seqs, `seed ${seed}`).toEqual(range((start.get(session.id) ?? 0) + 1, lastSeq(server, session)));
    }
  });
});

describe("a session's own stream", () => {
  it('[MULTI3] is a snapshot, the events after the given one, then what comes, without gap or double', async () => {
    const server = await startServer();
    const session = await server.newSession({ key: 'own' });
    session.say(texts(450));
    const reader = await SseReader.open(`${server.url}/api/sessions/own/events?after=3`, stream);
    session.say(texts(50));
    session.murmur(['x']);
    await reader.until(
      () => reader.seqs().length >= lastSeq(server, session) - 3 && reader.of('delta').length === 1,
    );
    expect(reader.messages[0]).toMatchObject({
      event: 'snapshot',
      id: '3',
      data: { session: { id: session.id }, pending: [], queue: [], partial: [], lastSeq: expect.any(Number) },
    });
    expect(reader.seqs()).toEqual(range(4, lastSeq(server, session)));
    expect(reader.of('event').every(({ id, data }) => id === String(data.seq))).toBe(true);
  });

  it('[MULTI3] goes on after Last-Event-ID, and without a place begins now', async () => {
    const server = await startServer();
    const session = await server.newSession();
    session.say(texts(10));
    const at = `${server.url}/api/sessions/${session.id}/events`;
    const resumed = await SseReader.open(`${at}?after=1`, { ...stream, 'last-event-id': '6' });
    const fresh = await SseReader.open(at, stream);
    await fresh.first('snapshot');
    const now = lastSeq(server, session);
    session.say(['one more']);
    await fresh.until(() => fresh.seqs().length > 0);
    await resumed.until(() => resumed.seqs().length >= now + 1 - 6);
    expect(fresh.seqs()).toEqual([now + 1]);
    expect(resumed.seqs()).toEqual(range(7, now + 1));
  });

  it('[API1] hears the announcements of its session and of no other, and ends when it is removed', async () => {
    const { url, newSession, call } = await startServer();
    const [mine, other] = [await newSession(), await newSession()];
    const reader = await SseReader.open(`${url}/api/sessions/${mine.id}/events`, stream);
    other.ask({ agentRequestId: 'other' });
    mine.ask({ agentRequestId: 'mine' });
    expect((await reader.first('approval-requested')).data.sessionId).toBe(mine.id);
    await call('POST', `/api/sessions/${mine.id}/stop`);
    await call('DELETE', `/api/sessions/${mine.id}`);
    await reader.ended;
    expect(reader.of('session-removed')).toHaveLength(1);
    expect(JSON.stringify(reader.messages)).not.toContain(other.id);
  });

  it('[API4] a wrong place or session is refused before the stream begins; a page needs no stream', async () => {
    const { call, newSession } = await startServer();
    const { id } = await newSession();
    const accept = { accept: 'text/event-stream' };
    expect(await call('GET', '/api/sessions/none/events', undefined, accept)).toMatchObject({ status: 404 });
    expect(await call('GET', `/api/sessions/${id}/events?after=-1`, undefined, accept)).toMatchObject({
      status: 422,
    });
    expect(await call('GET', `/api/sessions/${id}/events?after=x`, undefined, accept)).toMatchObject({
      status: 400,
    });
    const page = await call('GET', `/api/sessions/${id}/events`, undefined, { accept: '*/*' });
    expect(page.body).toMatchObject({ firstSeq: 1, hasMore: false });
  });
});

const question = {
  question: 'Which database?',
  header: 'DB',
  options: [{ label: 'Postgres' }, { label: 'SQLite' }],
  multiSelect: false,
};
