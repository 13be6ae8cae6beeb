import type { ApprovalScope, RequestInteraction } from './interaction.ts';

/** What a handler gets beside its arguments. */
export interface ToolContext {
  readonly sessionId: string;
  /** Names this call; the agent's own id of it, where it tells one. */
  readonly callId: string;
  /** Fires when the call is cancelled, its turn interrupted, its session stopped. A handler that goes on is not waited for. */
  readonly signal: AbortSignal;
  readonly requestInteraction: RequestInteraction;
  readonly interaction: {
    /** Whether someone is there, at this moment, who can and wants to answer. */
    readonly available: boolean;
  };
  readonly approvals: Approvals;
  readonly logger: ToolLogger;
  /** Tells an agent that can show it how far the work is. */
  readonly progress: (text: string) => void;
}

/**
 * What people have approved, under keys that the tool makes up. The keys of two tools never meet.
 *
 * @example
 * const key = `deploy:${args.environment}`;
 * if (context.approvals.get(key) === undefined) {
 *   // ask; then, with the scope of the answer:
 *   await context.approvals.set(key, response.approvalScope);
 * }
 */
export interface Approvals {
  /** The longest scope that holds now. `once` holds in this run alone. */
  get(key: string): ApprovalScope | undefined;
  /** Settles when it is on disk. People see it among the grants, and can revoke it there. */
  set(key: string, scope: ApprovalScope): Promise<void>;
  /** Forgets what was approved once or for this session. What was approved for always stays. */
  clearSession(): Promise<void>;
}

/** Writes to the server's log. It is kept on disk: no secrets, and nothing that a person typed. */
export interface ToolLogger {
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}
