import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { fold } from '../../src/model/fold.ts';
import type { SessionState } from '../../src/model/state.ts';
import { isAtRest, SUMMARY_VERSION, summaryOf } from '../../src/model/summary.ts';
import { sessionView } from '../../src/model/views.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { OperationName } from '../../src/protocol/operation.ts';
import type { Session } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { closeReopenedLogsAfterEach, reopenedLogs } from '../support/reopened-logs.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { bashAsk } from '../support/session-states.ts';

closeReopenedLogsAfterEach();
endRoomsAfterEach();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A log that tells which streams were read. */
function watched(log: EventLog): { log: EventLog; read: string[] } {
  const read: string[] = [];
  const watching: Partial<EventLog> = {
    start(stream) {
      read.push(stream);
      return log.start(stream);
    },
    *streams(withoutSummary) {
      for (const start of log.streams(withoutSummary)) {
        read.push(start.stream);
        yield start;
      }
    },
  };
  return { log: withParts(log, watching), read };
}

const withParts = (log: EventLog, parts: Partial<EventLog>): EventLog =>
  new Proxy(log, {
    get(_, name: keyof EventLog) {
      const part = parts[name] ?? log[name];
      return typeof part === 'function' ? part.bind(log) : part;
    },
  });

/** Every agent does at once what it is told, and is done. */
function eager(room: EngineRoom): EngineRoom {
  room.driver.onStart = ({ sessionId }) => setImmediate(() => room.driver.agent(sessionId).ready());
  room.driver.onWrite = ({ kind }, agent) => {
    if (kind !== 'send') return;
    setImmediate(() => {
      agent.begin();
      agent.end();
    });
  };
  return room;
}

const rested = (room: EngineRoom, id: string): Promise<unknown> =>
  room.until(`${id} at rest`, () => isAtRest(stateIn(room.log, id)));

function stateIn(log: EventLog, id: string): SessionState {
  let state: SessionState | null = null;
  for (const event of log.page(id as SessionId, { after: 0, limit: 1000 }).events) state = fold(state, event);
  if (state === null) throw new Error(`${id} has no log`);
  return state;
}

