import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pausedConnection } from './raw-http.ts';
import { type RunningServer, startServer, token } from './running-server.ts';
import type { ScriptedSession } from './scripted-room.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const authorization = `Bearer ${token}`;
const limits = { softBytes: 128 * 1024, hardBytes: 512 * 1024 };
const largeText = 'x'.repeat(20_000);

/** The server's ends of all connections, by the client's port. */
const serverSides = new Map<number, Socket>();
const remember = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  if (socket.remotePort !== undefined) serverSides.set(socket.remotePort, socket);
};
beforeEach(() => diagnostics.subscribe('net.server.socket', remember));
afterEach(() => {
  diagnostics.unsubscribe('net.server.socket', remember);
  serverSides.clear();
});

function serverSideOf(client: Socket): Socket {
  const socket = serverSides.get(client.localPort ?? 0);
  if (socket === undefined) throw new Error('not connected');
  return socket;
}

function openPaused({ port }: RunningServer, route: string): Promise<Socket> {
  return pausedConnection(port, [
    `GET ${route} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: ${authorization}`,
    'Accept: text/event-stream',
  ]);
}

/** Reads what a connection gets from here on. */
function readMessages(socket: Socket): { event: string; data: { [field: string]: unknown } }[] {
  const messages: { event: string; data: { [field: string]: unknown } }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => void messages.push({ event: event ?? '', data: JSON.parse(data) }),
  });
  let head = '';
  let inBody = false;
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    if (inBody) return parser.feed(text);
    head += text;
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    inBody = true;
    parser.feed(head.slice(end + 4));
  });
  socket.resume();
  return messages;
}

