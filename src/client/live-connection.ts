import { type Announcement, type AnnouncementType, wireNames } from '../protocol/announcement.ts';
import type { Refusal } from '../protocol/errors.ts';
import type { Delta, Event } from '../protocol/event.ts';
import type { ConnectionFrame } from '../protocol/frame.ts';
import { BeckonError, errorOf } from './beckon-error.ts';
import { comeToLight } from './heard.ts';
import { parse } from './http-calls.ts';
import { asError, lost, pause, stayConnected } from './stay-connected.ts';
import type { FollowedFrom, LiveConnection, LiveListener, RoomSnapshot } from './transport.ts';

/** After so much silence the server is asked for a sign of life: a socket can be dead without having been closed. */
const askAfterMs = 15_000;
const answerWithinMs = 10_000;
const answerWithinMsAfterSleep = 4_000;
/** A snapshot can need longer than that on a slow network: each silence in a row doubles the time, up to this many. */
const mostDoublings = 5;
/** Of a session that went further while the connection was lost, no more is asked for: whoever shows it reads only what it needs. */
const mostMissed = 1000;

export interface LiveConnectionOptions {
  readonly listener: LiveListener;
  /** The page's key, asked for with every connection. */
  readonly key: () => string | undefined;
  /** `cursor` is behind the last announcement heard. */
  readonly open: (cursor: string | undefined) => WebSocket;
  /** Called when a socket was not let in; rejects with the refusal, if it was one. */
  readonly whyRefused: () => Promise<unknown>;
}