describe.each(Object.keys(reopenedLogs))('[STORE8] sessions at rest, on %s', (kind) => {
  const logs = () => {
    const made = reopenedLogs[kind]?.();
    if (made === undefined) throw new Error(kind);
    return made;
  };

  it('are not read at a start, nor by lists, and each when it is first touched', async () => {
    const { log, again } = logs();
    const first = eager(await openRoom({ log, run: 'a' }));
    const made: string[] = [];
    for (const key of ['one', 'two', 'three']) {
      const { body } = await first.do('createSession', {
        key,
        title: `The ${key}`,
        closeAfterTurn: true,
        prompt: 'hi',
      });
      made.push((body.session as Session).id);
    }
    const [one = '', two = '', three = ''] = made;
    for (const id of made) await rested(first, id);
    const [waiting] = await first.running({ key: 'waiting' });
    await first.asks(waiting, bashAsk('r1', 'ls'));
    first.abandon();

    const { log: second, read } = watched(await again());
    const room = eager(await openRoom({ log: second, clock: first.clock, run: 'b' }));
    expect(read.filter((stream) => stream !== 'global')).toEqual([waiting]);
    read.length = 0;

    const { sessions, total } = room.engine.overview();
    expect(sessions.map(({ title }) => title)).toEqual(expect.arrayContaining(['The one', 'The two']));
    expect(total).toBe(4);
    expect((await room.do('listSessions', { q: 'THREE' })).body.sessions).toMatchObject([{ id: three }]);
    expect((await room.do('listSessions', { status: 'asleep', limit: 1 })).body.total).toBe(4);
    for (const list of ['listPending', 'listGrants'] as const) await room.do(list);
    expect((await room.do('search', { q: 'hi' })).body.hits).toMatchObject(
      [three, two, one].map((sessionId) => ({ sessionId })),
    );
    expect(await room.refused('createSession', { key: 'two' })).toMatchObject({ code: 'key_in_use' });
    expect(read).toEqual([]);

    room.clock.pass(1000);
    await room.do('sendMessage', { session: 'two', message: 'again' });
    await room.do('patchSession', { session: two, title: 'Renamed' });
    await rested(room, two);
    expect(read).toEqual([two]);
    expect((await room.do('listSessions', { limit: 1 })).body.sessions).toMatchObject([
      { id: two, title: 'Renamed', usage: { turns: 2 } },
    ]);
  });

  it.each([
    [
      'that have something queued',
      async (room: EngineRoom, id: string) => {
        await room.do('sendMessage', { session: id, message: 'later' });
      },
    ],
    [
      'that hold a grant with an end',
      async (room: EngineRoom, id: string) => {
        const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
        await room.do('approve', {
          session: id,
          requestId: interactionId,
          decision: 'allow',
          scope: 'session',
          expiresAt: new Date(Date.parse(room.clock.now()) + 60_000).toISOString(),
        });
        await room.event(id, 'interaction.resolved');
        room.driver.agent(id).end();
        await room.event(id, 'turn.ended');
      },
    ],
  ])('those %s are read at a start', async (_, play) => {
    const { log, again } = logs();
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.running();
    await play(first, id);
    await first.end();
    const { log: second, read } = watched(await again());
    await openRoom({ log: second, clock: first.clock, run: 'b' });
    expect(read).toContain(id);
  });

  it('hold grants of their own that are listed and revoked without a look into other logs', async () => {
    const { log, again } = logs();
    const first = await openRoom({ log, run: 'a' });
    const [id] = await first.running();
    const { interactionId } = await first.asks(id, bashAsk('r1', 'ls'));
    await first.do('approve', { session: id, requestId: interactionId, decision: 'allow', scope: 'session' });
    await first.event(id, 'interaction.resolved');
    first.driver.agent(id).end();
    await first.event(id, 'turn.ended');
    await first.end();
    const { log: second, read } = watched(await again());
    const room = await openRoom({ log: second, clock: first.clock, run: 'b' });
    const { grants } = (await room.do('listGrants')).body as { grants: { id: string; sessionId: string }[] };
    expect(grants).toMatchObject([{ sessionId: id }]);
    expect(read).not.toContain(id);
    await room.do('revokeGrant', { grantId: grants[0]?.id });
    expect((await room.do('listGrants')).body.grants).toEqual([]);
  });

  it('[STORE4] that were stored without a summary get one at the next start', async () => {
    const { log, again } = logs();
    const first = eager(await openRoom({ log, run: 'a' }));
    const { body } = await first.do('createSession', { key: 'old', closeAfterTurn: true, prompt: 'hi' });
    const { id } = body.session as Session;
    await rested(first, id);
    await first.end();
    await log.append({ parts: [{ stream: id, at: first.clock.now(), events: [], summary: null }] });
    const { log: second, read } = watched(await again());
    const room = await openRoom({ log: second, clock: first.clock, run: 'b' });
    expect(read).toContain(id);
    expect(second.summary('old')).toEqual(summaryOf(stateIn(second, id)));
    expect(await room.session('old')).toMatchObject({ id });
  });

  it('a log that cannot be understood is left out when it is touched, and fails no list', async () => {
    const { log, again } = logs();
    const first = eager(await openRoom({ log, run: 'a' }));
    const { body } = await first.do('createSession', { closeAfterTurn: true, prompt: 'hi' });
    const { id } = body.session as Session;
    await rested(first, id);
    await first.end();
    const garbled = withParts(await again(), {
      start() {
        throw new Error('garbled');
      },
    });
    const room = await openRoom({ log: garbled, clock: first.clock, run: 'b' });
    expect(await room.refused('getSession', { session: id })).toMatchObject({ code: 'session_not_found' });
    expect((await room.do('listSessions')).body).toEqual({ sessions: [], total: 0 });
    expect(room.complaints.join()).toContain('garbled');
  });
});

