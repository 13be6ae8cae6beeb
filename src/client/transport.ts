import type { Announcement, PartialBlock, SessionSnapshot } from '../protocol/announcement.ts';
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
import type { Grant, GrantPreview } from '../protocol/grant.ts';
import type { Interaction } from '../protocol/interaction.ts';
import type {
  Agent,
  AgentCommand,
  Applied,
  Disposition,
  QueuedMessage,
  Session,
  SessionStatus,
  WhileBusy,
} from '../protocol/session.ts';
import type { StorageState } from '../protocol/storage.ts';
import type { ToolCatalogue } from '../protocol/tool.ts';
import type { Unlock } from '../protocol/unlock.ts';

/**
 * The control room to a program, wherever it runs. Sessions are named by id or key.
 * Every method rejects with a `BeckonError` when the control room says no or cannot be reached.
 */
export interface Transport {
  agents(): Promise<readonly Agent[]>;
  tools(): Promise<ToolCatalogue>;

  createSession(input: CreateSession): Promise<Session>;
  /** All of them, newest first. */
  sessions(): Promise<readonly Session[]>;
  /** Some of them, those whose state changed last first. */
  sessionPage(query: SessionPageQuery): Promise<SessionPage>;
  session(session: string): Promise<Session>;
  /** What the session's agent offers to be called by `/name`, as it told last. */
  agentCommands(session: string): Promise<readonly AgentCommand[]>;
  patch(session: string, changes: PatchSession): Promise<Session>;
  removeSession(session: string): Promise<void>;

  sendMessage(session: string, message: SendMessage): Promise<MessageReceipt>;
  queue(session: string): Promise<readonly QueuedMessage[]>;
  patchQueued(session: string, messageId: string, changes: PatchQueued): Promise<readonly QueuedMessage[]>;
  removeQueued(session: string, messageId: string): Promise<readonly QueuedMessage[]>;

  /** Open interactions, oldest first; of all sessions when none is named. */
  pending(session?: string): Promise<readonly Interaction[]>;
  interaction(session: string, interactionId: string): Promise<Interaction>;
  approve(session: string, decision: Approve): Promise<Interaction>;
  deny(session: string, decision: Deny): Promise<Interaction>;
  answer(session: string, answer: AnswerQuestion): Promise<Interaction>;
  submitAnswers(session: string, answer: SubmitAnswers): Promise<Interaction>;
  respond(session: string, response: Respond): Promise<Interaction>;

  interrupt(session: string): Promise<void>;
  /** Resolves with the texts that were still queued. */
  stop(session: string): Promise<readonly string[]>;
  resume(session: string): Promise<Session>;

  events(session: string, query?: EventsQuery): Promise<EventsPage>;
  grants(): Promise<readonly Grant[]>;
  revokeGrant(grantId: string): Promise<void>;
  /** The earlier asks that a pattern would have matched; `previewPattern` tells of those to come as well. */
  previewGrant(preview: PreviewGrant): Promise<readonly Interaction[]>;
  previewPattern(preview: PreviewGrant): Promise<GrantPreview>;
  search(query: SearchQuery): Promise<readonly FoundEvent[]>;
  setInteractionEnabled(clientId: string, enabled: boolean): Promise<void>;

  /** Tells what happens in all sessions until the returned function is called; reconnects by itself. */
  subscribe(subscription: Subscription): Unsubscribe;
  /** Tells what happens in one session, first what is stored after `after`; no event twice, none left out. */
  follow(session: string, following: Following): Unsubscribe;
}

export type Unsubscribe = () => void;

export interface SessionPageQuery {
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly before?: string | undefined;
  /** Words that are all to be found in title, key, labels, directory, agent or id. */
  readonly q?: string | undefined;
  readonly status?: readonly SessionStatus[] | undefined;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** How many there are in all, with these words and of this status. */
  readonly total: number;
  /** Not there on the last page. */
  readonly nextCursor?: string;
}

export interface MessageReceipt {
  readonly status: 'sent' | 'queued';
  readonly messageId: string;
  readonly requested: Disposition;
  readonly applied: Applied;
  readonly position?: number;
  /** Why what was applied is not what was asked. */
  readonly reason?: string;
}

export interface EventsPage {
  readonly events: readonly Event[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasMore: boolean;
  readonly logLastSeq: number;
}

export interface FoundEvent {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly excerpt: string;
  readonly title: string;
}

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
  readonly nextCursor?: string;
  readonly pending: readonly Interaction[];
  readonly queues: Readonly<Record<string, readonly QueuedMessage[]>>;
  /** Whether anything can be stored, and whether something is missing; an older server does not tell. */
  readonly storage?: StorageState;
  /** What messages of people do while an agent works, in sessions that are not set for themselves; an older server does not tell. */
  readonly whileBusy?: WhileBusy;
  /** The terminals that decide, or want to; only a server tells. */
  readonly unlocks?: readonly Unlock[];
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
  readonly onSnapshot?: (snapshot: SessionSnapshot) => void;
  readonly onEvent?: (event: Event) => void;
  readonly onDelta?: (delta: Delta) => void;
  readonly onConnection?: (state: ConnectionState) => void;
}
