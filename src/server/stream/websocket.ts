import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { ConnectedClient, InteractionMode } from '../../engine/ports/control-room.ts';
import { wireNames } from '../../protocol/announcement.ts';
import { accept, type Refusal, type Result, refuse } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/interaction.ts';
import { accessIdOf, actorOf, type Identity, type UpgradeIdentity, whereOf } from '../auth/guard.ts';
import { maxBodyBytes, maxStrangerBytes } from '../body.ts';
import { type FrameId, type Request, readFrame } from './client-frame.ts';
import { type Connection, overviewFor, type StreamContext } from './connections.ts';
import { Outbox } from './outbox.ts';
import { Subscriber } from './subscriber.ts';
import { announcementFrames, newsFrames, textFrames } from './ws-frames.ts';

/** Requests of one client that are being worked on; it is not read from while it has more. */
const maxOpenRequests = 64;

export interface WebSocketEndpoint {
  /** Takes over a connection whose request has been let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, identity: UpgradeIdentity): void;
}

/** `onKnown` is called once a client has shown who it is. */
export function webSocketEndpoint(
  context: StreamContext,
  onKnown: (socket: Duplex) => void,
): WebSocketEndpoint {
  // Frames are written to the socket as they are, beside the library: it must not transform its own.
  const server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes, perMessageDeflate: false });
  return {
    accept(request, socket, head, identity) {
      const begin = (ws: WebSocket, known: Identity, first?: string): void => {
        onKnown(socket);
        new WebSocketClient(context, ws, socket, known).begin(afterIn(request), first);
      };
      if (identity.is === 'known') {
        server.handleUpgrade(request, socket, head, (ws) => begin(ws, identity.identity));
        return;
      }
      const { withKey } = identity;
      const lift = limitBytes(socket);
      server.handleUpgrade(request, socket, head, (ws) =>
        awaitKey(ws, withKey, (known, hello) => {
          lift();
          begin(ws, known, hello);
        }),
      );
    },
  };
}

/** The cursor that a client comes back with. */
const afterIn = ({ url = '' }: IncomingMessage): string | null =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('after');

const keyPatienceMs = 10_000;

/** A cookie alone opens nothing: until the first frame has shown the page's key, nothing is said and nothing is done. */
function awaitKey(
  ws: WebSocket,
  withKey: (key: string) => Result<Identity>,
  then: (identity: Identity, hello: string) => void,
): void {
  const timer = setTimeout(() => ws.terminate(), keyPatienceMs);
  timer.unref();
  const over = (): void => clearTimeout(timer);
  const failed = (): void => undefined;
  ws.once('close', over);
  // Without a listener an error would end the process.
  ws.on('error', failed);
  ws.once('message', (data, isBinary) => {
    over();
    ws.off('close', over).off('error', failed);
    const text = data.toString();
    const { id, request } = readFrame(text);
    const key = !isBinary && request.ok && request.value.do === 'hello' ? request.value.key : undefined;
    const identity = key === undefined ? refuse('key_missing') : withKey(key);
    if (identity.ok) return then(identity.value, text);
    ws.on('error', failed);
    ws.send(JSON.stringify({ type: 'error', id, error: identity.refusal }));
    ws.close(1008);
  });
}

/** Cuts off whoever sends more until it is lifted: the library would gather a frame up to its own limit. */
function limitBytes(socket: Duplex): () => void {
  let left = maxStrangerBytes;
  const count = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  };
  socket.on('data', count);
  return () => socket.off('data', count);
}

/** One WebSocket client from its first frame to its last. */
class WebSocketClient implements Connection {
  readonly accessId: string | undefined;
  readonly #context: StreamContext;
  readonly #ws: WebSocket;
  readonly #outbox: Outbox;
  readonly #subscriber: Subscriber;
  readonly #client: ConnectedClient;
  readonly #identity: Identity;
  #actor: Actor;
  #openRequests = 0;
  /** It has not read the replies it was given. */
  #isBehind = false;
  #heardAt = performance.now();

