import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ConnectedClient } from '../../engine/ports/control-room.ts';
import { wireNames } from '../../protocol/announcement.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { apiHeaders } from '../headers.ts';
import { type AnnouncementFrame, type Frame, jsonOf, jsonWithSession } from './batch.ts';
import { type Connection, overviewFor, type StreamContext } from './connections.ts';
import { Outbox } from './outbox.ts';
import { type Encoding, type Follow, Subscriber } from './subscriber.ts';

export interface FollowedSession {
  readonly sessionId: SessionId;
  /** The last event the client has, or undefined for one that wants what comes from now on. */
  readonly after: number | undefined;
}

/** The stream of all sessions; `sessions` adds the events and deltas of some. */
export function streamAll(
  context: StreamContext,
  response: ServerResponse,
  options: {
    readonly client: ConnectedClient;
    readonly accessId: string | undefined;
    readonly sessions: readonly SessionId[];
    /** What a client that was here before has heard last. */
    readonly lastEventId: string | undefined;
  },
): void {
  const { client, lastEventId } = options;
  const told = readId(lastEventId ?? '');
  let hasBegun = false;
  const entries = (follow?: Follow, seq?: number): string =>
    [...stream.subscriber.follows.values()]
      .map((each) => seqEntry(each.sessionId, each === follow && seq !== undefined ? seq : each.sentSeq))
      .join('.');
  const idOf = (cursor: string, seqs = hasBegun ? entries() : told.entries): string =>
    seqs === '' ? cursor : `${cursor}/${seqs}`;
  const snapshot = (): string => {
    const overview = overviewFor(context, client.id, stream.subscriber.follows.keys());
    return message('snapshot', JSON.stringify(overview), idOf(stream.subscriber.cursor));
  };
  const encoding: Encoding = {
    key: (follow) =>
      follow === undefined ? `all ${entries()}` : `all ${idOf(stream.subscriber.cursor, entries(follow, 0))}`,
    news: (follow, frames) =>
      encodeNews(follow.sessionId, frames, (seq) => idOf(stream.subscriber.cursor, entries(follow, seq))),
    announcements: (frames) =>
      Buffer.from(frames.map((frame) => announcement(frame, frame.cursor && idOf(frame.cursor))).join('')),
    resync: () => Buffer.from(message('resync', '{}') + snapshot()),
  };
  const stream = openStream(context, response, {
    encoding,
    accessId: options.accessId,
    onClose: () => client.disconnect(),
  });
  const begin = (isWhole: boolean): void => {
    hasBegun = true;
    stream.subscriber.hearEverything();
    for (const sessionId of options.sessions) {
      const now = context.room.snapshot(sessionId);
      if (now.ok) stream.subscriber.follow(sessionId, now.value.lastSeq, told.seqOf(sessionId));
    }
    stream.begin((isWhole ? '' : message('resync', '{}')) + snapshot());
  };
  if (lastEventId === undefined) begin(true);
  else stream.subscriber.resume(told.cursor, begin);
}

/** The stream of one session: as it is now, the events after `after` if that is given, then what comes. */
export function streamSession(
  context: StreamContext,
  response: ServerResponse,
  options: {
    readonly client: ConnectedClient;
    readonly session: FollowedSession;
    readonly accessId: string | undefined;
  },
): void {
  const { sessionId, after } = options.session;
  const snapshot = (): string => {
    const now = context.room.snapshot(sessionId);
    return now.ok ? message('snapshot', JSON.stringify(now.value), String(follow.sentSeq)) : '';
  };
  const stream = openStream(context, response, {
    encoding: {
      key: () => 'own',
      news: (_, frames) => encodeNews(sessionId, frames, String, announcement),
      announcements: () => Buffer.alloc(0),
      resync: () => Buffer.from(message('resync', '{}') + snapshot()),
    },
    accessId: options.accessId,
    onClose: () => options.client.disconnect(),
    onRemoved: () => stream.connection.close(),
  });
  const now = context.room.snapshot(sessionId);
  const follow = stream.subscriber.follow(sessionId, now.ok ? now.value.lastSeq : 0, after);
  stream.begin(snapshot());
}

/** One message of a stream. JSON has no line breaks, so it is always one line of data. */
function message(word: keyof typeof wireNames, json: string, id?: string): string {
  const named = `event: ${wireNames[word].events}\ndata: ${json}\n\n`;
  return id === undefined ? named : `id: ${id}\n${named}`;
}

