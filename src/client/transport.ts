import type { Announcement, PartialBlock, SessionSnapshot } from '../protocol/announcement.ts';
import type { Delta, Event } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Interaction } from '../protocol/interaction.ts';
import type { MachineState } from '../protocol/machine.ts';
import type { operations, ReplyOf } from '../protocol/operation.ts';
import type { QueuedMessage, Session, WhileBusy } from '../protocol/session.ts';
import type { StorageState } from '../protocol/storage.ts';
import type { Unlock } from '../protocol/unlock.ts';
import type { RoomCalls } from './calls.ts';

/**
 * The control room to a program, wherever it runs: a method for each thing a caller can do, as the table of operations has them, and
 * two for what happens. Sessions are named by id or key.
 * Every method rejects with a `BeckonError` when the control room says no or cannot be reached.
 */
export interface Transport extends RoomCalls {
  /** Tells what happens in all sessions until the returned function is called; reconnects by itself. */
  subscribe(subscription: Subscription): Unsubscribe;
  /** Tells what happens in one session, first what is stored after `after`; no event twice, none left out. */
  follow(session: string, following: Following): Unsubscribe;
}

export type Unsubscribe = () => void;

type Reply<Name extends keyof typeof operations> = ReplyOf<(typeof operations)[Name]>['body'];
export type SessionPage = Reply<'listSessions'>;
export type MessageReceipt = Reply<'sendMessage'>;
export type EventsPage = Reply<'listEvents'>;
export type FoundEvent = Reply<'search'>['hits'][number];

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** It comes back by itself; `attempt` counts from 1 since the last connection. */
  | { readonly state: 'lost'; readonly attempt: number; readonly retryInMs: number; readonly error: Error }
  /** It does not come back: the control room refused, or the subscription was ended. */
  | { readonly state: 'closed'; readonly error?: Error };

/** All that is, when a subscription begins or has to begin anew: what was known before is to be forgotten. */
export interface RoomSnapshot {
  readonly clientId: string;
  /** Those at work, and those used last. */
  readonly sessions: readonly Session[];
  /** How many there are in all, and where `sessionPage` goes on after these; an older server tells all. */
  readonly total?: number;
  /** How many of them are archived. */
  readonly archived?: number;
  readonly nextCursor?: string;
  readonly pending: readonly Interaction[];
  readonly queues: Readonly<Record<string, readonly QueuedMessage[]>>;
  /** Whether anything can be stored, and whether something is missing; an older server does not tell. */
  readonly storage?: StorageState;
  /** What messages of people do while an agent works, in sessions that are not set for themselves; an older server does not tell. */
  readonly whileBusy?: WhileBusy;
  /** The terminals that decide, or want to; only a server tells. */
  readonly unlocks?: readonly Unlock[];
  /** Which machines can be reached; only where there is more than the server's own. */
  readonly machines?: readonly MachineState[];
  /** What is being said right now in the sessions followed. */
  readonly partials: Readonly<Record<string, readonly PartialBlock[]>>;
}

export interface Subscription {
  /** Sessions whose events and deltas are wanted, too. */
  readonly sessions?: readonly string[];
  /** Whether this client can and wants to answer; `enabled` unless told. Read anew with every connection. */
  readonly interaction?: 'enabled' | 'disabled' | 'none';
  readonly onSnapshot?: (snapshot: RoomSnapshot) => void;
  readonly onAnnouncement?: (announcement: Announcement) => void;
  readonly onEvent?: (sessionId: string, event: Event) => void;
  readonly onDelta?: (sessionId: string, delta: Delta) => void;
  readonly onConnection?: (state: ConnectionState) => void;
}

export interface Following {
  /** The last event already known; 0 for all. Without it only what happens from now on is told. */
  readonly after?: number;
  /** Whether this client can and wants to answer this session; `none` unless told. */
  readonly interaction?: Subscription['interaction'];
  readonly onSnapshot?: (snapshot: SessionSnapshot) => void;
  readonly onEvent?: (event: Event) => void;
  readonly onDelta?: (delta: Delta) => void;
  readonly onConnection?: (state: ConnectionState) => void;
}

/** The control room to a page: the same calls, and one connection over which sessions are followed and left as they come and go. */
export interface LiveTransport extends RoomCalls {
  /** Tells what happens until it is closed; reconnects by itself. */
  connect(listener: LiveListener): LiveConnection;
}

export interface LiveConnection {
  /** Events and deltas of this session are told, too, from where `onFollowed` says; also after the connection was lost. */
  follow(sessionId: string): void;
  unfollow(sessionId: string): void;
  /** A person looks at this session, at all of them, or at none. */
  look(at: SessionId | 'all' | null): void;
  /** The machine may have slept, or the network changed: what is dead is noticed soon, and what is lost is tried again at once. */
  check(): void;
  close(): void;
}

export interface LiveListener {
  /** Whether this client wants to answer; read anew with every connection. */
  readonly interaction: 'enabled' | 'disabled';
  readonly onConnection: (state: ConnectionState) => void;
  readonly onSnapshot: (snapshot: RoomSnapshot) => void;
  readonly onAnnouncement: (announcement: Announcement) => void;
  readonly onFollowed: (sessionId: string, from: FollowedFrom) => void;
  /** There is no session that could be followed under this id. */
  readonly onUnknown: (sessionId: string) => void;
  readonly onEvent: (sessionId: string, event: Event) => void;
  readonly onDelta: (sessionId: string, delta: Delta) => void;
}

export interface FollowedFrom {
  /** Events behind this one are told. */
  readonly after: number;
  /** The last event that is stored, and what is being said behind it. */
  readonly lastSeq: number;
  readonly partial: readonly PartialBlock[];
}
