import type { Delta, Event } from './event.ts';
import type { InteractionId, SessionId } from './ids.ts';
import type { Actor, Interaction, InteractionKind, Outcome } from './interaction.ts';
import type { MachineState } from './machine.ts';
import type { AgentCommand, QueuedMessage, Session } from './session.ts';
import type { StorageState } from './storage.ts';
import type { Unlock } from './unlock.ts';

/** How every payload of a session names it. */
export interface SessionNames {
  readonly sessionId: SessionId;
  readonly sessionKey: string | null;
  /** The key, under the name that other systems have for it; not there without one. */
  readonly stageId?: string;
}

/** How every end of an interaction is told, whatever its kind. */
export interface ResolvedNotice {
  readonly sessionId: SessionId;
  readonly requestId: InteractionId;
  readonly kind: InteractionKind;
  readonly outcome: Outcome;
  readonly decision: 'allow' | 'deny' | null;
  readonly by: Actor;
  readonly at: string;
  readonly interaction: Interaction;
}

export interface QueueNotice {
  readonly messageId: string;
  readonly message: string;
  readonly queue: readonly QueuedMessage[];
}

/** What every client hears of every session. */
export interface SessionAnnouncements {
  'session-started': Session;
  'session-updated': Session;
  /** It was stopped, or has failed. */
  'session-ended': Session;
  'session-removed': object;
  'approval-requested': Interaction;
  'question-requested': Interaction;
  'form-requested': Interaction;
  /** It has waited longer than its soft limit. */
  'approval-parked': Interaction;
  /** The tool that asked no longer waits, or the agent sleeps until it is answered. */
  'approval-updated': Interaction;
  'approval-cancelled': Interaction;
  'approval-resolved': ResolvedNotice;
  'message-queued': QueueNotice;
  'message-updated': QueueNotice;
  'message-removed': QueueNotice;
  'message-sent': QueueNotice;
}

export type SessionAnnouncement = {
  [T in keyof SessionAnnouncements]: {
    readonly type: T;
    readonly data: SessionAnnouncements[T] & SessionNames;
  };
}[keyof SessionAnnouncements];

export type Announcement =
  | SessionAnnouncement
  /** Of no session: whether anything can be stored. */
  | { readonly type: 'storage-changed'; readonly data: StorageState }
  /** Of no session: which machines can be reached; all of them. Never told where there is only the server's own. */
  | { readonly type: 'machines-changed'; readonly data: { readonly machines: readonly MachineState[] } }
  /** Of no session: which terminals decide, or want to. */
  | { readonly type: 'unlocks-changed'; readonly data: { readonly unlocks: readonly Unlock[] } };

export type AnnouncementType = Announcement['type'];

/** What is said on streams beside announcements. */
type StreamWord =
  | 'snapshot'
  | 'resync'
  | 'event'
  | 'delta'
  | 'tool-asked'
  | 'tool-answered'
  | 'reply'
  | 'refusal';

/** What everything that is told is called on each kind of stream; null where it is not told. */
export const wireNames = {
  snapshot: { events: 'snapshot', webSocket: 'init' },
  resync: { events: 'resync', webSocket: 'resync' },
  event: { events: 'event', webSocket: 'chat_event' },
  delta: { events: 'delta', webSocket: 'delta' },
  'session-started': { events: 'session-started', webSocket: 'session_started' },
  'session-updated': { events: 'session-updated', webSocket: 'session_updated' },
  'session-ended': { events: 'session-ended', webSocket: 'session_ended' },
  'session-removed': { events: 'session-removed', webSocket: 'session_removed' },
  'approval-requested': { events: 'approval-requested', webSocket: 'approval_requested' },
  'question-requested': { events: 'question-requested', webSocket: 'question_requested' },
  'form-requested': { events: 'form-requested', webSocket: 'form_requested' },
  'approval-parked': { events: 'approval-parked', webSocket: 'approval_parked' },
  'approval-updated': { events: 'approval-updated', webSocket: 'approval_updated' },
  'approval-cancelled': { events: 'approval-cancelled', webSocket: 'approval_cancelled' },
  'approval-resolved': { events: 'approval-resolved', webSocket: 'approval_resolved' },
  'message-queued': { events: 'message-queued', webSocket: 'message_queued' },
  'message-updated': { events: 'message-updated', webSocket: 'message_updated' },
  'message-removed': { events: 'message-removed', webSocket: 'message_removed' },
  'message-sent': { events: 'message-sent', webSocket: 'message_sent' },
  'storage-changed': { events: 'storage-changed', webSocket: 'storage_changed' },
  'machines-changed': { events: 'machines-changed', webSocket: 'machines_changed' },
  'unlocks-changed': { events: 'unlocks-changed', webSocket: 'unlocks_changed' },
  /** Beside the announcement, for clients that know interactive tools by their calls. */
  'tool-asked': { events: null, webSocket: 'interaction_request' },
  'tool-answered': { events: null, webSocket: 'interaction_response' },
  reply: { events: null, webSocket: 'ack' },
  refusal: { events: null, webSocket: 'error' },
} as const satisfies Record<
  AnnouncementType | StreamWord,
  { readonly events: string | null; readonly webSocket: string }
>;

/** What a client hears of the sessions it follows. */
export type SessionNews =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'delta'; readonly delta: Delta };

/** A block that is being said right now. */
export interface PartialBlock extends Delta {}

/** A session as it is now, for a client that has just come. */
export interface SessionSnapshot {
  readonly session: Session;
  readonly pending: readonly Interaction[];
  readonly queue: readonly QueuedMessage[];
  readonly partial: readonly PartialBlock[];
  /** What its agent offers to be called by `/name`; also while the agent sleeps. */
  readonly commands: readonly AgentCommand[];
  readonly lastSeq: number;
}
