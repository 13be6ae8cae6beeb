import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  ConnectionState,
  FollowedFrom,
  LiveListener,
  RoomSnapshot,
} from '../../src/client/transport.ts';
import { WebSocketTransport } from '../../src/client/web-socket-transport.ts';
import type { Announcement } from '../../src/protocol/announcement.ts';
import { createServer } from '../../src/server/create-server.ts';
import { type EngineRoom, openRoom } from '../support/engine-room.ts';
import { holds } from '../support/eventually.ts';
import { bashAsk } from '../support/session-states.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A listener that keeps what it hears. */
function listening(interaction: LiveListener['interaction'] = 'enabled') {
  const heard = {
    states: [] as ConnectionState[],
    snapshots: [] as RoomSnapshot[],
    announcements: [] as Announcement[],
    followed: [] as (FollowedFrom & { sessionId: string })[],
    unknown: [] as string[],
    news: [] as string[],
  };
  const listener: LiveListener = {
    interaction,
    onConnection: (state) => heard.states.push(state),
    onSnapshot: (snapshot) => heard.snapshots.push(snapshot),
    onAnnouncement: (announcement) => heard.announcements.push(announcement),
    onFollowed: (sessionId, from) => heard.followed.push({ ...from, sessionId }),
    onUnknown: (sessionId) => heard.unknown.push(sessionId),
    onEvent: (_, event) => heard.news.push(`${event.seq}`),
    onDelta: (_, { text }) => heard.news.push(text),
  };
  return { heard, listener };
}

