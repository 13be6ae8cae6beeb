import { createStore, type StoreApi } from 'zustand/vanilla';
import { BeckonError } from '../../client/beckon-error.ts';
import type {
  ConnectionState,
  RoomSnapshot,
  SessionPage,
  Transport,
  Unsubscribe,
} from '../../client/transport.ts';
import type { Announcement } from '../../protocol/announcement.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Session } from '../../protocol/session.ts';
import { createFrameBatch } from './frame-batch.ts';
import {
  afterAnnouncement,
  emptyRoom,
  type Room,
  roomOf,
  unknownCount,
  withCommands,
  withSessions,
} from './room.logic.ts';
import { type Depth, SessionFeed } from './session-feed.ts';

type Connection =
  | { readonly state: 'connecting' | 'connected' }
  | { readonly state: 'lost'; readonly retryAt: number }
  /** This browser is not let in; it may have been, before there were keys. */
  | { readonly state: 'signed-out'; readonly isKeyMissing: boolean }
  | { readonly state: 'refused'; readonly error: Error };

export interface RoomState extends Room {
  readonly connection: Connection;
  /** False until the first snapshot: there is nothing to show but shape. */
  readonly isLoaded: boolean;
  /** Nothing was asked, and nothing that was has ended, since this page was opened. */
  readonly isAsOpened: boolean;
  readonly clientId: string | null;
  readonly interaction: 'enabled' | 'disabled';
}

export interface Followed {
  readonly feed: SessionFeed;
  release(): void;
}

/** A subscription, and the sessions that it was opened for. */
interface Stream {
  readonly sessions: ReadonlySet<string>;
  /** What the server was told with the latest connection. */
  told: RoomState['interaction'];
  close: Unsubscribe;
}

type News = { readonly from: Stream } & (
  | { readonly is: 'snapshot'; readonly snapshot: RoomSnapshot }
  | { readonly is: 'announcement'; readonly announcement: Announcement }
  | { readonly is: 'event'; readonly sessionId: string; readonly event: Event }
  | { readonly is: 'delta'; readonly sessionId: string; readonly delta: Delta }
);

interface Held {
  readonly feed: SessionFeed;
  holders: number;
  /** Whether the stream tells it what is being said. */
  isAttached: boolean;
}

/** Feeds that are kept up to date a while longer after they left the screen. */
const spareFeeds = 12;
const olderAtOnce = 200;
/** Monitors come and go together; one new stream is enough for all of them. */
const settleMs = 60;

/** This page's link to the server: one stream, all that is known from it, and a feed for each session on the screen. */
export class ControlRoom {
  readonly transport: Transport;
  readonly store: StoreApi<RoomState>;
  /** The least recently used first. */
  readonly #feeds = new Map<string, Held>();
  readonly #batch = createFrameBatch<News>((news) => this.#apply(news));
  #stream: Stream | undefined;
  /** The stream that is about to take the place of the one in use. */
  #opening: Stream | undefined;
  #attaching: ReturnType<typeof setTimeout> | undefined;

  constructor(transport: Transport, interaction: RoomState['interaction'] = 'enabled') {
    this.transport = transport;
    this.store = createStore<RoomState>(() => ({
      ...emptyRoom,
      connection: { state: 'connecting' },
      isLoaded: false,
      isAsOpened: true,
      clientId: null,
      interaction,
    }));
  }

  /** Connects, also anew after having been refused. */
  start(): void {
    this.#closeStreams();
    this.#open();
  }

