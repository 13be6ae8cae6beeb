import type { EventsPage, RoomSnapshot, Subscription, Transport } from '../../../src/client/transport.ts';
import type { EventsQuery } from '../../../src/protocol/command.ts';
import type { Event } from '../../../src/protocol/event.ts';
import type { Agent, Session } from '../../../src/protocol/session.ts';

export interface OpenSubscription extends Subscription {
  isClosed: boolean;
}

type Call = {
  readonly [K in keyof Transport]: { readonly name: K; readonly args: Parameters<Transport[K]> };
}[keyof Transport];

/** A server in the test's hand: streams by hand, logs from memory, every call remembered. */
export class FakeTransport {
  readonly subscriptions: OpenSubscription[] = [];
  readonly calls: Call[] = [];
  readonly logs = new Map<string, Event[]>();
  agentList: readonly Agent[] = [];
  /** What calls that change something are answered with; without one they never are. */
  answers: Partial<{
    readonly [K in keyof Transport]: (...args: Parameters<Transport[K]>) => ReturnType<Transport[K]>;
  }> = {};

  /** The stream that was opened last. */
  get stream(): OpenSubscription {
    const last = this.subscriptions.at(-1);
    if (last === undefined) throw new Error('Nobody has subscribed.');
    return last;
  }

  /** Answers without the digest of what was shown, which each of them carries: that is in `shown`. */
  called<K extends keyof Transport>(name: K): readonly Parameters<Transport[K]>[] {
    return this.calls
      .filter((call) => call.name === name)
      .map(({ args }) => args.map(withoutDigest) as Parameters<Transport[K]>);
  }

  /** What each answer names as having been shown. */
  get shown(): readonly unknown[] {
    return this.calls.flatMap(({ args }) =>
      args.flatMap((each: unknown) => (isRecord(each) && 'shown' in each ? [each.shown] : [])),
    );
  }

  /** The stream that has told all there is, and is heard until the next one has. */
  get heard(): OpenSubscription {
    return this.#heard ?? this.stream;
  }
  #heard: OpenSubscription | undefined;

  tellSnapshot(sessions: readonly Session[], more: Partial<RoomSnapshot> = {}): void {
    this.#heard = this.stream;
    this.stream.onConnection?.({ state: 'connected' });
    this.stream.onSnapshot?.({ clientId: 'c1', sessions, pending: [], queues: {}, partials: {}, ...more });
  }

  readonly transport: Transport = new Proxy({} as Transport, {
    get:
      (_, name: keyof Transport) =>
      (...args: never[]) => {
        this.calls.push({ name, args } as unknown as Call);
        const answer = this.answers[name] as ((...given: never[]) => unknown) | undefined;
        if (answer !== undefined) return answer(...args);
        return (this.#builtIn[name] ?? never)(...(args as [never, never]));
      },
  });

  readonly #builtIn: Partial<Record<keyof Transport, (first: never, second: never) => unknown>> = {
    agents: () => Promise.resolve(this.agentList),
    events: (session: string, query: EventsQuery = {}) =>
      Promise.resolve(pageOf(this.logs.get(session) ?? [], query)),
    subscribe: (subscription: Subscription) => {
      // Kept as it is: what is read anew with every connection must stay readable anew.
      const open: OpenSubscription = Object.defineProperties(
        { isClosed: false },
        Object.getOwnPropertyDescriptors(subscription),
      );
      this.subscriptions.push(open);
      return () => {
        open.isClosed = true;
      };
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withoutDigest(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { shown: _, ...rest } = value;
  return rest;
}

const never = (): Promise<never> => new Promise(() => {});

/** A page as the server cuts it. */
function pageOf(log: readonly Event[], { after, before, limit = 200 }: EventsQuery): EventsPage {
  const within = log.filter(({ seq }) => seq > (after ?? 0) && seq < (before ?? Number.POSITIVE_INFINITY));
  const events = after === undefined ? within.slice(-limit) : within.slice(0, limit);
  return {
    events,
    firstSeq: events[0]?.seq ?? 0,
    lastSeq: events.at(-1)?.seq ?? 0,
    hasMore: events.length < within.length,
    logLastSeq: log.at(-1)?.seq ?? 0,
  };
}
