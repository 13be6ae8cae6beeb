import type { Approve, GivenAnswers } from '../protocol/command.ts';
import { accept, type Result } from '../protocol/errors.ts';
import type { EventOf, NewEvent, NewEventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { CommentId, GrantId, InteractionId, MessageId, RuleId, SessionId } from '../protocol/ids.ts';
import type { Actor, Ask } from '../protocol/interaction.ts';
import type { StandingRule } from '../protocol/policy.ts';
import type { SeenMark, SendComments, SentReview } from '../protocol/review.ts';
import type { Disposition, WhileBusy } from '../protocol/session.ts';
import type { HeldRule } from './policy.ts';
import type { Place } from './rule-match.ts';

/** What someone, or the clock, wants of a session. Ids are made by the caller, so that deciding stays pure. */
export type SessionCommand =
  | SendCommand
  | {
      readonly type: 'edit-queued';
      readonly messageId: MessageId;
      readonly message?: string;
      readonly position?: number;
      readonly by: Actor;
    }
  | { readonly type: 'remove-queued'; readonly messageId: MessageId; readonly by: Actor }
  | ({ readonly type: 'draft-comment' } & Omit<NewEventOf<'comment.drafted'>, 'type'>)
  | {
      readonly type: 'edit-comment';
      readonly commentId: CommentId;
      readonly text: string;
      /** The revision that the person saw. */
      readonly shown: number;
      readonly by: Actor;
    }
  | {
      readonly type: 'remove-comment';
      readonly commentId: CommentId;
      readonly shown: number;
      readonly by: Actor;
    }
  | ({
      readonly type: 'send-comments';
      readonly comments: SendComments['comments'];
      readonly remark: string;
    } & Pick<SendCommand, 'messageId' | 'disposition' | 'clientMessageId' | 'by'>)
  | {
      readonly type: 'mark-seen';
      readonly marks: SeenMark[];
      readonly seen: boolean;
      readonly by: Actor;
    }
  | {
      readonly type: 'respond';
      readonly interactionId: InteractionId;
      readonly response: Response;
      /** The digest of what the person was shown, where the caller tells it. */
      readonly shown?: string;
      readonly by: Actor;
    }
  | {
      readonly type: 'delivered';
      readonly interactionId: InteractionId;
      readonly ok: boolean;
      /** It may have reached the agent all the same. */
      readonly uncertain?: boolean;
    }
  | { readonly type: 'defer'; readonly interactionId: InteractionId }
  /** The agent cannot leave it for later after all. */
  | { readonly type: 'not-deferred'; readonly interactionId: InteractionId }
  /** The agent has neither left it for later nor, started again, asked it again. */
  | { readonly type: 'deferred-missing'; readonly interactionId: InteractionId }
  | { readonly type: 'park'; readonly interactionId: InteractionId }
  | {
      readonly type: 'tool-ask';
      readonly interactionId: InteractionId;
      readonly ask: Omit<Ask, 'agentRequestId'>;
      readonly expiresAt?: string;
    }
  | {
      readonly type: 'end-ask';
      readonly interactionId: InteractionId;
      readonly outcome: 'expired' | 'withdrawn';
      readonly reason: string;
    }
  | { readonly type: 'leave-open'; readonly interactionId: InteractionId; readonly message?: string }
  | {
      readonly type: 'deliver-late';
      readonly interactionId: InteractionId;
      readonly messageId: MessageId;
      readonly text: string;
    }
  /** The tools that ran for this session ended with the server that ran them. */
  | { readonly type: 'lose-tools' }
  | { readonly type: 'expire'; readonly interactionId: InteractionId }
  | { readonly type: 'interrupt'; readonly by: Actor }
  | { readonly type: 'interrupt-overdue'; readonly turnId: string }
  | {
      readonly type: 'note-recording';
      readonly turnId: string;
      readonly when: 'start' | 'end';
      /** What was recorded, or why nothing could be. */
      readonly made: Result<
        Pick<EventOf<'files.recorded'>, 'recording' | 'unrecorded' | 'root'> & { readonly late?: true }
      >;
    }
  | ({ readonly type: 'restore' } & Pick<
      EventOf<'files.restoring'>,
      'orderId' | 'turnId' | 'before' | 'after' | 'by'
    >)
  | {
      readonly type: 'note-restored';
      readonly orderId: string;
      /** The recordings around it and what was put back, or why nothing was. */
      readonly outcome:
        | (Pick<EventOf<'files.restored'>, 'before' | 'after'> & { readonly paths: readonly string[] })
        | { readonly code: string };
    }
  | {
      readonly type: 'note-branch';
      readonly done: NewEventOf<'branch.committed' | 'branch.landed' | 'branch.pushed'>;
    }
  | ({ readonly type: 'note-setup' } & Omit<NewEventOf<'setup.changed'>, 'type'>)
  | ({ readonly type: 'note-worktree-restored' } & Omit<NewEventOf<'worktree.restored'>, 'type'>)
  | { readonly type: 'stop'; readonly by: Actor }
  | { readonly type: 'reopen'; readonly by: Actor }
  | { readonly type: 'fork'; readonly into: SessionId; readonly turnId: string | null; readonly by: Actor }
  | { readonly type: 'start-process'; readonly processId: string }
  | { readonly type: 'close-process'; readonly cause: 'sleep' | 'shutdown' }
  | {
      readonly type: 'lose-process';
      readonly reason: string;
      /** What it ended with: the server, unless this says that it was its machine. */
      readonly cause?: 'server-ended' | 'host-ended';
    }
  | { readonly type: 'give-up'; readonly machine: string; readonly by: Actor }
  | {
      readonly type: 'take-run';
      readonly processId: string;
      /** What the agent had asked when it was given up. */
      readonly asks: readonly Ask[];
      readonly by: Actor;
    }
  | {
      readonly type: 'change';
      readonly title?: string;
      readonly labels?: readonly string[];
      readonly whileBusy?: WhileBusy | null;
      readonly archived?: boolean;
      readonly pinned?: boolean;
      readonly mutedUntil?: string | null;
      readonly by: Actor;
    }
  | { readonly type: 'set-mode'; readonly permissionMode: string; readonly by: Actor }
  | { readonly type: 'set-model'; readonly model: string; readonly by: Actor }
  | { readonly type: 'set-option'; readonly id: string; readonly value: string; readonly by: Actor }
  /** Its time is up, whatever the clock says. */
  | { readonly type: 'expire-grant'; readonly grantId: GrantId }
  | {
      readonly type: 'trust';
      readonly grantId: GrantId;
      readonly minutes: number;
      readonly by: Actor;
    }
  | { readonly type: 'end-trust'; readonly by: Actor }
  | { readonly type: 'revoke-grant'; readonly grantId: GrantId; readonly by: Actor }
  | { readonly type: 'add-rule'; readonly rule: StandingRule }
  | { readonly type: 'remove-rule'; readonly ruleId: RuleId; readonly by: Actor }
  | ({ readonly type: 'keep-approval' } & KeptApproval)
  | { readonly type: 'forget-approvals'; readonly toolName: string; readonly by: Actor };

/** What a person approved under a key that an interactive tool defines. */
export interface KeptApproval {
  readonly grantId: GrantId;
  readonly toolName: string;
  readonly key: string;
  readonly by: Actor;
}

export interface SendCommand {
  readonly type: 'send';
  readonly messageId: MessageId;
  readonly text: string;
  readonly images: EventOf<'message.queued'>['images'];
  readonly disposition: Disposition;
  readonly replace: boolean;
  readonly clientMessageId: string | null;
  /** The comments that it is made of. */
  readonly review?: SentReview;
  readonly by: Actor;
}

export type Response =
  | ({ readonly type: 'allow'; readonly grantId: GrantId } & Pick<
      Approve,
      'scope' | 'pattern' | 'expiresAt' | 'onlyHere' | 'updatedInput' | 'mode' | 'way'
    > & {
        /** What was filled in beside the approval. */
        readonly values?: Readonly<Record<string, unknown>>;
      })
  | { readonly type: 'deny'; readonly reason?: string; readonly interrupt: boolean }
  | { readonly type: 'answer'; readonly answers: GivenAnswers }
  | { readonly type: 'submit'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly type: 'cancel'; readonly reason?: string };

/** What deciding may know besides the state: the moment, fresh ids, standing approvals, defaults. */
export interface Context {
  readonly at: string;
  /** What is later in the log than this was not stored when the command was taken, or the fact came: nothing was done about it. */
  readonly storedSeq: number;
  readonly mint: (kind: 'interaction' | 'turn' | 'message') => string;
  /** Grants for all sessions. */
  readonly grants: readonly Grant[];
  /** Rules for all sessions, and those of the place that a session works in. */
  readonly rulesIn: (place: Place) => readonly HeldRule[];
  /** Set while the machine of the session's agent cannot be reached. */
  readonly away?: Away | undefined;
}

/** A machine that cannot be reached. */
export interface Away {
  readonly machine: string;
  readonly since: string;
}

export type CommandOf<T extends SessionCommand['type']> = Extract<SessionCommand, { type: T }>;

/** What a command comes to: events for the session's log, and perhaps a grant for all sessions. */
export interface Decided {
  readonly events: readonly NewEvent[];
  readonly grant?: Grant;
}

export const becomes = (...events: readonly NewEvent[]): Result<Decided> => accept({ events });