describe('the live connection to a real server', () => {
  const token = 'a-token-for-tests-0123456789';
  let room: EngineRoom;
  let url: string;
  let sockets: WebSocket[];

  beforeEach(async () => {
    room = await openRoom();
    ends.push(() => room.end());
    const logger = pino({ level: 'silent' });
    const server = createServer({
      room: room.engine,
      token,
      host: '127.0.0.1',
      port: 0,
      version: '1',
      logger,
    });
    ends.push(() => server.close());
    ({ url } = await server.listen());
    sockets = [];
  });

  function connect(interaction: LiveListener['interaction'] = 'enabled', presented = token) {
    const openSocket = (path: string): WebSocket => {
      const headers = { authorization: `Bearer ${presented}` };
      const socket = new WebSocket(url.replace('http', 'ws') + path, { headers } as never);
      sockets.push(socket);
      return socket;
    };
    const { heard, listener } = listening(interaction);
    const transport = new WebSocketTransport({ baseUrl: url, token: presented, openSocket });
    const connection = transport.connect(listener);
    ends.push(() => connection.close());
    return { heard, connection, transport };
  }

  it('[MULTI10] tells all there is once, then what happens, and in full of what is followed', async () => {
    const [followed, agent] = await room.running();
    const [other, otherAgent] = await room.running();
    agent.report({ type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'Once ' } });
    await room.drained(followed);
    const { heard, connection } = connect();
    await holds(() => expect(heard.snapshots).toHaveLength(1));
    connection.follow(followed);
    await holds(() => expect(heard.followed).toHaveLength(1));
    const { lastSeq } = room.snapshot(followed);
    expect(heard.followed).toMatchObject([{ sessionId: followed, lastSeq, partial: [{ text: 'Once ' }] }]);

    const said = { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'Once upon' } as const;
    otherAgent.report({ type: 'said', event: said });
    agent.report({ type: 'delta', delta: { messageId: 'm', block: 0, kind: 'text', text: 'upon' } });
    agent.report({ type: 'said', event: said });
    await room.asks(other, bashAsk('r1', 'ls'));
    await holds(() => expect(heard.news).toEqual(['upon', `${lastSeq + 1}`]));
    await holds(() => expect(heard.announcements.map(({ type }) => type)).toContain('approval-requested'));

    connection.unfollow(followed);
    connection.follow(other);
    await holds(() => expect(heard.followed).toHaveLength(2));
    agent.report({ type: 'delta', delta: { messageId: 'n', block: 0, kind: 'text', text: 'unheard' } });
    otherAgent.report({ type: 'delta', delta: { messageId: 'n', block: 0, kind: 'text', text: 'heard' } });
    await holds(() => expect(heard.news.at(-1)).toBe('heard'));
    expect(heard.news).not.toContain('unheard');
    expect(heard.snapshots).toHaveLength(1);
    expect(heard.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
  });

  it('[MULTI9] [MULTI10] comes back with its cursor and follows again; a session that is gone is told, once', async () => {
    const [kept] = await room.running();
    const [gone] = await room.running();
    const { heard, connection, transport } = connect();
    connection.follow(kept);
    connection.follow(gone);
    await holds(() => expect(heard.followed).toHaveLength(2));
    sockets[0]?.close();
    await transport.stop(gone);
    await transport.removeSession(gone);
    await room.asks(kept, bashAsk('r1', 'ls'));
    await holds(() => expect(heard.followed).toHaveLength(3));
    // What was missed comes over the connection itself, from behind what was told last.
    const { lastSeq: before = 0 } = heard.followed.find(({ sessionId }) => sessionId === kept) ?? {};
    expect(heard.followed[2]).toMatchObject({ sessionId: kept, after: before });
    const missed = Array.from(
      { length: room.snapshot(kept).lastSeq - before },
      (_, n) => `${before + 1 + n}`,
    );
    expect(missed.length).toBeGreaterThan(0);
    await holds(() => expect(heard.news).toEqual(expect.arrayContaining(missed)));
    await holds(() => expect(heard.unknown).toEqual([gone]));
    await holds(() => expect(heard.snapshots).toHaveLength(2));
    expect(new URL(sockets.at(-1)?.url ?? '').searchParams.get('after')).not.toBeNull();
    expect(heard.announcements.map(({ type }) => type)).toContain('session-removed');
    expect(heard.announcements.filter(({ type }) => type === 'approval-requested')).toHaveLength(1);
    expect(heard.states.map(({ state }) => state).slice(-3)).toEqual(['lost', 'connecting', 'connected']);
  });

  it('[MULTI1] says whether it answers', async () => {
    const [id] = await room.idle();
    const sessionId = room.snapshot(id).session.id;
    connect('disabled');
    await expect.poll(() => room.engine.clients.count(sessionId)).toEqual({ supported: 1, enabled: 0 });
    connect('enabled');
    await expect.poll(() => room.engine.clients.count(sessionId)).toEqual({ supported: 2, enabled: 1 });
  });

  it('[SEC1] tells why it is not let in, and does not try again', async () => {
    const { heard } = connect('enabled', 'not-the-token');
    await holds(() => expect(heard.states.at(-1)?.state).toBe('closed'));
    expect(heard.states.at(-1)).toMatchObject({ error: { code: 'unauthorized', status: 401 } });
    expect(sockets).toHaveLength(1);
  });
});