  constructor(context: StreamContext, ws: WebSocket, socket: Duplex, identity: Identity) {
    const { room, broadcast, limits } = context;
    this.#context = context;
    this.#ws = ws;
    this.#identity = identity;
    this.#actor = actorOf(identity, undefined);
    this.accessId = accessIdOf(identity);
    this.#client = room.clients.connect({
      label: whereOf(identity),
      // It has said neither that it can answer interactive tools nor that it does not want to answer.
      interaction: { supported: false, enabled: true },
    });
    this.#outbox = new Outbox({
      socket,
      limits,
      isOpen: () => ws.readyState === WebSocket.OPEN,
      onMissed: () => this.#subscriber.resync(),
    });
    this.#subscriber = new Subscriber({
      room,
      broadcast,
      outbox: this.#outbox,
      encoding: {
        key: () => 'WebSocket',
        news: ({ sessionId }, frames) => newsFrames(sessionId, frames),
        announcements: announcementFrames,
        resync: () => this.#overview('resync'),
      },
      onError: (error) => {
        context.onError(error);
        ws.terminate();
      },
    });
  }

  /** `first` is a frame that was read before it was known whose it is. */
  begin(after: string | null, first: string | undefined): void {
    this.#context.connections.add(this);
    this.#ws.on('message', (data, isBinary) => this.#read(data.toString(), isBinary));
    this.#ws.on('pong', () => this.#heard());
    // The library closes the connection itself; without a listener the error would end the process.
    this.#ws.on('error', () => undefined);
    this.#ws.once('close', () => {
      this.#context.connections.delete(this);
      this.#subscriber.close();
      this.#client.disconnect();
    });
    if (after === null) this.#tellAll('snapshot');
    else this.#subscriber.resume(after, (isWhole) => this.#tellAll(isWhole ? 'snapshot' : 'resync'));
    if (first !== undefined) this.#read(first, false);
  }

  sweep(now: number): void {
    if (this.#outbox.isStuck(now) || now - this.#heardAt > this.#context.limits.stuckMs) this.#ws.terminate();
    else if (this.#ws.readyState === WebSocket.OPEN && !this.#outbox.full) this.#ws.ping();
  }

  close(): void {
    this.#ws.close(1001);
  }

  destroy(): void {
    this.#ws.terminate();
  }

  #read(text: string, isBinary: boolean): void {
    this.#heard();
    if (isBinary) {
      this.#fail(undefined, refuse('malformed_request', 'Text frames are expected.').refusal);
      return;
    }
    const { id, request } = readFrame(text);
    if (!request.ok) this.#fail(id, request.refusal);
    else this.#answer(id, request.value);
  }

  #answer(id: FrameId, request: Request): void {
    const reply = this.#perform(request);
    if (!(reply instanceof Promise)) {
      this.#settle(id, reply);
      return;
    }
    this.#openRequests += 1;
    this.#pace();
    reply
      .then(
        (result) => this.#settle(id, result),
        (error: unknown) => {
          this.#context.onError(error);
          this.#fail(id, refuse('internal_error').refusal);
        },
      )
      .finally(() => {
        this.#openRequests -= 1;
        this.#pace();
      });
  }

  #perform(request: Request): Result<unknown> | Promise<Result<unknown>> {
    switch (request.do) {
      case 'hello':
        if (request.name !== undefined) {
          this.#actor = { ...actorOf(this.#identity, request.name), where: request.name };
        }
        return this.#setInteraction(request.interaction ?? this.#client.interaction);
      case 'set-enabled':
        return this.#setInteraction({ ...this.#client.interaction, enabled: request.enabled });
      case 'subscribe':
        return this.#subscribe(request.session, request.after);
      case 'unsubscribe':
        return this.#unsubscribe(request.session);
      case 'look':
        // Only a paired browser has a person before it: whatever else has the token may be the agent itself.
        if (this.#identity.via === 'device') this.#client.look(request.at);
        return accept({});
      case 'ping':
        return accept({});
      case 'dispatch':
        return this.#dispatch(request);
    }
  }

  async #dispatch({ operation, input }: Extract<Request, { do: 'dispatch' }>): Promise<Result<unknown>> {
    const actor: Actor = { ...this.#actor, clientId: this.#client.id };
    const { mayDecide } = this.#identity;
    const result = await this.#context.room.dispatch(operation, input, { actor, mayDecide });
    return result.ok ? accept(result.value.body) : result;
  }

  #setInteraction(mode: InteractionMode): Result<unknown> {
    this.#client.setInteraction(mode);
    return accept({ clientId: this.#client.id, interaction: this.#client.interaction });
  }

  /** The reply goes out before the first event, so that a client knows what the events belong to. */
  #subscribe(session: string, after: number | undefined): Result<unknown> {
    const now = this.#context.room.snapshot(session);
    if (!now.ok) return now;
    const { lastSeq, partial } = now.value;
    const sessionId = now.value.session.id;
    const { sentSeq } = this.#subscriber.follow(sessionId, lastSeq, after);
    queueMicrotask(() => this.#subscriber.catchUp());
    return accept({ sessionId, after: sentSeq, lastSeq, partial });
  }

  #unsubscribe(session: string): Result<unknown> {
    const now = this.#context.room.snapshot(session);
    if (!now.ok) return now;
    this.#subscriber.unfollow(now.value.session.id);
    return accept({ sessionId: now.value.session.id });
  }

  #settle(id: FrameId, result: Result<unknown>): void {
    if (!result.ok) this.#fail(id, result.refusal);
    else if (id !== undefined) this.#say({ type: wireNames.reply.webSocket, id, data: result.value });
  }

  #fail(id: FrameId, error: Refusal): void {
    this.#say({ type: wireNames.refusal.webSocket, id, error });
  }

  /** Replies are never left out; instead a client that does not read them is not read from. */
  #say(frame: object): void {
    this.#outbox.push(textFrames([JSON.stringify(frame)]));
    this.#outbox.flush();
    if (!this.#outbox.choked || this.#isBehind) return;
    this.#isBehind = true;
    this.#pace();
    void this.#outbox.drained().then(() => {
      this.#isBehind = false;
      this.#pace();
    });
  }

  /** Both reasons not to read on must be over: one that ends must not undo the other. */
  #pace(): void {
    const most = this.#ws.isPaused ? maxOpenRequests / 2 : maxOpenRequests;
    const reads = !this.#isBehind && this.#openRequests < most;
    if (reads === !this.#ws.isPaused) return;
    if (reads) this.#ws.resume();
    else this.#ws.pause();
  }

  #heard(): void {
    this.#heardAt = performance.now();
  }

  #tellAll(word: 'snapshot' | 'resync'): void {
    this.#subscriber.hearEverything();
    this.#outbox.pushSnapshot(this.#overview(word));
    this.#outbox.flush();
  }

  #overview(word: 'snapshot' | 'resync'): Buffer {
    const { follows, cursor } = this.#subscriber;
    const data = overviewFor(this.#context, this.#client.id, follows.keys());
    return textFrames([JSON.stringify({ type: wireNames[word].webSocket, data, cursor })]);
  }
}