  close(): void {
    clearTimeout(this.#attaching);
    this.#attaching = undefined;
    this.#closeStreams();
    this.#batch.close();
    for (const { feed } of this.#feeds.values()) feed.close();
    this.#feeds.clear();
  }

  /** Events and deltas of a session, as long as someone holds it. */
  follow(sessionId: string, depth: Depth): Followed {
    const name = nameOf(depth, sessionId);
    const held = this.#feeds.get(name) ?? this.#hold(name, sessionId, depth);
    held.holders += 1;
    let isReleased = false;
    return {
      feed: held.feed,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        held.holders -= 1;
        this.#letGo(name, held);
      },
    };
  }

  /** Whether this page can be asked; resolves when the server knows. */
  async setInteraction(interaction: RoomState['interaction']): Promise<void> {
    const { clientId } = this.store.getState();
    const enabled = interaction === 'enabled';
    if (clientId !== null) await this.transport.setInteractionEnabled(clientId, { enabled });
    this.store.setState({ interaction });
  }

  /** Asks what a session's agent offers by `/name`. What is heard of it meanwhile is at least as new as the reply. */
  async readCommands(sessionId: string): Promise<void> {
    const known = this.store.getState().commands[sessionId];
    const commands = await this.transport.agentCommands(sessionId);
    const state = this.store.getState();
    if (state.commands[sessionId] === known) this.store.setState(withCommands(state, sessionId, commands));
  }

  /** Reads on in the list of sessions until it has one that the page does not know. */
  async readOlder(): Promise<void> {
    const known = Object.keys(this.store.getState().sessions).length;
    let { nextCursor } = this.store.getState();
    do {
      const page = await this.transport.sessionPage({
        limit: olderAtOnce,
        before: nextCursor,
        archived: false,
      });
      ({ nextCursor } = page);
      this.learn(page.sessions);
      this.store.setState(({ archived }) => ({ nextCursor, total: page.total + archived }));
    } while (nextCursor !== undefined && Object.keys(this.store.getState().sessions).length === known);
  }

  /** A page of the archived sessions. */
  async readArchived(before?: string): Promise<SessionPage> {
    const page = await this.transport.sessionPage({ archived: true, limit: olderAtOnce, before });
    this.learn(page.sessions);
    this.store.setState(({ total, archived }) => ({
      archived: page.total,
      total: total - archived + page.total,
    }));
    return page;
  }

  /** A page of the sessions that have these words. */
  async findSessions(q: string, before?: string): Promise<SessionPage> {
    const page = await this.transport.sessionPage({ q, limit: olderAtOnce, before });
    this.learn(page.sessions);
    return page;
  }

  /** Asks for a session that the page was not told of; false when there is none. */
  async lookUp(idOrKey: string): Promise<boolean> {
    const state = this.store.getState();
    if (unknownCount(state, false) + unknownCount(state, true) === 0) return false;
    try {
      this.learn([await this.transport.session(idOrKey)]);
      return true;
    } catch (error) {
      if (error instanceof BeckonError && error.code === 'session_not_found') return false;
      throw error;
    }
  }

  /** Takes what was asked for beside the stream. */
  learn(sessions: readonly Session[]): void {
    this.store.setState(withSessions(this.store.getState(), sessions));
    this.#attachSoon();
  }

  #hold(name: string, sessionId: string, depth: Depth): Held {
    const { id, key } = this.store.getState().sessions[sessionId] ?? {
      id: sessionId as SessionId,
      key: null,
    };
    const held = { feed: new SessionFeed(this.transport, { id, key }, depth), holders: 0, isAttached: false };
    this.#feeds.set(name, held);
    this.#attachSoon();
    return held;
  }

