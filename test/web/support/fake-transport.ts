import type {
  EventsPage,
  FollowedFrom,
  LiveConnection,
  LiveListener,
  LiveTransport,
  RoomSnapshot,
} from '../../../src/client/transport.ts';
import type { EventsQuery } from '../../../src/protocol/command.ts';
import type { Event } from '../../../src/protocol/event.ts';
import type { Agent, Session } from '../../../src/protocol/session.ts';

export interface OpenConnection extends LiveListener {
  /** What was said on it. */
  readonly frames: { readonly say: 'follow' | 'unfollow'; readonly sessionId: string }[];
  /** What it was told that the person looks at, each time. */
  readonly looks: (string | null)[];
  /** The sessions that are followed now. */
  readonly sessions: string[];
  checks: number;
  isClosed: boolean;
}

type Call = {
  readonly [K in keyof LiveTransport]: { readonly name: K; readonly args: Parameters<LiveTransport[K]> };
}[keyof LiveTransport];

/** A server in the test's hand: streams by hand, logs from memory, every call remembered. */
export class FakeTransport {
  readonly connections: OpenConnection[] = [];
  readonly calls: Call[] = [];
  readonly logs = new Map<string, Event[]>();
  agentList: readonly Agent[] = [];
  /** What calls that change something are answered with; without one they never are. */
  answers: Partial<{
    readonly [K in keyof LiveTransport]: (
      ...args: Parameters<LiveTransport[K]>
    ) => ReturnType<LiveTransport[K]>;
  }> = {};

  /** The connection that was opened last, by which the page hears. */
  get heard(): OpenConnection {
    const last = this.connections.at(-1);
    if (last === undefined) throw new Error('Nobody has connected.');
    return last;
  }

  /** Answers without the digest of what was shown, which each of them carries: that is in `shown`. */
  called<K extends keyof LiveTransport>(name: K): readonly Parameters<LiveTransport[K]>[] {
    return this.calls
      .filter((call) => call.name === name)
      .map(({ args }) => args.map(withoutDigest) as Parameters<LiveTransport[K]>);
  }

  /** What each answer names as having been shown. */
  get shown(): readonly unknown[] {
    return this.calls.flatMap(({ args }) =>
      args.flatMap((each: unknown) => (isRecord(each) && 'shown' in each ? [each.shown] : [])),
    );
  }

  tellSnapshot(sessions: readonly Session[], more: Partial<RoomSnapshot> = {}): void {
    this.heard.onConnection({ state: 'connected' });
    this.heard.onSnapshot({ clientId: 'c1', sessions, pending: [], queues: {}, partials: {}, ...more });
  }

  /** Answers that a session is followed; unless told, from the end of its log. */
  tellFollowed(session: string, from: Partial<FollowedFrom> = {}): void {
    const lastSeq = this.logs.get(session)?.at(-1)?.seq ?? 0;
    this.heard.onFollowed(session, { after: lastSeq, lastSeq, partial: [], ...from });
  }

  readonly transport: LiveTransport = new Proxy({} as LiveTransport, {
    get:
      (_, name: keyof LiveTransport) =>
      (...args: never[]) => {
        this.calls.push({ name, args } as unknown as Call);
        const answer = this.answers[name] as ((...given: never[]) => unknown) | undefined;
        if (answer !== undefined) return answer(...args);
        return (this.#builtIn[name] ?? never)(...(args as [never, never]));
      },
  });

  readonly #builtIn: Partial<Record<keyof LiveTransport, (first: never, second: never) => unknown>> = {
    agents: () => Promise.resolve(this.agentList),
    events: (session: string, query: EventsQuery = {}) =>
      Promise.resolve(pageOf(this.logs.get(session) ?? [], query)),
    connect: (listener: LiveListener) => this.#connect(listener),
  };

  #connect(listener: LiveListener): LiveConnection {
    const own: object = { frames: [], looks: [], sessions: [], checks: 0, isClosed: false };
    // Kept as it is: what is read anew with every connection must stay readable anew.
    const open = Object.defineProperties(own, Object.getOwnPropertyDescriptors(listener)) as OpenConnection;
    this.connections.push(open);
    const say = (word: 'follow' | 'unfollow', sessionId: string): void => {
      open.frames.push({ say: word, sessionId });
      const at = open.sessions.indexOf(sessionId);
      if (word === 'unfollow') open.sessions.splice(at, 1);
      else if (at === -1) open.sessions.push(sessionId);
    };
    return {
      follow: (sessionId) => say('follow', sessionId),
      unfollow: (sessionId) => say('unfollow', sessionId),
      look: (at) => void open.looks.push(at),
      check: () => {
        open.checks += 1;
      },
      close: () => {
        open.isClosed = true;
      },
    };
  }
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
