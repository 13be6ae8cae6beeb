import type { ServerResponse } from 'node:http';
import type { ConnectedClient } from '../../engine/ports/control-room.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Connection } from './connections.ts';
import type { StreamContext } from './context.ts';
import { cursorEntry, cursorOf } from './cursor.ts';
import { beginEventStream } from './event-stream.ts';
import { Outbox } from './outbox.ts';
import { overviewFor } from './overview.ts';
import { followingNone, followingOne, ownStream, sseMessage, sseNews } from './sse-encoding.ts';
import { type Follow, Subscriber, type Voice } from './subscriber.ts';

export interface FollowedSession {
  readonly sessionId: SessionId;
  /** The last event the client has, or undefined for one that wants what comes from now on. */
  readonly after: number | undefined;
}

/** The stream of all sessions; `followed` adds the events and deltas of some. */
export function streamAll(
  context: StreamContext,
  response: ServerResponse,
  options: {
    readonly client: ConnectedClient;
    readonly accessId: string | undefined;
    readonly followed: readonly FollowedSession[];
  },
): void {
  const { room } = context;
  const { client } = options;
  const cursor = (): string => cursorOf([...stream.subscriber.follows.values()].map(entryOf));
  const snapshot = (): string => {
    const overview = overviewFor(context, client.id, stream.subscriber.follows.keys());
    return sseMessage('snapshot', JSON.stringify(overview), cursor());
  };
  const followsSeveral = (): boolean => stream.subscriber.follows.size > 1;
  const voice: Voice = {
    shared: (batch) => (followsSeveral() && batch.lastSeq > 0 ? undefined : batch.encoded(followingOne)),
    news(follow, frames) {
      const others = [...stream.subscriber.follows.values()];
      const place = others.indexOf(follow);
      const before = others.slice(0, place).map(entryOf);
      const behind = others.slice(place + 1).map(entryOf);
      const idOf = (seq: number): string =>
        cursorOf([...before, cursorEntry(follow.sessionId, seq), ...behind]);
      return Buffer.from(sseNews(follow.sessionId, frames, idOf));
    },
    announcements: (batch) =>
      batch.encoded(stream.subscriber.follows.size === 0 ? followingNone : followingOne),
    resync: () => Buffer.from(sseMessage('resync', '{}') + snapshot()),
    sessionRemoved: () => undefined,
  };
  const stream = openStream(context, response, {
    voice,
    accessId: options.accessId,
    onClose: () => client.disconnect(),
  });
  stream.subscriber.hearEverything();
  for (const { sessionId, after } of options.followed) {
    const now = room.snapshot(sessionId);
    if (now.ok) stream.subscriber.follow(sessionId, now.value.lastSeq, after);
  }
  stream.begin(snapshot());
}

/** The stream of one session: as it is now, the events after `after` if that is given, then what comes. */
export function streamSession(
  context: StreamContext,
  response: ServerResponse,
  options: { readonly session: FollowedSession; readonly accessId: string | undefined },
): void {
  const { sessionId, after } = options.session;
  const snapshot = (): string => {
    const now = context.room.snapshot(sessionId);
    return now.ok ? sseMessage('snapshot', JSON.stringify(now.value), String(follow.sentSeq)) : '';
  };
  const voice: Voice = {
    shared: (batch) => batch.encoded(ownStream),
    news: (_, frames) => ownStream.news(sessionId, frames),
    announcements: () => Buffer.alloc(0),
    resync: () => Buffer.from(sseMessage('resync', '{}') + snapshot()),
    sessionRemoved: () => stream.connection.close(),
  };
  const stream = openStream(context, response, {
    voice,
    accessId: options.accessId,
    onClose: () => undefined,
  });
  const now = context.room.snapshot(sessionId);
  const follow: Follow = stream.subscriber.follow(sessionId, now.ok ? now.value.lastSeq : 0, after);
  stream.begin(snapshot());
}

const entryOf = (follow: Follow): string => cursorEntry(follow.sessionId, follow.sentSeq);

interface Stream {
  readonly subscriber: Subscriber;
  readonly connection: Connection;
  begin(snapshot: string): void;
}

function openStream(
  context: StreamContext,
  response: ServerResponse,
  options: { readonly voice: Voice; readonly accessId: string | undefined; readonly onClose: () => void },
): Stream {
  beginEventStream(response);
  const { socket } = response;
  if (socket === null) throw new Error('the response has no socket');
  const { room, broadcast, connections, limits } = context;
  const outbox = new Outbox({
    socket,
    limits,
    isOpen: () => socket.writable,
    onMissed: () => subscriber.resync(),
  });
  const failed = (error: unknown): void => {
    context.onError(error);
    socket.destroy();
  };
  const subscriber = new Subscriber({ room, broadcast, outbox, voice: options.voice, onError: failed });
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
  return {
    subscriber,
    connection,
    begin(snapshot) {
      outbox.pushSnapshot(Buffer.from(`retry: 1000\n${snapshot}`));
      outbox.flush();
      subscriber.catchUp();
    },
  };
}
