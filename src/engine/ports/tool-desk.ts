import type { Result } from '../../protocol/errors.ts';
import type { InteractionId, SessionId } from '../../protocol/ids.ts';
import type { Actor, ApprovalScope, Ask, Decision, Outcome, ToolOrigin } from '../../protocol/interaction.ts';

/** Where the tools that run in this program put their asks before a person. */
export interface ToolDesk {
  /** Whether anyone is connected who can and wants to answer. */
  available(sessionId: SessionId): boolean;
  /**
   * Stores and shows the ask. Refused when the session does not run. The listener is called once, also for an end that nobody
   * decided, and never before this has settled. What it returns matters only for an ask that was left open: the message for the
   * agent, or null when there is nothing to say yet.
   */
  ask(
    sessionId: SessionId,
    ask: ToolAsk,
    listener: (end: AskEnd) => Promise<LateAnswer | null>,
  ): Promise<Result<InteractionId>>;
  /** The tool waits no longer and there was no answer. Refused, and the listener hears the answer, when one came first. */
  end(
    sessionId: SessionId,
    interactionId: InteractionId,
    how: { readonly outcome: 'expired' | 'withdrawn'; readonly reason: string },
  ): Promise<Result<undefined>>;
  /**
   * The tool's call ends, the ask stays open. From now on an answer becomes a message to the agent: what the listener makes of
   * it, or, when the listener is gone or fails, the answer as it was given. Refused when an answer came first.
   */
  leaveOpen(
    sessionId: SessionId,
    interactionId: InteractionId,
    message: string | undefined,
  ): Promise<Result<undefined>>;
  /**
   * What became of a call that nobody waits for any more although its tool had not done: what it asked last is open, or was answered
   * meanwhile. Either way the answer is a message of its own. Undefined where it left nothing open.
   */
  leftOpen(sessionId: SessionId, callId: string): 'open' | 'answered' | undefined;
  /** What people have approved for good under a tool's own keys. */
  approval(sessionId: SessionId, toolName: string, key: string): 'session' | 'always' | undefined;
  setApproval(sessionId: SessionId, approval: ToolApproval): Promise<Result<undefined>>;
  /** Forgets what was approved for this session under this tool's keys. */
  clearApprovals(sessionId: SessionId, toolName: string, by: Actor): Promise<Result<undefined>>;
  /** Calls back when everything that runs for this session must end: its agent's process is gone, or its turn was interrupted. */
  onRunEnd(listener: (sessionId: SessionId, reason: string) => void): () => void;
}

export type ToolAsk = Omit<Ask, 'agentRequestId' | 'kind' | 'tool'> & {
  readonly kind: 'approval' | 'form';
  readonly tool: ToolOrigin;
  /** No limit when left out. The tool's host is told of the end by its own clock and calls `end`; clients show what is left. */
  readonly expiresAt?: string;
};

export type AskEnd =
  | { readonly kind: 'decided'; readonly decision: Decision; readonly outcome: Outcome; readonly by: Actor }
  /** Withdrawn, interrupted, expired or lost: nobody decided. */
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly reason: string };

/** What the agent is told, as a message, when an answer comes after the call. */
export interface LateAnswer {
  readonly text: string;
}

export interface ToolApproval {
  readonly toolName: string;
  readonly key: string;
  readonly scope: Exclude<ApprovalScope, 'once'>;
  readonly by: Actor;
}
