import { createStore, type StoreApi } from 'zustand/vanilla';
import { BeckonError } from '../../client/beckon-error.ts';
import type {
  ConnectionState,
  FollowedFrom,
  LiveConnection,
  LiveTransport,
  RoomSnapshot,
  SessionPage,
} from '../../client/transport.ts';
import { isInteractionEvent } from '../../model/interaction-fold.ts';
import type { Announcement } from '../../protocol/announcement.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { createFrameBatch } from './frame-batch.ts';
import {
  afterNews,
  afterTime,
  type InteractionNews,
  nextChange,
  type Press,
  withPress,
} from './interactions.ts';
import {
  afterAnnouncement,
  emptyRoom,
  isOfUnknown,
  type Room,
  roomOf,
  unknownCount,
  withCommands,
  withoutSession,
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

type News =
  | { readonly is: 'snapshot'; readonly snapshot: RoomSnapshot }
  | { readonly is: 'announcement'; readonly announcement: Announcement }
  | { readonly is: 'followed'; readonly sessionId: string; readonly from: FollowedFrom }
  | { readonly is: 'unknown'; readonly sessionId: string }
  | { readonly is: 'event'; readonly sessionId: string; readonly event: Event }
  | { readonly is: 'delta'; readonly sessionId: string; readonly delta: Delta };

interface Held {
  readonly feed: SessionFeed;
  holders: number;
}

/** Feeds that are kept up to date a while longer after they left the screen. */
const spareFeeds = 12;
/** All of them together: a conversation that was read back to its beginning can have a hundred thousand. */
const spareRows = 20_000;
const olderAtOnce = 200;

/** This page's link to the server: one live connection, all that is known from it, and a feed for each session on the screen. */
export class ControlRoom {
  readonly transport: LiveTransport;
  readonly store: StoreApi<RoomState>;
  /** The least recently used first. */
  readonly #feeds = new Map<string, Held>();
  readonly #batch = createFrameBatch<News>((news) => this.#apply(news));
  #connection: LiveConnection | undefined;
  /** How many cards are drawn of each interaction. */
  readonly #cards = new Map<string, number>();
  /** The one clock by which interactions that have ended leave the screen. */
  #clock: ReturnType<typeof setTimeout> | undefined;
  /** What the server was told of whether this page answers. */
  #toldInteraction: RoomState['interaction'];

  constructor(transport: LiveTransport, interaction: RoomState['interaction'] = 'enabled') {
    this.transport = transport;
    this.#toldInteraction = interaction;
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
    this.#disconnect();
    const { store } = this;
    const told = (): RoomState['interaction'] => {
      this.#toldInteraction = store.getState().interaction;
      return this.#toldInteraction;
    };
    this.#connection = this.transport.connect({
      // A connection that comes back must not forget that answering was switched.
      get interaction() {
        return told();
      },
      onConnection: (state) => this.#connectionChanged(state),
      onSnapshot: (snapshot) => this.#batch.push({ is: 'snapshot', snapshot }),
      onAnnouncement: (announcement) => this.#batch.push({ is: 'announcement', announcement }),
      onFollowed: (sessionId, from) => this.#batch.push({ is: 'followed', sessionId, from }),
      onUnknown: (sessionId) => this.#batch.push({ is: 'unknown', sessionId }),
      onEvent: (sessionId, event) => this.#batch.push({ is: 'event', sessionId, event }),
      onDelta: (sessionId, delta) => this.#batch.push({ is: 'delta', sessionId, delta }),
    });
    this.#followKnown({});
    addEventListener('online', this.#check);
    document.addEventListener('visibilitychange', this.#check);
  }

  close(): void {
    this.#disconnect();
    for (const { feed } of this.#feeds.values()) feed.close();
    this.#feeds.clear();
    clearTimeout(this.#clock);
  }

  #disconnect(): void {
    removeEventListener('online', this.#check);
    document.removeEventListener('visibilitychange', this.#check);
    this.#connection?.close();
    this.#connection = undefined;
    this.#batch.close();
  }

  /** A laptop that slept, or came into another network, has a connection that is dead and does not know it. */
  readonly #check = (): void => {
    if (!document.hidden) this.#connection?.check();
  };

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

  /** Tells the server what the person looks at: a session, all of them, or nothing. */
  look(at: SessionId | 'all' | null): void {
    this.#connection?.look(at);
  }

  /** Whether this page can be asked; resolves when the server knows. */
  async setInteraction(interaction: RoomState['interaction']): Promise<void> {
    const { clientId } = this.store.getState();
    if (clientId !== null) await this.#tellInteraction(clientId, interaction);
    this.store.setState({ interaction });
  }

  /** Notes what a person has pressed on an interaction, or that nothing is pressed any more. */
  setPress(interactionId: string, press: Press | null): void {
    this.#set(withPress(this.store.getState(), interactionId, press));
  }

  /** Keeps what is known of an interaction while a card of it is drawn, until the function that is given back is called. */
  keepWhileDrawn(interactionId: string): () => void {
    this.#cards.set(interactionId, (this.#cards.get(interactionId) ?? 0) + 1);
    return () => {
      const left = (this.#cards.get(interactionId) ?? 1) - 1;
      if (left > 0) this.#cards.set(interactionId, left);
      else this.#cards.delete(interactionId);
      this.#set(this.store.getState());
    };
  }

  /** Takes how an interaction stands from the reply to an answer. */
  takeReply(news: Extract<InteractionNews, { by: 'reply' | 'refusal' }>): void {
    this.#set(afterNews(this.store.getState(), news, performance.now()));
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

  /** Asks how many sessions are archived; what is heard meanwhile is newer than the reply. */
  async #countArchived(): Promise<void> {
    const { archived } = this.store.getState();
    const { total } = await this.transport.sessionPage({ archived: true, limit: 1 });
    if (this.store.getState().archived === archived) this.store.setState({ archived: total });
    else await this.#countArchived();
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

  /** Takes what was asked for beside the connection. */
  learn(sessions: readonly Session[]): void {
    const before = this.store.getState();
    this.store.setState(withSessions(before, sessions));
    this.#followKnown(before.sessions);
  }

  #hold(name: string, sessionId: string, depth: Depth): Held {
    const known = this.store.getState().sessions[sessionId];
    const { id, key } = known ?? { id: sessionId as SessionId, key: null };
    const held = { feed: new SessionFeed(this.transport, { id, key }, depth), holders: 0 };
    this.#feeds.set(name, held);
    // Also when another feed has it followed: the reply tells this one what is being said.
    if (known !== undefined) this.#connection?.follow(id);
    return held;
  }

  #letGo(name: string, held: Held): void {
    if (held.holders > 0 || this.#feeds.get(name) !== held) return;
    this.#feeds.delete(name);
    this.#feeds.set(name, held);
    const lastUsedFirst = [...this.#feeds].filter(([, { holders }]) => holders === 0).reverse();
    const kept = { feeds: 0, rows: 0 };
    for (const [spare, { feed }] of lastUsedFirst) {
      const rows = kept.rows + feed.conversation.rows.length;
      if (kept.feeds < spareFeeds && rows <= spareRows) {
        kept.feeds += 1;
        kept.rows = rows;
        continue;
      }
      this.#feeds.delete(spare);
      feed.close();
      if (this.#feedsOf(feed.sessionId).length === 0) this.#connection?.unfollow(feed.sessionId);
    }
  }

  /** A feed may have been asked for before its session was told of. */
  #followKnown(before: Room['sessions']): void {
    const { sessions } = this.store.getState();
    const held = new Set([...this.#feeds.values()].map(({ feed }) => feed.sessionId));
    for (const id of held) if (id in sessions && !(id in before)) this.#connection?.follow(id);
  }

  #connectionChanged(state: ConnectionState): void {
    if (state.state === 'closed') {
      if (state.error !== undefined) this.store.setState({ connection: refusedBy(state.error) });
      return;
    }
    if (state.state === 'lost') for (const { feed } of this.#feeds.values()) feed.connectionLost();
    this.store.setState({ connection: connectionOf(state, this.store.getState().connection) });
  }

  #apply(batch: readonly News[]): void {
    const before = this.store.getState();
    const now = performance.now();
    let state = before;
    let isCountOld = false;
    const touched = new Set<SessionFeed>();
    const tell = (sessionId: string, take: (feed: SessionFeed) => void): void => {
      for (const feed of this.#feedsOf(sessionId)) {
        take(feed);
        touched.add(feed);
      }
    };
    for (const news of batch) {
      switch (news.is) {
        case 'snapshot':
          state = this.#begin(state, news.snapshot, now);
          for (const [id, blocks] of Object.entries(news.snapshot.partials))
            tell(id, (feed) =>
              feed.resume({ after: 0, lastSeq: state.sessions[id]?.lastSeq ?? 0, partial: blocks }),
            );
          break;
        case 'announcement':
          if (isOfUnknown(state, news.announcement)) isCountOld = true;
          state = { ...state, ...afterAnnouncement(state, news.announcement, now) };
          break;
        case 'followed':
          tell(news.sessionId, (feed) => feed.resume(news.from));
          break;
        case 'unknown':
          state = { ...state, ...withoutSession(state, news.sessionId, now) };
          break;
        case 'event':
          if (news.event.type === 'commands.changed')
            state = withCommands(state, news.sessionId, news.event.commands);
          tell(news.sessionId, (feed) => feed.takeEvent(news.event));
          break;
        case 'delta':
          tell(news.sessionId, (feed) => feed.takeDelta(news.delta));
      }
    }
    for (const interaction of this.#toldByEvents(batch))
      state = afterNews(state, { by: 'event', interaction }, now);
    this.#set(state);
    if (state.sessions !== before.sessions) this.#followKnown(before.sessions);
    for (const feed of touched) feed.flush();
    if (isCountOld) void this.#countArchived().catch(() => {});
  }

  /** What the logs of followed sessions make of the interactions that their events are about. */
  #toldByEvents(batch: readonly News[]): Interaction[] {
    return batch.flatMap((news) => {
      if (news.is !== 'event' || !isInteractionEvent(news.event)) return [];
      const { interactionId } = news.event;
      return this.#feedsOf(news.sessionId).flatMap(
        ({ conversation }) => conversation.interaction(interactionId) ?? [],
      );
    });
  }

  /** Takes a new state, lets go of what has left in it, and wakes when the next is to leave. */
  #set(next: RoomState): void {
    const before = this.store.getState();
    const now = performance.now();
    const state = afterTime(next, now, {
      isCalling: (asked) => isCalling(next, asked),
      isDrawn: (interactionId) => this.#cards.has(interactionId),
    });
    const isAsOpened = before.isAsOpened && (!before.isLoaded || isSameAsks(before.pending, state.pending));
    if (state !== before) this.store.setState({ ...state, isAsOpened });
    clearTimeout(this.#clock);
    const due = nextChange(state, now);
    if (due !== undefined) this.#clock = setTimeout(() => this.#set(this.store.getState()), due - now);
  }

  #begin(state: RoomState, snapshot: RoomSnapshot, now: number): RoomState {
    const { clientId } = snapshot;
    // Switched while the first connection was on its way: it was greeted as it was before.
    if (this.#toldInteraction !== state.interaction)
      this.#tellInteraction(clientId, state.interaction).catch(() => {});
    const connection = { state: 'connected' } as const;
    return { ...state, ...roomOf(snapshot, state, now), clientId, isLoaded: true, connection };
  }

  async #tellInteraction(clientId: string, interaction: RoomState['interaction']): Promise<void> {
    await this.transport.setInteractionEnabled(clientId, { enabled: interaction === 'enabled' });
    this.#toldInteraction = interaction;
  }

  #feedsOf(sessionId: string): SessionFeed[] {
    return depths.flatMap((depth) => this.#feeds.get(nameOf(depth, sessionId))?.feed ?? []);
  }
}

/** Whether the agent still waits for the call that asked. */
const isCalling = ({ sessions }: Room, { sessionId, toolCallId }: Interaction): boolean =>
  toolCallId !== undefined && sessions[sessionId]?.awaited?.id === toolCallId;

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

const refusedBy = (error: Error): Connection =>
  error instanceof BeckonError && error.status === 401
    ? { state: 'signed-out', isKeyMissing: error.code === 'key_missing' }
    : { state: 'refused', error };
