import type { Announcement, SessionSnapshot } from '../protocol/announcement.ts';
import type { StreamQuery } from '../protocol/command.ts';
import type { Delta, Event } from '../protocol/event.ts';
import { type OperationDefinition, operations, pathTo } from '../protocol/operation.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import { BeckonError, errorOfReply, unreachable } from './beckon-error.ts';
import { type CallsOf, callsOf, queryOf, RoomCalls, type Send } from './calls.ts';
import { openEventStream, type RetryPolicy } from './event-stream.ts';
import type { Following, RoomSnapshot, Subscription, Transport, Unsubscribe } from './transport.ts';

export interface HttpTransportOptions {
  /** `http://127.0.0.1:4590`; empty in a page that the server itself delivered. */
  readonly baseUrl?: string;
  /** Not needed in a page: it has a cookie, and a key. */
  readonly token?: string;
  /** In a page: the key that its cookie works with. Read for every request, for another tab may have been paired anew. */
  readonly key?: () => string | undefined;
  /** Named with every request, so that what was done from here can be told from what others did; also after a restart. */
  readonly clientId?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: RetryPolicy;
  /** After so long without a reply a call fails as unreachable. */
  readonly timeoutMs?: number;
}

/** Beside the control room's calls those for pairing, devices and unlocks, which only a server has. */
const ServerCalls = RoomCalls as new (send: Send) => RoomCalls & CallsOf<typeof serverOperations>;

/** The control room over HTTP: one request a call, one stream of server-sent events a subscription. */
export class HttpTransport extends ServerCalls implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: HttpTransportOptions = {}) {
    const send: Send = (operation, call) => this.#call(operation, call);
    super(send);
    Object.assign(this, callsOf(serverOperations, send));
    this.#options = options;
    this.#baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  subscribe(subscription: Subscription): Unsubscribe {
    const stream = openEventStream({
      ...this.#streaming(subscription),
      // Made anew for each connection: whether one answers may have been switched since the last.
      connect: (cursor, signal) =>
        this.#openStream(
          addressOf(serverOperations.streamEvents, {}, roomQuery(subscription)),
          cursor,
          signal,
        ),
      onEvent: (message) => {
        switch (message.event) {
          case 'snapshot':
            return subscription.onSnapshot?.(parse<RoomSnapshot>(message.data));
          case 'resync':
            // Things were left out for a slow reader; the snapshot that follows makes up for them.
            return;
          case 'event': {
            const event = parse<Event & { sessionId: string }>(message.data);
            return subscription.onEvent?.(event.sessionId, event);
          }
          case 'delta': {
            const delta = parse<Delta & { sessionId: string }>(message.data);
            return subscription.onDelta?.(delta.sessionId, delta);
          }
          default:
            return subscription.onAnnouncement?.({
              type: message.event,
              data: parse(message.data),
            } as Announcement);
        }
      },
    });
    return () => stream.close();
  }

  follow(session: string, following: Following): Unsubscribe {
    let known = following.after;
    const stream = openEventStream({
      ...this.#streaming(following),
      connect: (_, signal) =>
        this.#openStream(addressOf(operations.listEvents, { session }, { after: known }), '', signal),
      onEvent: (message) => {
        switch (message.event) {
          case 'snapshot': {
            const snapshot = parse<SessionSnapshot>(message.data);
            known ??= snapshot.lastSeq;
            return following.onSnapshot?.(snapshot);
          }
          case 'event': {
            const event = parse<Event>(message.data);
            if (known !== undefined && event.seq <= known) return;
            known = event.seq;
            return following.onEvent?.(event);
          }
          case 'delta':
            return following.onDelta?.(parse<Delta>(message.data));
        }
      },
    });
    return () => stream.close();
  }

  #streaming({ onConnection }: Pick<Subscription, 'onConnection'>) {
    const { retry } = this.#options;
    return { onConnection: onConnection ?? (() => {}), ...(retry === undefined ? {} : { retry }) };
  }

  async #call(operation: OperationDefinition, { params, fields }: Parameters<Send>[1]): Promise<unknown> {
    const { method } = operation;
    const response = await this.#request(addressOf(operation, params, fields), {
      method,
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? 60_000),
      ...(method === 'GET' ? {} : { body: JSON.stringify(fields ?? {}) }),
      headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.#baseUrl, error);
    });
    if (!response.ok) throw errorOfReply(response.status, text);
    return parse(text);
  }

  async #openStream(path: string, cursor: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#request(path, {
      signal,
      cache: 'no-store',
      headers: { accept: 'text/event-stream', ...(cursor === '' ? {} : { 'last-event-id': cursor }) },
    });
    if (!response.ok) throw errorOfReply(response.status, await response.text());
    if (response.body === null) throw unreachable(this.#baseUrl, undefined);
    return response.body;
  }

  async #request(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const { token, clientId } = this.#options;
    const key = this.#options.key?.();
    const headers = {
      ...init.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'x-beckon-key': key }),
      ...(clientId === undefined ? {} : { 'x-beckon-client': clientId }),
    };
    try {
      return await this.#fetch(this.#baseUrl + path, { ...init, headers });
    } catch (error) {
      throw unreachable(this.#baseUrl, error);
    }
  }
}

/** Where an operation is, relative to the control room's address. */
function addressOf(
  { path, query }: OperationDefinition,
  params: Readonly<Record<string, string>>,
  fields: object | undefined,
): string {
  const search = new URLSearchParams(query === undefined ? {} : queryOf(fields));
  return pathTo(path, params) + (search.size === 0 ? '' : `?${search}`);
}

const roomQuery = ({ sessions = [], interaction }: Subscription): StreamQuery => ({
  sessions: sessions.length > 0 ? sessions.join(',') : undefined,
  interaction: interaction === 'enabled' ? undefined : interaction,
});

/** The server's own words are trusted for their shape: it made them from the same types. */
function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new BeckonError('unexpected_reply', 0, 'The reply is no JSON: is this a Beckon server?', {}, error);
  }
}
