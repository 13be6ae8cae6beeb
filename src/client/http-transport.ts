import type { Announcement, SessionSnapshot } from '../protocol/announcement.ts';
import type { StreamQuery } from '../protocol/command.ts';
import type { Delta, Event } from '../protocol/event.ts';
import { operations } from '../protocol/operation.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import { errorOfReply } from './beckon-error.ts';
import { openEventStream } from './event-stream.ts';
import { addressOf, HttpCalls, type HttpCallsOptions, parse } from './http-calls.ts';
import { lost, type RetryPolicy } from './stay-connected.ts';
import type { Following, RoomSnapshot, Subscription, Transport, Unsubscribe } from './transport.ts';

export interface HttpTransportOptions extends HttpCallsOptions {
  readonly retry?: RetryPolicy;
}

/** The control room over HTTP: one request a call, one stream of server-sent events a subscription. */
export class HttpTransport extends HttpCalls implements Transport {
  readonly #retry: RetryPolicy | undefined;

  constructor(options: HttpTransportOptions = {}) {
    super(options);
    this.#retry = options.retry;
  }

  subscribe(subscription: Subscription): Unsubscribe {
    return openEventStream({
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
  }

  follow(session: string, following: Following): Unsubscribe {
    let known = following.after;
    return openEventStream({
      ...this.#streaming(following),
      connect: (_, signal) =>
        this.#openStream(
          addressOf(operations.listEvents, { session }, { after: known, interaction: following.interaction }),
          '',
          signal,
        ),
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
  }

  #streaming({ onConnection }: Pick<Subscription, 'onConnection'>) {
    const retry = this.#retry;
    return { onConnection: onConnection ?? (() => {}), ...(retry === undefined ? {} : { retry }) };
  }

  async #openStream(path: string, cursor: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.request(path, {
      signal,
      cache: 'no-store',
      headers: { accept: 'text/event-stream', ...(cursor === '' ? {} : { 'last-event-id': cursor }) },
    });
    if (!response.ok) throw errorOfReply(response.status, await response.text());
    if (response.body === null) throw lost('The reply is no stream.');
    return response.body;
  }
}

const roomQuery = ({ sessions = [], interaction }: Subscription): StreamQuery => ({
  sessions: sessions.length > 0 ? sessions.join(',') : undefined,
  interaction: interaction === 'enabled' ? undefined : interaction,
});