const announcement = (frame: AnnouncementFrame, id?: string): string =>
  message(frame.announcement.type, jsonOf(frame), id);

/** Only events move a client's place in a session, so of its news only they have an id. */
function encodeNews(
  sessionId: SessionId,
  frames: readonly Frame[],
  idOf: (seq: number) => string,
  announce: (frame: AnnouncementFrame) => string = () => '',
): Buffer {
  const texts = frames.map((frame) => {
    if (frame.kind === 'announcement') return announce(frame);
    const id = frame.kind === 'event' ? idOf(frame.event.seq) : undefined;
    return message(frame.kind, jsonWithSession(frame, sessionId), id);
  });
  return Buffer.from(texts.join(''));
}

/**
 * How far a client was told: the cursor of the announcements, and after a slash, for each session that it follows, six letters of the
 * hash of its id and the number of the last event to base 36. It names sessions, not places in a list, so a client may come back with
 * another list. What is no such id has a cursor that nobody knows.
 */
function readId(text: string): {
  readonly cursor: string;
  readonly entries: string;
  readonly seqOf: (sessionId: SessionId) => number | undefined;
} {
  const [, cursor = '', entries = ''] = /^([^/]*:[^/]*)?\/?(.*)$/.exec(text) ?? [];
  const seqs = new Map<string, number>();
  for (const entry of entries.split('.')) {
    const [, mark, seq] = /^([\w-]{6})([0-9a-z]{1,10})$/.exec(entry) ?? [];
    if (mark !== undefined && seq !== undefined) seqs.set(mark, Number.parseInt(seq, 36));
  }
  return {
    cursor,
    entries: seqs.size === 0 ? '' : entries,
    seqOf: (sessionId) => seqs.get(markOf(sessionId)),
  };
}

const seqEntry = (sessionId: SessionId, seq: number): string => `${markOf(sessionId)}${seq.toString(36)}`;

function markOf(sessionId: SessionId): string {
  const known = marks.get(sessionId);
  if (known !== undefined) return known;
  const mark = createHash('sha256').update(sessionId).digest('base64url').slice(0, 6);
  if (marks.size >= 10_000) marks.clear();
  marks.set(sessionId, mark);
  return mark;
}

/** Hashing costs more than the whole frame around it. */
const marks = new Map<SessionId, string>();

interface Stream {
  readonly subscriber: Subscriber;
  readonly connection: Connection;
  begin(snapshot: string): void;
}

function openStream(
  context: StreamContext,
  response: ServerResponse,
  options: {
    readonly encoding: Encoding;
    readonly accessId: string | undefined;
    readonly onClose: () => void;
    readonly onRemoved?: () => void;
  },
): Stream {
  sendHead(response);
  const { socket } = response;
  if (socket === null) throw new Error('the response has no socket');
  const { room, broadcast, connections, limits } = context;
  const outbox = new Outbox({
    socket,
    limits,
    isOpen: () => socket.writable,
    onMissed: () => subscriber.resync(),
  });
  const subscriber = new Subscriber({
    room,
    broadcast,
    outbox,
    encoding: options.encoding,
    onError(error) {
      context.onError(error);
      socket.destroy();
    },
    ...(options.onRemoved && { onRemoved: options.onRemoved }),
  });
  const connection: Connection = {
    accessId: options.accessId,
    sweep(now) {
      if (outbox.isStuck(now)) socket.destroy();
      else if (!outbox.full) socket.write(': alive\n\n');
    },
    close: () => socket.end(),
    destroy: () => socket.destroy(),
  };
  connections.add(connection);
  socket.once('close', () => {
    connections.delete(connection);
    subscriber.close();
    options.onClose();
  });
  outbox.push(Buffer.from('retry: 1000\n'));
  return {
    subscriber,
    connection,
    begin(snapshot) {
      outbox.pushSnapshot(Buffer.from(snapshot));
      outbox.flush();
      subscriber.catchUp();
    },
  };
}

/**
 * Of a stream that ends with its connection. Its length is left open instead of chunked, so that everything gathered for a client goes
 * to the socket as it is, in one write.
 */
function sendHead(response: ServerResponse): void {
  for (const [name, value] of Object.entries(apiHeaders)) response.setHeader(name, value);
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('x-accel-buffering', 'no');
  response.removeHeader('transfer-encoding');
  response.writeHead(200);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
}
