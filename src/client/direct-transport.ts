import type { ControlRoom, News } from '../engine/ports/control-room.ts';
import { type Refusal, statusOf } from '../protocol/errors.ts';
import type { Actor } from '../protocol/interaction.ts';
import type { OperationName } from '../protocol/operation.ts';
import { BeckonError } from './beckon-error.ts';
import { RoomCalls } from './room-calls.ts';
import type { Place } from './routes.ts';
import type { Following, Subscription, Transport, Unsubscribe } from './transport.ts';

const CATCH_UP_PAGE = 500;

/** The control room in the same process: the same calls, checked alike, without a network in between. */
export class DirectTransport extends RoomCalls implements Transport {
  readonly #room: ControlRoom;
  readonly #actor: Actor;

  constructor(room: ControlRoom, actor: Actor = { kind: 'person', where: 'same process' }) {
    super();
    this.#room = room;
    this.#actor = actor;
  }

  protected async call<T>(operation: OperationName, place: Place = {}, body: object = {}): Promise<T> {
    const input = { ...withoutGaps(place.query ?? {}), ...body, ...place.params };
    const result = await this.#room.dispatch(operation, input, { actor: this.#actor });
    if (!result.ok) throw errorOf(result.refusal);
    return result.value.body as T;
  }

  subscribe(subscription: Subscription): Unsubscribe {
    const { interaction = 'enabled', onConnection } = subscription;
    return begin((isOver) => {
      const followed = this.#followed(subscription.sessions ?? []);
      if (followed instanceof BeckonError) {
        onConnection?.({ state: 'closed', error: followed });
        return undefined;
      }
      const client = this.#room.clients.connect({
        label: 'same process',
        interaction: { supported: interaction !== 'none', enabled: interaction === 'enabled' },
      });
      onConnection?.({ state: 'connected' });
      const leave = this.#room.listen((news) => {
        if (!isOver()) tell(subscription, news, followed);
      });
      const partials = Object.fromEntries([...followed].map((id) => [id, this.#partial(id)]));
      subscription.onSnapshot?.({ clientId: client.id, ...this.#room.overview(), partials });
      return () => {
        leave();
        client.disconnect();
        onConnection?.({ state: 'closed' });
      };
    });
  }

  follow(session: string, following: Following): Unsubscribe {
    return begin((isOver) => {
      const start = this.#room.snapshot(session);
      if (!start.ok) {
        following.onConnection?.({ state: 'closed', error: errorOf(start.refusal) });
        return undefined;
      }
      const { id } = start.value.session;
      following.onConnection?.({ state: 'connected' });
      following.onSnapshot?.(start.value);
      let leave: Unsubscribe | undefined;
      const catchUp = (known: number): void => {
        if (isOver()) return;
        const events = this.#room.eventsAfter(id, known, CATCH_UP_PAGE);
        for (const event of events) following.onEvent?.(event);
        // Nothing can happen between the last page and the first news: both are in this very tick.
        if (events.length < CATCH_UP_PAGE) leave = this.#listenTo(id, following, isOver);
        else setTimeout(catchUp, 0, events.at(-1)?.seq ?? known);
      };
      catchUp(following.after ?? start.value.lastSeq);
      return () => {
        leave?.();
        following.onConnection?.({ state: 'closed' });
      };
    });
  }

  #listenTo(sessionId: string, following: Following, isOver: () => boolean): Unsubscribe {
    return this.#room.listen((news) => {
      if (isOver() || sessionOf(news) !== sessionId) return;
      if (news.kind === 'session') {
        if (news.news.type === 'event') following.onEvent?.(news.news.event);
        else following.onDelta?.(news.news.delta);
      } else if (news.announcement.type === 'session-removed') {
        following.onConnection?.({ state: 'closed' });
      }
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

  #partial(id: string) {
    const found = this.#room.snapshot(id);
    return found.ok ? found.value.partial : [];
  }
}

/** Begins after the caller has got hold of the way to end it; what has ended is never begun and tells nothing more. */
function begin(start: (isOver: () => boolean) => (() => void) | undefined): Unsubscribe {
  let over = false;
  let end: (() => void) | undefined;
  queueMicrotask(() => {
    if (!over) end = start(() => over);
  });
  return () => {
    if (over) return;
    over = true;
    end?.();
  };
}

function tell(subscription: Subscription, news: News, followed: ReadonlySet<string>): void {
  if (news.kind === 'announcement') subscription.onAnnouncement?.(news.announcement);
  else if (!followed.has(news.sessionId)) return;
  else if (news.news.type === 'event') subscription.onEvent?.(news.sessionId, news.news.event);
  else subscription.onDelta?.(news.sessionId, news.news.delta);
}

const sessionOf = (news: News): string =>
  news.kind === 'session' ? news.sessionId : news.announcement.data.sessionId;

const errorOf = ({ code, message, details }: Refusal): BeckonError =>
  new BeckonError(code, statusOf(code), message, details);

/** As over HTTP, what was not given is not there. */
const withoutGaps = (query: NonNullable<Place['query']>): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
