import type { Delta, Event } from './event.ts';
import type { InteractionId, SessionId } from './ids.ts';
import type { Actor, Interaction, InteractionKind, Outcome } from './interaction.ts';
import type { AgentCommand, QueuedMessage, Session } from './session.ts';
import type { StorageState } from './storage.ts';
import type { Unlock } from './unlock.ts';

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
  readonly sessionId: SessionId;
  readonly messageId: string;
  readonly message: string;
  readonly queue: readonly QueuedMessage[];
}

/** A session with its id under the name that every other payload has for it. */
export type SessionNotice = Session & { readonly sessionId: SessionId };

/** What every client hears of every session. Each payload of a session names it as `sessionId`. */
export type Announcement =
  | {
      readonly type: 'session-started' | 'session-updated' | 'session-ended';
      readonly data: SessionNotice;
    }
  | { readonly type: 'session-removed'; readonly data: { readonly sessionId: SessionId } }
  | {
      readonly type:
        | 'approval-requested'
        | 'question-requested'
        | 'form-requested'
        /** It has waited longer than its soft limit. */
        | 'approval-parked'
        /** The tool that asked no longer waits; the answer will be a message. */
        | 'approval-updated'
        | 'approval-cancelled';
      readonly data: Interaction;
    }
  | { readonly type: 'approval-resolved'; readonly data: ResolvedNotice }
  | {
      readonly type: 'message-queued' | 'message-updated' | 'message-removed' | 'message-sent';
      readonly data: QueueNotice;
    }
  /** Of no session: whether anything can be stored. */
  | { readonly type: 'storage-changed'; readonly data: StorageState }
  /** Of no session: which terminals decide, or want to. */
  | { readonly type: 'unlocks-changed'; readonly data: { readonly unlocks: readonly Unlock[] } };

export type AnnouncementType = Announcement['type'];

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