interface Known {
  readonly id: string;
  readonly key: string;
  title: string;
  sent: number;
}

const seed = testSeed();

it(`[STORE8] [STORE1] touched, let go, changed, removed and restarted in any order, each has one writer (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const { log, again } = reopenedLogs.sqlite?.() ?? { log: undefined, again: undefined };
  if (log === undefined || again === undefined) throw new Error('There is no SQLite.');
  const clock = new FakeClock();
  const open = async (on: EventLog, run: string): Promise<EngineRoom> =>
    eager(await openRoom({ log: on, clock, run, settings: { mostAtRest: 1 } }));
  let room = await open(log, 'r0');
  const told = new Map<string, number>();
  const sessions = new Map<string, Known>();
  let made = 0;

  const call = async (operation: OperationName, input: Record<string, unknown>): Promise<boolean> => {
    const result = await room.engine.dispatch(operation, input, person);
    return result.ok;
  };
  const create = async (): Promise<void> => {
    const key = `k${made++}`;
    const { body } = await room.do('createSession', { key, title: key, closeAfterTurn: true, prompt: 'hi' });
    const { id } = body.session as Session;
    sessions.set(id, { id, key, title: key, sent: 1 });
  };
  const acts: ((session: Known) => Promise<void>)[] = [
    async (session) => {
      const title = `t${Math.floor(random() * 1e6)}`;
      if (await call('patchSession', { session: session.key, title })) session.title = title;
    },
    async (session) => {
      if (await call('sendMessage', { session: session.id, message: 'more' })) session.sent += 1;
    },
    async (session) => void (await call('getSession', { session: session.key })),
    async (session) => void (await call('stop', { session: session.id })),
    async (session) => {
      // It closes after a turn, so it needs one.
      const isResumed = await call('resume', { session: session.key });
      if (isResumed && (await call('sendMessage', { session: session.id, message: 'go on' })))
        session.sent += 1;
    },
    async (session) => {
      if (await call('deleteSession', { session: session.id })) sessions.delete(session.id);
    },
  ];

  const quiet = async (): Promise<void> => {
    for (const { id } of sessions.values()) await rested(room, id);
    for (const news of room.news.splice(0)) {
      if (news.kind !== 'session' || news.news.type !== 'event') continue;
      const { seq } = news.news.event;
      // A second writer would tell of other events under the same numbers.
      expect(seq, `seed ${seed}, ${news.sessionId}`).toBe((told.get(news.sessionId) ?? 0) + 1);
      told.set(news.sessionId, seq);
    }
    const listed = (await room.do('listSessions')).body.sessions as Session[];
    expect(new Set(listed.map(({ id }) => id)), `seed ${seed}`).toEqual(new Set(sessions.keys()));
    for (const known of sessions.values()) {
      const state = stateIn(room.log, known.id);
      expect(state.title, `seed ${seed}`).toBe(known.title);
      expect(listed.find(({ id }) => id === known.id)).toEqual(sessionView(state));
      expect(room.log.summary(known.key)).toEqual(summaryOf(state));
      expect(room.all(known.id, 'message.queued')).toHaveLength(known.sent);
      expect(told.get(known.id), `seed ${seed}`).toBe(state.lastSeq);
    }
    expect(room.log.countSummaries({ version: SUMMARY_VERSION })).toBe(sessions.size);
  };

  await Promise.all([create(), create(), create(), create()]);
  for (let round = 1; round <= 60; round += 1) {
    const burst: Promise<void>[] = [];
    for (let left = 1 + Math.floor(random() * 5); left > 0; left -= 1) {
      const session = pick([...sessions.values()]);
      const act = pick(acts);
      if (session !== undefined && act !== undefined) burst.push(act(session));
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
      if (random() < 0.2) collectGarbage();
    }
    if (sessions.size < 4) burst.push(create());
    await Promise.all(burst);
    clock.pass(1000);
    if (round % 6 === 0) await quiet();
    if (round % 12 === 0) {
      await room.end();
      room = await open(await again(), `r${round}`);
    }
  }
});