const lastSeq = ({ room }: RunningServer, { id }: ScriptedSession): number => {
  const now = room.snapshot(id);
  return now.ok ? now.value.lastSeq : 0;
};
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('a client that stops reading', () => {
  it('[MULTI4] is bounded and resynced, and loses no event, while another gets everything as it happens', async () => {
    const server = await startServer({ limits });
    const session = await server.newSession();
    const from = lastSeq(server, session) + 1;
    const route = `/api/events?sessions=${session.id}`;
    const quick = await SseReader.open(`${server.url}${route}`, { authorization });
    await quick.first('snapshot');
    const slow = await openPaused(server, route);
    await waitUntil(() => serverSides.has(slow.localPort ?? 0) && serverSideOf(slow).bytesWritten > 0);
    const side = serverSideOf(slow);

    let most = 0;
    for (let round = 0; round < 80; round++) {
      session.murmur([`fragment ${round}`], round);
      session.say(Array.from({ length: 10 }, () => largeText));
      await quick.until(() => quick.seqs().length > (round + 1) * 10);
      most = Math.max(most, side.writableLength);
    }
    const batch = 10 * (largeText.length + 1000);
    expect(most).toBeGreaterThan(limits.softBytes);
    expect(most).toBeLessThanOrEqual(limits.hardBytes + 2 * batch);
    await quick.until(() => quick.seqs().at(-1) === lastSeq(server, session));
    expect(quick.seqs()).toEqual(range(from, lastSeq(server, session)));
    expect(quick.of('resync')).toHaveLength(0);
    expect(quick.of('delta')).toHaveLength(80);

    const messages = readMessages(slow);
    const seqs = (): unknown[] =>
      messages.filter(({ event }) => event === 'event').map(({ data }) => data.seq);
    await waitUntil(() => seqs().at(-1) === lastSeq(server, session));
    expect(seqs()).toEqual(range(from, lastSeq(server, session)));
    const kinds = messages.map(({ event }) => event);
    expect(kinds.filter((kind) => kind === 'resync')).toHaveLength(1);
    expect(kinds[kinds.indexOf('resync') + 1]).toBe('snapshot');
    session.say(['live again']);
    await waitUntil(() => seqs().at(-1) === lastSeq(server, session));
    expect(seqs()).toEqual(range(from, lastSeq(server, session)));
    slow.destroy();
  });

  it('[MULTI4] gets no half of a sentence of which a fragment was left out', async () => {
    const server = await startServer({ limits: { softBytes: 128 * 1024, hardBytes: 1e9 } });
    const session = await server.newSession();
    const slow = await openPaused(server, `/api/sessions/${session.id}/events`);
    await waitUntil(() => serverSides.has(slow.localPort ?? 0) && serverSideOf(slow).bytesWritten > 0);
    const side = serverSideOf(slow);
    session.murmur(['heard '], 0);
    while (side.writableLength <= 128 * 1024) {
      session.say([largeText]);
      await nextTurn();
    }
    session.murmur(['left out '], 0);
    await nextTurn();
    await nextTurn();
    const messages = readMessages(slow);
    const deltas = (): unknown[] =>
      messages.filter(({ event }) => event === 'delta').map(({ data }) => data.text);
    await waitUntil(() => side.writableLength === 0);
    session.murmur(['nonsense'], 0);
    session.murmur(['another block'], 1);
    await waitUntil(() => deltas().includes('another block'));
    expect(deltas()).toEqual(['heard ', 'another block']);
    expect(messages.some(({ event }) => event === 'resync')).toBe(false);
    slow.destroy();
  });

  it('[MULTI4] a WebSocket client is resynced with a frame and loses no event', async () => {
    const server = await startServer({ limits });
    const session = await server.newSession();
    const client = await WsClient.open(server.url, { authorization });
    client.send({ type: 'subscribe', sessionId: session.id, id: 1 });
    const from = (await client.reply(1)).data.lastSeq + 1;
    client.socket.pause();
    const side = [...serverSides.values()].at(-1);
    let most = 0;
    for (let round = 0; round < 80; round++) {
      session.say(Array.from({ length: 10 }, () => largeText));
      await nextTurn();
      await nextTurn();
      most = Math.max(most, side?.writableLength ?? 0);
    }
    expect(most).toBeGreaterThan(limits.softBytes);
    expect(most).toBeLessThanOrEqual(limits.hardBytes + 30 * (largeText.length + 1000));
    client.socket.resume();
    const seqs = (): number[] => client.of('chat_event').map(({ event }) => event.seq);
    await waitUntil(() => seqs().at(-1) === lastSeq(server, session));
    expect(seqs()).toEqual(range(from, lastSeq(server, session)));
    expect(client.of('resync').length).toBeGreaterThan(0);
    expect(client.of('resync')[0].data).toMatchObject({
      sessions: [{ id: session.id }],
      pending: [],
      queues: {},
    });
  });

  it('[MULTI4] a WebSocket client that does not read its replies is not read from, also when a request of it ends', async () => {
    const held = Promise.withResolvers<void>();
    let asked = 0;
    const server = await startServer({
      limits,
      through: (room) => ({
        ...room,
        async dispatch(operation, input, caller) {
          if (operation === 'interrupt' || operation === 'stop') asked += 1;
          if (operation === 'interrupt') await held.promise;
          return room.dispatch(operation, input, caller);
        },
      }),
    });
    const session = await server.newSession();
    const client = await WsClient.open(server.url, { authorization });
    const side = [...serverSides.values()].at(-1);
    client.send({ type: 'subscribe', sessionId: session.id, id: 'follow' });
    await client.reply('follow');
    client.send({ type: 'interrupt', sessionId: session.id, id: 'slow' });
    await waitUntil(() => asked === 1);

    client.socket.pause();
    while ((side?.writableLength ?? 0) <= limits.hardBytes) {
      session.say([largeText]);
      await nextTurn();
    }
    client.send({ type: 'unknown', id: 'refused' });
    await waitUntil(() => side?.isPaused() === true);
    client.send({ type: 'stop', sessionId: session.id, id: 'unread' });
    const unsent = side?.writableLength ?? 0;
    held.resolve();
    // The reply to the request waits with all the rest.
    await waitUntil(() => (side?.writableLength ?? 0) > unsent);
    await nextTurn();
    expect(side?.isPaused()).toBe(true);
    expect(asked).toBe(1);

    client.socket.resume();
    expect(await client.reply('refused')).toMatchObject({ type: 'error' });
    expect(await client.reply('slow')).toMatchObject({ id: 'slow' });
    expect(await client.reply('unread')).toMatchObject({ type: 'ack' });
  });

  it('[MULTI4] is closed when it takes nothing at all for too long', async () => {
    const server = await startServer({ limits: { ...limits, keepAliveMs: 20, stuckMs: 100 } });
    const session = await server.newSession();
    const slow = await openPaused(server, `/api/events?sessions=${session.id}`);
    await waitUntil(() => server.room.clients.count(session.id).supported === 1);
    while (server.room.clients.count(session.id).supported === 1) {
      session.say([largeText]);
      await nextTurn();
    }
    expect(serverSideOf(slow).destroyed).toBe(true);
    slow.destroy();
  });

  it('[MULTI4] does not keep the server from closing', async () => {
    const server = await startServer({ limits });
    const session = await server.newSession();
    const slow = await openPaused(server, `/api/events?sessions=${session.id}`);
    await waitUntil(() => server.room.clients.count(session.id).supported === 1);
    const side = serverSideOf(slow);
    while (side.writableLength < limits.hardBytes) {
      session.say([largeText]);
      await nextTurn();
    }
    await server.server.close();
    expect(side.destroyed).toBe(true);
    slow.destroy();
  });
});