/** Keeps one socket connected until it is closed or refused for good; what is followed is followed again on each new one. */
export function openLiveConnection(options: LiveConnectionOptions): LiveConnection {
  const { listener } = options;
  /** The last event told of each session that is followed; undefined until the server has said where it begins. */
  const followed = new Map<string, number | undefined>();
  let socket: WebSocket | undefined;
  let cursor: string | undefined;
  let silences = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let fallSilent = (): void => {};
  const staying = stayConnected({ listen, onConnection: listener.onConnection });

  return {
    follow(sessionId) {
      followed.set(sessionId, undefined);
      subscribe(sessionId);
    },
    unfollow(sessionId) {
      if (followed.delete(sessionId)) say({ type: 'unsubscribe', sessionId });
    },
    look: (at) => say({ type: 'looking', at }),
    check() {
      staying.retryNow();
      if (socket?.readyState === WebSocket.OPEN) ask(answerWithinMsAfterSleep);
    },
    close: staying.close,
  };

  async function listen(closing: AbortSignal, onHeard: () => void): Promise<Error> {
    const current = options.open(cursor);
    socket = current;
    let wasOpen = false;
    let wasDeclined = false;
    let hasBegun = false;
    const { promise, resolve: end } = Promise.withResolvers<Error>();
    const close = (): void => end(asError(closing.reason));
    closing.addEventListener('abort', close);
    fallSilent = () => {
      silences = Math.min(silences + 1, mostDoublings);
      end(lost('The connection fell silent.'));
    };
    expectWithin(answerWithinMs);
    current.onopen = () => {
      wasOpen = true;
      greet();
    };
    current.onmessage = ({ data }) => {
      silences = 0;
      onHeard();
      clearTimeout(silence);
      silence = setTimeout(() => ask(answerWithinMs), askAfterMs);
      try {
        const frame = parse<ServerFrame>(String(data));
        if (frame.type === wireNames.refusal.webSocket && frame.id === hello)
          return end(errorOf(frame.error));
        if (!hasBegun) listener.onConnection({ state: 'connected' });
        hasBegun = true;
        take(frame);
      } catch (error) {
        // A listener's bug is not a lost connection.
        if (error instanceof BeckonError) end(error);
        else comeToLight(error);
      }
    };
    current.onclose = () => {
      wasDeclined = !wasOpen;
      end(lost('The connection ended.'));
    };
    const failure = await promise;
    closing.removeEventListener('abort', close);
    clearTimeout(silence);
    current.onopen = current.onmessage = current.onclose = null;
    current.close();
    if (!wasDeclined) return failure;
    const refusal = options.whyRefused().then(() => failure, asError);
    return Promise.race([refusal, pause(answerWithinMs, closing).then(() => failure)]);
  }

  function greet(): void {
    const key = options.key();
    const interaction = { supported: true, enabled: listener.interaction === 'enabled' };
    say({ id: hello, type: 'hello', ...(key === undefined ? {} : { key }), interaction });
    for (const [sessionId, after] of followed) subscribe(sessionId, after);
  }

  /** The frame has the session's id for its own, so that the reply tells whose it is. */
  function subscribe(sessionId: string, after?: number): void {
    say({ id: sessionId, type: 'subscribe', sessionId, ...(after === undefined ? {} : { after }) });
  }

  function ask(withinMs: number): void {
    say({ id: 'ping', type: 'ping' });
    expectWithin(withinMs);
  }

  function expectWithin(milliseconds: number): void {
    clearTimeout(silence);
    silence = setTimeout(fallSilent, milliseconds * 2 ** silences);
  }

  /** What cannot be said now is said with the next greeting. */
  function say(frame: ConnectionFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  }

  function take(frame: ServerFrame): void {
    if ('cursor' in frame) cursor = frame.cursor ?? cursor;
    switch (frame.type) {
      case wireNames.snapshot.webSocket:
      case wireNames.resync.webSocket:
        listener.onSnapshot(frame.data);
        for (const { id, lastSeq } of frame.data.sessions)
          skipIfFar(id, followed.get(id) ?? lastSeq, lastSeq);
        break;
      case wireNames.event.webSocket:
        if (followed.has(frame.sessionId)) followed.set(frame.sessionId, frame.event.seq);
        listener.onEvent(frame.sessionId, frame.event);
        break;
      case wireNames.delta.webSocket: {
        const { type: _, sessionId, ...delta } = frame;
        listener.onDelta(sessionId, delta);
        break;
      }
      case wireNames.reply.webSocket:
        if (followed.has(frame.id)) takeFollowed(frame.id, frame.data as FollowedFrom);
        break;
      case wireNames.refusal.webSocket:
        // It was removed out of sight, and is not asked for again.
        if (frame.id !== undefined && followed.delete(frame.id)) listener.onUnknown(frame.id);
        break;
      default:
        // The words for tools, too, which repeat an announcement: who does not know a type leaves it.
        listener.onAnnouncement({ type: typesByName.get(frame.type), data: frame.data } as Announcement);
    }
  }

  function takeFollowed(sessionId: string, from: FollowedFrom): void {
    followed.set(sessionId, from.after);
    if (!skipIfFar(sessionId, from.after, from.lastSeq)) listener.onFollowed(sessionId, from);
  }

  function skipIfFar(sessionId: string, after: number, lastSeq: number): boolean {
    const isFar = lastSeq - after > mostMissed;
    if (isFar) subscribe(sessionId);
    return isFar;
  }
}

const hello = 'hello';

type Names = typeof wireNames;
type TypeOf<Word extends keyof Names> = Names[Word]['webSocket'];

/** What the server says, as far as a page looks at it. */
type ServerFrame =
  | { readonly type: TypeOf<'event'>; readonly sessionId: string; readonly event: Event }
  | ({ readonly type: TypeOf<'delta'>; readonly sessionId: string } & Delta)
  | { readonly type: TypeOf<'reply'>; readonly id: string; readonly data: unknown }
  | { readonly type: TypeOf<'refusal'>; readonly id?: string; readonly error: Refusal }
  | { readonly type: TypeOf<'snapshot' | 'resync'>; readonly data: RoomSnapshot; readonly cursor?: string }
  | { readonly type: TypeOf<AnnouncementType>; readonly data: unknown; readonly cursor?: string };

const typesByName: ReadonlyMap<string, string> = new Map(
  Object.entries(wireNames).map(([type, { webSocket }]) => [webSocket, type]),
);
