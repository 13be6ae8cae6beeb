import type { ConnectedClient, ControlRoom, News } from '../engine/ports/control-room.ts';
import type { PartialBlock } from '../protocol/announcement.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { OperationDefinition, OperationName } from '../protocol/operation.ts';
import type { Session } from '../protocol/session.ts';
import { BeckonError, errorOf } from './beckon-error.ts';
import { queryOf, RoomCalls, type Send } from './calls.ts';
import { heard } from './heard.ts';
import type {
  ConnectionState,
  Following,
  RoomSnapshot,
  Subscription,
  Transport,
  Unsubscribe,
} from './transport.ts';

const CATCH_UP_PAGE = 500;

/** The control room in the same process: the same calls, checked alike, without a network in between. */
export class DirectTransport extends RoomCalls implements Transport {
  readonly #room: ControlRoom;
  readonly #actor: Actor;
  readonly #open = new Set<Unsubscribe>();
  #isClosed = false;

  constructor(room: ControlRoom, actor: Actor = { kind: 'person', via: 'library', where: 'same process' }) {
    super((operation, call) => this.#call(operation, call));
    this.#room = room;
    this.#actor = actor;
  }

  async #call(
    { query }: OperationDefinition,
    { name, params, fields }: Parameters<Send>[1],
  ): Promise<unknown> {
    if (this.#isClosed) throw roomClosed();
    const input = { ...(query === undefined ? fields : queryOf(fields)), ...params };
    const result = await this.#room.dispatch(name as OperationName, input, { actor: this.#actor });
    if (!result.ok) throw errorOf(result.refusal);
    return result.value.body;
  }

  /** To be called when the control room is closed: whoever listens is told, and calls are refused from then on. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#open) end();
  }

  subscribe(subscription: Subscription): Unsubscribe {
    const { interaction = 'enabled' } = subscription;
    const onConnection = heard(subscription.onConnection);
    const onSnapshot = heard(subscription.onSnapshot);
    return this.#begin(onConnection, (isOver) => {
      const followed = this.#followed(subscription.sessions ?? []);
      if (followed instanceof BeckonError) return followed;
      const client = this.#connect(interaction);
      const tell = teller(subscription, followed);
      const leave = this.#room.listen(tell);
      onConnection({ state: 'connected' });
      if (!isOver()) onSnapshot({ clientId: client.id, ...this.#overview(followed) });
      return () => {
        leave();
        client.disconnect();
      };
    });
  }

  follow(session: string, following: Following): Unsubscribe {
    const onConnection = heard(following.onConnection);
    const onEvent = heard(following.onEvent);
    return this.#begin(onConnection, (isOver, end) => {
      const start = this.#room.snapshot(session);
      if (!start.ok) return errorOf(start.refusal);
      const { id } = start.value.session;
      const client = this.#connect(following.interaction ?? 'none', id);
      let leave: Unsubscribe | undefined;
      const catchUp = (known: number): void => {
        const events = isOver() ? [] : this.#room.eventsAfter(id, known, CATCH_UP_PAGE);
        for (const event of events) if (!isOver()) onEvent(event);
        if (isOver()) return;
        // Nothing can happen between the last page and the first news: both are in this very tick.
        if (events.length < CATCH_UP_PAGE) leave = this.#listenTo(id, following, end);
        else setTimeout(catchUp, 0, events.at(-1)?.seq ?? known);
      };
      onConnection({ state: 'connected' });
      if (!isOver()) heard(following.onSnapshot)(start.value);
      catchUp(following.after ?? start.value.lastSeq);
      return () => {
        leave?.();
        client.disconnect();
      };
    });
  }

  #connect(interaction: NonNullable<Subscription['interaction']>, session?: SessionId): ConnectedClient {
    return this.#room.clients.connect({
      label: 'same process',
      interaction: { supported: interaction !== 'none', enabled: interaction === 'enabled' },
      ...(session === undefined ? {} : { session }),
    });
  }

  /** Begins after the caller has got hold of the way to end it; what has ended is never begun and tells nothing more. */
  #begin(
    onConnection: (state: ConnectionState) => void,
    start: (isOver: () => boolean, end: Unsubscribe) => (() => void) | BeckonError,
  ): Unsubscribe {
    let isOver = false;
    let leave: (() => void) | undefined;
    const end = (error?: BeckonError): void => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(unsubscribe);
      leave?.();
      onConnection({ state: 'closed', ...(error && { error }) });
    };
    const unsubscribe = () => end();
    this.#open.add(unsubscribe);
    queueMicrotask(() => {
      if (isOver) return;
      const begun = this.#isClosed ? roomClosed() : start(() => isOver, unsubscribe);
      if (begun instanceof BeckonError) return end(begun);
      leave = begun;
      // A listener may have ended it with the first thing it heard.
      if (isOver) leave();
    });
    return unsubscribe;
  }

  #listenTo(sessionId: string, following: Following, end: Unsubscribe): Unsubscribe {
    const onEvent = heard(following.onEvent);
    const onDelta = heard(following.onDelta);
    return this.#room.listen((news) => {
      if (sessionOf(news) !== sessionId) return;
      if (news.kind === 'session') {
        if (news.news.type === 'event') onEvent(news.news.event);
        else onDelta(news.news.delta);
      } else if (news.announcement.type === 'session-removed') end();
    });
  }

  #followed(sessions: readonly string[]): ReadonlySet<string> | BeckonError {
    const ids = new Set<string>();
    for (const session of sessions) {
      const found = this.#room.snapshot(session);
      if (!found.ok) return errorOf(found.refusal);
      ids.add(found.value.session.id);
    }
    return ids;
  }

  #overview(followed: ReadonlySet<string>): Omit<RoomSnapshot, 'clientId'> {
    const overview = this.#room.overview();
    const sessions = new Map<string, Session>(overview.sessions.map((session) => [session.id, session]));
    const partials: Record<string, readonly PartialBlock[]> = {};
    for (const id of followed) {
      const found = this.#room.snapshot(id);
      if (found.ok) sessions.set(id, found.value.session);
      partials[id] = found.ok ? found.value.partial : [];
    }
    return { ...overview, sessions: [...sessions.values()], partials };
  }
}

function teller(subscription: Subscription, followed: ReadonlySet<string>): (news: News) => void {
  const onAnnouncement = heard(subscription.onAnnouncement);
  const onEvent = heard(subscription.onEvent);
  const onDelta = heard(subscription.onDelta);
  return (news) => {
    if (news.kind === 'announcement') onAnnouncement(news.announcement);
    else if (!followed.has(news.sessionId)) return;
    else if (news.news.type === 'event') onEvent(news.sessionId, news.news.event);
    else onDelta(news.sessionId, news.news.delta);
  };
}

function sessionOf(news: News): string | undefined {
  if (news.kind === 'session') return news.sessionId;
  const { data } = news.announcement;
  return 'sessionId' in data ? data.sessionId : undefined;
}

const roomClosed = (): BeckonError =>
  errorOf({ code: 'shutting_down', message: 'This control room is closed.' });
