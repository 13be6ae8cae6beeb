import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { ControlRoom } from '../../src/engine/ports/control-room.ts';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { Event } from '../../src/protocol/event.ts';
import { CutFollower, type Heard } from '../support/cut-follower.ts';
import { memoryLog } from '../support/memory-log.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { type RunningServer, startServer, token } from './running-server.ts';
import type { ScriptedSession } from './scripted-room.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };
const directory = mkdtempSync(join(tmpdir(), 'beckon-resuming-'));
const logs: EventLog[] = [];
afterAll(async () => {
  for (const log of logs) await log.close();
  rmSync(directory, { recursive: true, force: true });
});

function sqliteLog(): EventLog {
  const log = openSqliteLog({ path: join(directory, `${logs.length}.db`) });
  logs.push(log);
  return log;
}

const seed = testSeed();
const cuts = times(500);

describe('a program that follows only the stream of all sessions', () => {
  it(`[MULTI9] is cut off ${cuts} times at any byte, and hears of every ask and every end once, in order, seed ${seed}`, {
    timeout: times(180_000),
  }, async () => {
    const log = sqliteLog();
    const server = await startServer({ log });
    const follower = await CutFollower.begin({ ...server, token });
    const random = seededRandom(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const talk = new Talk(server, below);
    await talk.begin();

    for (let cut = 0; cut < cuts; cut += 1) {
      const following = follower.follow({ ...server, token }, 1 + below(below(5) === 0 ? 300 : 60_000));
      const isPatient = below(2) === 0;
      if (isPatient) await following.hasBegun;
      for (let step = below(4); step > 0; step -= 1) await talk.step();
      for (let turns = below(4); turns > 0; turns -= 1) await nextTurn();
      following.cut();
      await following.ended;
    }
    await talk.settled(log);
    await follower.hearAll({ ...server, token });

    expect(follower.of('resync')).toEqual([]);
    for (const { id, key } of talk.sessions) {
      const events = log.page(id, { after: 0, limit: 100_000 }).events;
      expect(asksAndEnds(heardOf(follower, id)), `${id}, seed ${seed}`).toEqual(asksAndEndsIn(events));
      expect(messagesSent(heardOf(follower, id)), `${id}, seed ${seed}`).toEqual(
        events.flatMap((event) => (event.type === 'message.taken' ? event.messageId : [])),
      );
      expect(new Set(heardOf(follower, id).map(({ data }) => data.sessionKey))).toEqual(new Set([key]));
      expect(new Set(heardOf(follower, id).map(({ data }) => data.stageId))).toEqual(
        new Set([key ?? undefined]),
      );
      expect(lastState(follower, id)).toMatchObject({ status: statusOf(server, id) });
    }
    expect(follower.of('session-removed').map(({ data }) => data.sessionId)).toEqual(talk.removed);
    const told = follower.heard.flatMap(({ type, data }) =>
      type.endsWith('-requested') || type === 'approval-resolved' ? `${type} ${data.requestId}` : [],
    );
    expect(told.length).toBe(new Set(told).size);
    expect(told.length).toBeGreaterThan(cuts / 4);
  });

  it('[MULTI9] hears of what was asked, answered and gone while it was away, before the snapshot', async () => {
    const { url, newSession, call, room } = await startServer({ log: sqliteLog() });
    const session = await newSession({ key: 'K' });
    const gone = await newSession();
    const before = await SseReader.open(`${url}/api/events`, headers);
    const { id = '' } = await before.first('snapshot');
    before.close();
    await before.ended;

    session.ask({ agentRequestId: 'r1' });
    await waitUntil(() => room.overview().pending.length === 1);
    const requestId = room.overview().pending[0]?.requestId;
    await call('POST', '/api/sessions/K/approve', { requestId, decision: 'deny' });
    await waitUntil(() => isAnnounced(room, id, 'approval-resolved'));
    await call('POST', `/api/sessions/${gone.id}/stop`);
    await call('DELETE', `/api/sessions/${gone.id}`);
    const started = await newSession({ title: 'New' });

    const after = await SseReader.open(`${url}/api/events`, { ...headers, 'last-event-id': id });
    const snapshot = await after.first('snapshot');
    const told = after.messages.slice(0, after.messages.indexOf(snapshot));
    expect(told.map(({ event, data }) => [event, data.sessionId])).toEqual([
      ['approval-requested', session.id],
      ['approval-resolved', session.id],
      ['session-updated', session.id],
      ['session-removed', gone.id],
      ['session-started', started.id],
      ['session-updated', started.id],
    ]);
    expect(told[1]?.data).toMatchObject({ requestId, outcome: 'denied', sessionKey: 'K', stageId: 'K' });
    const own = room.announcementsAfter(snapshot.id ?? '', 10);
    expect(own).toMatchObject({ announcements: [], isAll: true });
  });

  it('[MULTI9] with an id that is unknown, of another log, of the future or of too long ago it is told to begin anew', async () => {
    const log = memoryLog();
    const server = await startServer({ log });
    const session = await server.newSession();
    const first = await SseReader.open(`${server.url}/api/events`, headers);
    const { id = '' } = await first.first('snapshot');
    const [run = ''] = id.split(':');
    for (const given of ['0', 'v37dBl2t', 'nonsense:', `${run}:zzzz`, `other:1`, `${run}:5-2,9`]) {
      const reader = await SseReader.open(`${server.url}/api/events`, { ...headers, 'last-event-id': given });
      await reader.first('snapshot');
      expect(
        reader.messages.map(({ event }) => event),
        given,
      ).toEqual(['resync', 'snapshot']);
      reader.close();
    }
    session.say(Array.from({ length: 10_001 }, () => ''));
    await waitUntil(() => log.lastPosition > 10_001);
    const late = await SseReader.open(`${server.url}/api/events`, { ...headers, 'last-event-id': id });
    await late.first('snapshot');
    expect(late.messages.map(({ event }) => event)).toEqual(['resync', 'snapshot']);
  });

  it('[MULTI9] a WebSocket comes back in the same way, with the cursor of the last frame', async () => {
    const { url, newSession, call, room } = await startServer();
    const session = await newSession();
    const before = await WsClient.open(url, headers);
    session.ask({ agentRequestId: 'r1' });
    const { cursor, data } = await before.first(({ type }) => type === 'approval_requested');
    before.socket.terminate();
    await call('POST', `/api/sessions/${session.id}/approve`, {
      requestId: data.requestId,
      decision: 'allow',
    });
    await waitUntil(() => isAnnounced(room, cursor, 'approval-resolved'));
    const after = await WsClient.open(url, headers, `?after=${encodeURIComponent(cursor)}`);
    const init = await after.first(({ type }) => type === 'init');
    const told = after.frames.slice(0, after.frames.indexOf(init)).map(({ type }) => type);
    expect(told).toContain('approval_resolved');
    expect(told).not.toContain('approval_requested');
    const unknown = await WsClient.open(url, headers, '?after=unknown');
    expect((await unknown.first(() => true)).type).toBe('resync');
  });
});

/** Sessions whose agents ask, take back and say things, and people who answer, stop and remove, as chance has it. */
class Talk {
  readonly sessions: (ScriptedSession & { readonly key: string | null })[] = [];
  readonly removed: string[] = [];
  readonly #server: RunningServer;
  readonly #below: (count: number) => number;
  #count = 0;

  constructor(server: RunningServer, below: (count: number) => number) {
    this.#server = server;
    this.#below = below;
  }

  async begin(): Promise<void> {
    for (let count = 0; count < 4; count += 1) await this.#start();
  }

  async step(): Promise<void> {
    const session = this.#any();
    this.#count += 1;
    const agentRequestId = `r${this.#count}`;
    switch (this.#below(12)) {
      case 0:
      case 1:
      case 2:
        return session.ask({ agentRequestId, input: this.#command() });
      case 3:
        // Those that wait for the disk are told after those that need not.
        this.#any().ask({ agentRequestId: `${agentRequestId}a`, input: this.#command() });
        await Promise.all([this.#answer(), this.#answer()]);
        this.#any().ask({ agentRequestId: `${agentRequestId}b`, input: this.#command() });
        return;
      case 4:
        return session.report([
          { type: 'asked', ask: { ...approval, agentRequestId, input: this.#command() } },
          { type: 'withdrawn', agentRequestId },
        ]);
      case 5:
        session.ask({ agentRequestId, input: this.#command() });
        await nextTurn();
        return session.report([{ type: 'withdrawn', agentRequestId }]);
      case 6:
        return session.say(['one', 'two', 'ü✓'.repeat(this.#below(2000))]);
      case 7:
        await this.#server.call('POST', `/api/sessions/${session.id}/message`, {
          message: 'go',
          disposition: this.#below(2) === 0 ? 'queue' : 'interrupt',
        });
        return;
      case 8:
        return this.#below(6) === 0 ? this.#replace(session) : session.murmur(['live']);
      default:
        return this.#answer(session);
    }
  }

  /** Resolves when all that was said is stored, and every decision has reached the agent. */
  async settled(log: EventLog): Promise<void> {
    for (const { id } of this.sessions)
      await this.#server.call('PATCH', `/api/sessions/${id}`, { title: 'Done' });
    await waitUntil(() =>
      this.sessions.every(({ id }) => {
        const { events } = log.page(id, { after: 0, limit: 100_000 });
        const resolved = new Set(
          events.flatMap((event) => (event.type === 'interaction.resolved' ? event.interactionId : [])),
        );
        return events.every(
          (event) => event.type !== 'interaction.decided' || resolved.has(event.interactionId),
        );
      }),
    );
  }

  #command(): { readonly command: string } {
    return { command: `echo ${this.#below(100)}` };
  }

  #any(): ScriptedSession {
    const session = this.sessions[this.#below(this.sessions.length)];
    if (session === undefined) throw new Error('There are always some.');
    return session;
  }

  async #answer({ id } = this.#any()): Promise<void> {
    const now = this.#server.room.snapshot(id);
    const open = now.ok ? now.value.pending[0] : undefined;
    if (open === undefined) return;
    const decision = this.#below(2) === 0 ? 'deny' : 'allow';
    // Some are remembered: later asks are then answered by a grant, and nobody is asked.
    const scope =
      decision === 'allow' ? ['once', 'once', 'once', 'session', 'always'][this.#below(5)] : undefined;
    await this.#server.call('POST', `/api/sessions/${id}/approve`, {
      requestId: open.requestId,
      decision,
      ...(scope !== undefined && { scope }),
    });
  }

  async #start(): Promise<void> {
    const key = this.#below(2) === 0 ? `key-${this.#count}-${this.sessions.length}` : null;
    const session = await this.#server.newSession(key === null ? {} : { key });
    this.sessions.push({ ...session, key });
  }

  async #replace({ id }: ScriptedSession): Promise<void> {
    this.sessions.splice(
      this.sessions.findIndex((session) => session.id === id),
      1,
    );
    await this.#server.call('POST', `/api/sessions/${id}/stop`);
    const { status } = await this.#server.call('DELETE', `/api/sessions/${id}`);
    expect(status).toBe(200);
    this.removed.push(id);
    await this.#start();
  }
}

const isAnnounced = (room: ControlRoom, cursor: string, type: string): boolean =>
  room.announcementsAfter(cursor, 100)?.announcements.some((each) => each.announcement.type === type) ??
  false;

const approval = {
  kind: 'approval',
  toolName: 'Bash',
  title: 'Run a command',
} as const;

const heardOf = ({ heard }: CutFollower, id: string): Heard[] =>
  heard.filter(({ data }) => data.sessionId === id);

const asksAndEnds = (heard: readonly Heard[]): string[] =>
  heard.flatMap(({ type, data }) => {
    if (type === 'approval-requested') return `asked ${data.requestId}`;
    return type === 'approval-resolved' ? `${data.outcome} ${data.requestId}` : [];
  });

const messagesSent = (heard: readonly Heard[]): string[] =>
  heard.flatMap(({ type, data }) => (type === 'message-sent' ? data.messageId : []));

/** Nobody was asked what a grant answered. */
function asksAndEndsIn(events: readonly Event[]): string[] {
  const granted = new Set(
    events.flatMap((event) =>
      event.type === 'interaction.decided' && event.by.kind === 'grant' ? event.interactionId : [],
    ),
  );
  return events.flatMap((event) => {
    if (event.type === 'interaction.requested')
      return granted.has(event.interactionId) ? [] : `asked ${event.interactionId}`;
    return event.type === 'interaction.resolved' ? `${event.outcome} ${event.interactionId}` : [];
  });
}

function statusOf({ room }: RunningServer, id: string): string | undefined {
  const now = room.snapshot(id);
  return now.ok ? now.value.session.status : undefined;
}

const lastState = (follower: CutFollower, id: string): unknown =>
  heardOf(follower, id)
    .filter(({ type }) => type.startsWith('session-'))
    .at(-1)?.data;