describe('the live connection when the network is dead and nobody says so', () => {
  const opened: SilentSocket[] = [];
  const last = (): SilentSocket => opened.at(-1) ?? expect.fail();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    ends.push(() => vi.useRealTimers());
    opened.length = 0;
  });

  function connect() {
    const { heard, listener } = listening();
    const transport = new WebSocketTransport({
      openSocket: () => {
        const socket = new SilentSocket();
        opened.push(socket);
        return socket as unknown as WebSocket;
      },
      fetch: () => Promise.reject(new TypeError('No network.')),
    });
    const connection = transport.connect(listener);
    ends.push(() => connection.close());
    return { heard, connection };
  }
  const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('[MULTI12] is asked for a sign of life after 15 s of silence, and stays while it gives one', async () => {
    const { heard } = connect();
    last().open();
    last().tell({ type: 'init', data: { sessions: [] }, cursor: 'c1' });
    for (let round = 0; round < 20; round += 1) {
      await wait(15_000);
      expect(last().said.at(-1)).toEqual({ id: 'ping', type: 'ping' });
      last().tell({ type: 'ack', id: 'ping', data: {} });
    }
    expect(opened).toHaveLength(1);
    expect(heard.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
  });

  it('[MULTI12] is given up within 30 s without one, and made anew', async () => {
    const { heard } = connect();
    last().open();
    last().tell({ type: 'init', data: { sessions: [] }, cursor: 'c1' });
    await wait(25_000);
    expect(heard.states.at(-1)?.state).toBe('lost');
    expect(last().isClosed).toBe(true);
    await wait(300);
    expect(opened).toHaveLength(2);
  });

  it('[MULTI12] is looked at within seconds once the page is seen again', async () => {
    const { heard, connection } = connect();
    last().open();
    last().tell({ type: 'init', data: { sessions: [] }, cursor: 'c1' });
    connection.check();
    expect(last().said.at(-1)).toEqual({ id: 'ping', type: 'ping' });
    await wait(4_000);
    expect(heard.states.at(-1)?.state).toBe('lost');
  });

  it('[MULTI12] does not wait for its next attempt once there is a network again', async () => {
    const { heard, connection } = connect();
    for (let attempt = 0; attempt < 8; attempt += 1) {
      last().onclose?.();
      await wait(0);
      expect(heard.states.at(-1)?.state).toBe('lost');
      if (attempt < 7) await wait(15_000);
    }
    const before = opened.length;
    connection.check();
    await wait(0);
    expect(opened).toHaveLength(before + 1);
  });

  it('[MULTI12] is given longer each time, so that a snapshot on a slow network arrives in the end', async () => {
    const { heard } = connect();
    let tried = 0;
    for (; heard.snapshots.length === 0 && tried < 10; tried += 1) {
      const socket = last();
      socket.open();
      await wait(60_000);
      // Brought a minute after it was asked for.
      if (!socket.isClosed) socket.tell({ type: 'init', data: { sessions: [] }, cursor: 'c1' });
    }
    expect(heard.snapshots).toHaveLength(1);
    expect(tried).toBeLessThanOrEqual(4);
  });
});

describe('the live connection to a session that went far while it was lost', () => {
  it('[MULTI10] asks for what comes from now on, and leaves the rest to be read', async () => {
    const opened: SilentSocket[] = [];
    const { heard, listener } = listening();
    const openSocket = (): WebSocket => {
      const socket = new SilentSocket();
      opened.push(socket);
      return socket as unknown as WebSocket;
    };
    const connection = new WebSocketTransport({ openSocket }).connect(listener);
    ends.push(() => connection.close());
    connection.follow('s');
    const [first = expect.fail()] = opened;
    first.open();
    first.tell({ type: 'ack', id: 's', data: { after: 10, lastSeq: 10, partial: [] } });
    first.tell({ type: 'chat_event', sessionId: 's', event: { seq: 11 } });
    first.onclose?.();
    await holds(() => expect(opened).toHaveLength(2));
    const second = opened[1] ?? expect.fail();
    second.open();
    expect(second.said.at(-1)).toEqual({ id: 's', type: 'subscribe', sessionId: 's', after: 11 });
    second.tell({ type: 'ack', id: 's', data: { after: 11, lastSeq: 5000, partial: [] } });
    expect(second.said.at(-1)).toEqual({ id: 's', type: 'subscribe', sessionId: 's' });
    expect(heard.followed).toHaveLength(1);
    second.tell({ type: 'ack', id: 's', data: { after: 5000, lastSeq: 5000, partial: [] } });
    expect(heard.followed.at(-1)).toMatchObject({ after: 5000, lastSeq: 5000 });
  });
});

/** A socket that hears nothing but what the test says. */
class SilentSocket {
  readyState: number = WebSocket.CONNECTING;
  readonly said: unknown[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  open(): void {
    this.readyState = WebSocket.OPEN;
    this.onopen?.();
  }
  tell(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  send(text: string): void {
    this.said.push(JSON.parse(text));
  }
  close(): void {
    this.isClosed = true;
  }
}