  #letGo(name: string, held: Held): void {
    if (held.holders > 0 || this.#feeds.get(name) !== held) return;
    this.#feeds.delete(name);
    this.#feeds.set(name, held);
    const spare = [...this.#feeds].filter(([, { holders }]) => holders === 0);
    for (const [oldest, { feed }] of spare.slice(0, Math.max(0, spare.length - spareFeeds))) {
      this.#feeds.delete(oldest);
      feed.close();
    }
  }

  /** The sessions of a stream are fixed when it is opened: a feed that none tells of yet needs a new one. */
  #attachSoon(): void {
    this.#attaching ??= setTimeout(() => {
      this.#attaching = undefined;
      const { connection, sessions } = this.store.getState();
      const isShut = connection.state === 'signed-out' || connection.state === 'refused';
      const isMissing = [...this.#feeds.values()].some(
        ({ feed, isAttached }) =>
          !isAttached && feed.sessionId in sessions && !this.#opening?.sessions.has(feed.sessionId),
      );
      if (isMissing && !isShut) this.#open();
    }, settleMs);
  }

  /** The stream in use is heard until the new one has told all there is: nothing is missed between them. */
  #open(): void {
    this.#opening?.close();
    const { store } = this;
    const { sessions, interaction } = store.getState();
    const followed = [...this.#feeds.values()]
      .map(({ feed }) => feed.sessionId)
      .filter((id) => id in sessions);
    const from: Stream = { sessions: new Set(followed), told: interaction, close: () => {} };
    this.#opening = from;
    from.close = this.transport.subscribe({
      sessions: [...from.sessions],
      // A connection that comes back must not forget that answering was switched.
      get interaction() {
        from.told = store.getState().interaction;
        return from.told;
      },
      onSnapshot: (snapshot) => this.#batch.push({ from, is: 'snapshot', snapshot }),
      onAnnouncement: (announcement) => this.#batch.push({ from, is: 'announcement', announcement }),
      onEvent: (sessionId, event) => this.#batch.push({ from, is: 'event', sessionId, event }),
      onDelta: (sessionId, delta) => this.#batch.push({ from, is: 'delta', sessionId, delta }),
      onConnection: (state) => this.#connectionChanged(state, from),
    });
  }

  #connectionChanged(state: ConnectionState, from: Stream): void {
    if (from !== this.#opening && from !== this.#stream) return;
    if (state.state === 'closed') {
      if (state.error !== undefined) this.#refused(state.error, from);
      return;
    }
    // While a new stream connects, the one in use tells how things are.
    if (from === this.#opening && this.#stream !== undefined) return;
    this.store.setState({ connection: connectionOf(state, this.store.getState().connection) });
  }

  #refused(error: Error, from: Stream): void {
    this.#closeStreams();
    if (error instanceof BeckonError && error.code === 'session_not_found' && from.sessions.size > 0) {
      // One of the sessions was removed out of sight; without them all, the snapshot tells which are left.
      this.store.setState({ sessions: {} });
      this.#open();
      return;
    }
    this.store.setState({
      connection:
        error instanceof BeckonError && error.status === 401
          ? { state: 'signed-out', isKeyMissing: error.code === 'key_missing' }
          : { state: 'refused', error },
    });
  }

  #closeStreams(): void {
    const streams = [this.#opening, this.#stream];
    this.#opening = undefined;
    this.#stream = undefined;
    for (const stream of streams) stream?.close();
  }

  #apply(batch: readonly News[]): void {
    const before = this.store.getState();
    let state = before;
    const touched = new Set<SessionFeed>();
    for (const news of batch) {
      if (news.is === 'snapshot' && news.from === this.#opening) this.#switchTo(news.from);
      if (news.from !== this.#stream) continue;
      switch (news.is) {
        case 'snapshot':
          state = this.#begin(state, news.snapshot, news.from, touched);
          break;
        case 'announcement':
          state = { ...state, ...afterAnnouncement(state, news.announcement) };
          break;
        case 'event':
          if (news.event.type === 'commands.changed')
            state = withCommands(state, news.sessionId, news.event.commands);
          for (const feed of this.#feedsOf(news.sessionId, touched)) feed.takeEvent(news.event);
          break;
        case 'delta':
          for (const feed of this.#feedsOf(news.sessionId, touched)) feed.takeDelta(news.delta);
      }
    }
    const isAsOpened = before.isAsOpened && (!before.isLoaded || isSameAsks(before.pending, state.pending));
    if (state !== before) this.store.setState({ ...state, isAsOpened });
    // A feed may have been asked for before its session was told of.
    if (state.sessions !== before.sessions) this.#attachSoon();
    for (const feed of touched) feed.flush();
  }

  #switchTo(stream: Stream): void {
    const old = this.#stream;
    this.#stream = stream;
    this.#opening = undefined;
    old?.close();
  }

  #begin(state: RoomState, snapshot: RoomSnapshot, from: Stream, touched: Set<SessionFeed>): RoomState {
    const lastSeqs = new Map<string, number>(snapshot.sessions.map(({ id, lastSeq }) => [id, lastSeq]));
    for (const held of this.#feeds.values()) {
      const { sessionId } = held.feed;
      const lastSeq = lastSeqs.get(sessionId);
      held.isAttached = from.sessions.has(sessionId);
      if (!held.isAttached || lastSeq === undefined) continue;
      held.feed.resume(lastSeq, snapshot.partials[sessionId] ?? []);
      touched.add(held.feed);
    }
    this.#attachSoon();
    // Switched while this stream was on its way: then another was told of it.
    if (from.told !== state.interaction)
      this.transport
        .setInteractionEnabled(snapshot.clientId, { enabled: state.interaction === 'enabled' })
        .catch(() => {});
    const connection = { state: 'connected' } as const;
    return {
      ...state,
      ...roomOf(snapshot, state),
      clientId: snapshot.clientId,
      isLoaded: true,
      connection,
    };
  }

  #feedsOf(sessionId: string, touched: Set<SessionFeed>): SessionFeed[] {
    const feeds = depths.flatMap((depth) => this.#feeds.get(nameOf(depth, sessionId))?.feed ?? []);
    for (const feed of feeds) touched.add(feed);
    return feeds;
  }
}

const isSameAsks = (before: Room['pending'], after: Room['pending']): boolean =>
  before === after ||
  (before.length === after.length &&
    before.every(({ interactionId }, at) => interactionId === after[at]?.interactionId));

const depths = ['tail', 'whole'] as const satisfies readonly Depth[];

const nameOf = (depth: Depth, sessionId: string): string => `${depth}:${sessionId}`;

function connectionOf(state: Exclude<ConnectionState, { state: 'closed' }>, before: Connection): Connection {
  switch (state.state) {
    case 'connected':
      return { state: 'connected' };
    case 'connecting':
      // A lost connection stays lost until it is back: a bar that flickers tells less.
      return before.state === 'lost' ? before : { state: 'connecting' };
    case 'lost':
      return { state: 'lost', retryAt: Date.now() + state.retryInMs };
  }
}
