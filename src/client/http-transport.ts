import type { Announcement, SessionSnapshot } from '../protocol/announcement.ts';
import type { Delta, Event } from '../protocol/event.ts';
import type { OperationName } from '../protocol/operation.ts';
import type { AskUnlock, Unlock } from '../protocol/unlock.ts';
import { BeckonError } from './beckon-error.ts';
import { openEventStream, type RetryPolicy } from './event-stream.ts';
import { errorOf, unreachable } from './reply-error.ts';
import { RoomCalls } from './room-calls.ts';
import { locate, type Place, queryOf } from './routes.ts';
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

/** The control room over HTTP: one request a call, one stream of server-sent events a subscription. */
export class HttpTransport extends RoomCalls implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: HttpTransportOptions = {}) {
    super();
    this.#options = options;
    this.#baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** A one-time link with which one more browser is let in. */
  async pairingLink(): Promise<{ readonly url: string; readonly expiresAt: string }> {
    return this.#exchange('POST', '/api/pairing-code', {});
  }

  /** Who decides there, and the terminals that do for a time, or want to. */
  async unlocks(): Promise<{ readonly decide: 'anyone' | 'devices'; readonly unlocks: readonly Unlock[] }> {
    return this.#exchange('GET', '/api/unlocks', undefined);
  }

  /** Asks that this terminal may decide. The secret is to be sent as the token, once a device has allowed it by the code. */
  async askUnlock(
    wish: AskUnlock,
  ): Promise<{ readonly unlock: Unlock; readonly code: string; readonly secret: string }> {
    return this.#exchange('POST', '/api/unlocks', wish);
  }

  async unlock(id: string): Promise<Unlock> {
    return (await this.#exchange<{ unlock: Unlock }>('GET', `/api/unlocks/${id}`, undefined)).unlock;
  }

  async endUnlock(id: string): Promise<void> {
    await this.#exchange('DELETE', `/api/unlocks/${id}`, {});
  }

  subscribe(subscription: Subscription): Unsubscribe {
    const stream = openEventStream({
      ...this.#streaming(subscription),
      // Made anew for each connection: whether one answers may have been switched since the last.
      connect: (cursor, signal) => this.#openStream(`/api/events${roomQuery(subscription)}`, cursor, signal),
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
    const path = locate('listEvents', { params: { session } }).path;
    const stream = openEventStream({
      ...this.#streaming(following),
      connect: (_, signal) => this.#openStream(path + queryOf({ after: known }), '', signal),
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

  protected call<T>(operation: OperationName, place: Place = {}, body?: object): Promise<T> {
    const { method, path } = locate(operation, place);
    return this.#exchange<T>(method, path, body);
  }

  async #exchange<T>(method: string, path: string, body: unknown): Promise<T> {
    const response = await this.#request(path, {
      method,
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? 60_000),
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.#baseUrl, error);
    });
    if (!response.ok) throw errorOf(response.status, text);
    return parse<T>(text);
  }

  async #openStream(path: string, cursor: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#request(path, {
      signal,
      cache: 'no-store',
      headers: { accept: 'text/event-stream', ...(cursor === '' ? {} : { 'last-event-id': cursor }) },
    });
    if (!response.ok) throw errorOf(response.status, await response.text());
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

const roomQuery = ({ sessions = [], interaction }: Subscription): string =>
  queryOf({
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
