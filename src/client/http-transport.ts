import type { Announcement, SessionSnapshot } from '../protocol/announcement.ts';
import type {
  AnswerQuestion,
  Approve,
  CreateSession,
  Deny,
  EventsQuery,
  PatchQueued,
  PatchSession,
  PreviewGrant,
  Respond,
  SearchQuery,
  SendMessage,
  SubmitAnswers,
} from '../protocol/command.ts';
import type { Delta, Event } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { Interaction } from '../protocol/interaction.ts';
import type { OperationName } from '../protocol/operation.ts';
import type { Agent, QueuedMessage, Session } from '../protocol/session.ts';
import { BeckonError } from './beckon-error.ts';
import { openEventStream, type RetryPolicy } from './event-stream.ts';
import { errorOf, unreachable } from './reply-error.ts';
import { locate, type Place, queryOf } from './routes.ts';
import type {
  EventsPage,
  Following,
  FoundEvent,
  MessageReceipt,
  RoomSnapshot,
  Subscription,
  Transport,
  Unsubscribe,
} from './transport.ts';

export interface HttpTransportOptions {
  /** `http://127.0.0.1:4590`; empty in a page that the server itself delivered. */
  readonly baseUrl?: string;
  /** Not needed in a page: it has a cookie. */
  readonly token?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: RetryPolicy;
  /** After so long without a reply a call fails as unreachable. */
  readonly timeoutMs?: number;
}

/** The control room over HTTP: one request a call, one stream of server-sent events a subscription. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: HttpTransportOptions = {}) {
    this.#options = options;
    this.#baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  async agents(): Promise<readonly Agent[]> {
    return (await this.#call<{ agents: Agent[] }>('listAgents')).agents;
  }

  async createSession(input: CreateSession): Promise<Session> {
    return (await this.#call<{ session: Session }>('createSession', {}, input)).session;
  }

  async sessions(): Promise<readonly Session[]> {
    return (await this.#call<{ sessions: Session[] }>('listSessions')).sessions;
  }

  async session(session: string): Promise<Session> {
    return (await this.#call<{ session: Session }>('getSession', { params: { session } })).session;
  }

  async patch(session: string, changes: PatchSession): Promise<Session> {
    return (await this.#call<{ session: Session }>('patchSession', { params: { session } }, changes)).session;
  }

  async removeSession(session: string): Promise<void> {
    await this.#call('deleteSession', { params: { session } });
  }

  sendMessage(session: string, message: SendMessage): Promise<MessageReceipt> {
    return this.#call<MessageReceipt>('sendMessage', { params: { session } }, message);
  }

  async queue(session: string): Promise<readonly QueuedMessage[]> {
    return (await this.#call<Queue>('getQueue', { params: { session } })).queue;
  }

  async patchQueued(
    session: string,
    messageId: string,
    changes: PatchQueued,
  ): Promise<readonly QueuedMessage[]> {
    return (await this.#call<Queue>('patchQueued', { params: { session, messageId } }, changes)).queue;
  }

  async removeQueued(session: string, messageId: string): Promise<readonly QueuedMessage[]> {
    return (await this.#call<Queue>('removeQueued', { params: { session, messageId } })).queue;
  }

  async pending(session?: string): Promise<readonly Interaction[]> {
    const reply =
      session === undefined
        ? await this.#call<{ pending: Interaction[] }>('listPending')
        : await this.#call<{ pending: Interaction[] }>('listPendingOfSession', { params: { session } });
    return reply.pending;
  }

  async interaction(session: string, interactionId: string): Promise<Interaction> {
    return (await this.#call<Resolved>('getInteraction', { params: { session, interactionId } })).interaction;
  }

  async approve(session: string, decision: Approve): Promise<Interaction> {
    return (await this.#call<Resolved>('approve', { params: { session } }, decision)).interaction;
  }

  async deny(session: string, decision: Deny): Promise<Interaction> {
    return (await this.#call<Resolved>('deny', { params: { session } }, decision)).interaction;
  }

  async answer(session: string, answer: AnswerQuestion): Promise<Interaction> {
    return (await this.#call<Resolved>('answer', { params: { session } }, answer)).interaction;
  }

  async submitAnswers(session: string, answer: SubmitAnswers): Promise<Interaction> {
    return (await this.#call<Resolved>('submitAnswers', { params: { session } }, answer)).interaction;
  }

  async respond(session: string, response: Respond): Promise<Interaction> {
    return (await this.#call<Resolved>('respond', { params: { session } }, response)).interaction;
  }

  async interrupt(session: string): Promise<void> {
    await this.#call('interrupt', { params: { session } });
  }

  async stop(session: string): Promise<readonly string[]> {
    return (await this.#call<{ returned: string[] }>('stop', { params: { session } })).returned;
  }

  async resume(session: string): Promise<Session> {
    return (await this.#call<{ session: Session }>('resume', { params: { session } })).session;
  }

  events(session: string, query: EventsQuery = {}): Promise<EventsPage> {
    return this.#call<EventsPage>('listEvents', { params: { session }, query });
  }

  async grants(): Promise<readonly Grant[]> {
    return (await this.#call<{ grants: Grant[] }>('listGrants')).grants;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.#call('revokeGrant', { params: { grantId } });
  }

  async previewGrant(preview: PreviewGrant): Promise<readonly Interaction[]> {
    return (await this.#call<{ matches: Interaction[] }>('previewGrant', {}, preview)).matches;
  }

  async search(query: SearchQuery): Promise<readonly FoundEvent[]> {
    return (await this.#call<{ hits: FoundEvent[] }>('search', { query })).hits;
  }

  async setInteractionEnabled(clientId: string, enabled: boolean): Promise<void> {
    await this.#call('switchInteraction', { params: { clientId } }, { enabled });
  }

  /** A one-time link with which one more browser is let in. */
  async pairingLink(): Promise<{ readonly url: string; readonly expiresAt: string }> {
    return this.#exchange('POST', '/api/pairing-code', {});
  }

  subscribe(subscription: Subscription): Unsubscribe {
    const query = queryOf({
      sessions: subscription.sessions?.length ? subscription.sessions.join(',') : undefined,
      interaction: subscription.interaction === 'enabled' ? undefined : subscription.interaction,
    });
    const stream = openEventStream({
      ...this.#streaming(subscription),
      connect: (cursor, signal) => this.#openStream(`/api/events${query}`, cursor, signal),
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

  #call<T>(operation: OperationName, place: Place = {}, body?: unknown): Promise<T> {
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
    const { token } = this.#options;
    const headers =
      token === undefined ? init.headers : { ...init.headers, authorization: `Bearer ${token}` };
    try {
      return await this.#fetch(this.#baseUrl + path, { ...init, headers });
    } catch (error) {
      throw unreachable(this.#baseUrl, error);
    }
  }
}

type Queue = { queue: QueuedMessage[] };
type Resolved = { interaction: Interaction };

/** The server's own words are trusted for their shape: it made them from the same types. */
function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new BeckonError('unexpected_reply', 0, 'The reply is no JSON: is this a Beckon server?', {}, error);
  }
}
