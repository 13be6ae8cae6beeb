import type { AgentFact } from '../../model/agent-fact.ts';
import type { MessageId, SessionId } from '../../protocol/ids.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { Agent } from '../../protocol/session.ts';

export type { AgentFact };

/** Our adapter for one kind of agent. What the agent says leaves the driver only as facts; vendor shapes stop there. */
export interface AgentDriver {
  readonly name: string;
  readonly label: string;
  /** Says whether the agent can be started here, and what it can do. Cheap enough to be called for each listing. */
  probe(): Promise<Agent>;
  /**
   * Starts the agent. Never throws: what goes wrong is reported as an `exited` fact.
   * Facts of one read are reported together, in order; nothing is reported after `exited`.
   */
  start(options: AgentStart, report: (facts: readonly AgentFact[]) => void): AgentConnection;
}

export interface AgentStart {
  /** Names this run of the agent's program; a restart gets another. */
  readonly processId: string;
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly permissionMode: string | null;
  readonly model: string | null;
  /** The agent's own session to go on with, or null for a new one. */
  readonly resume: string | null;
}

export interface OutgoingMessage {
  readonly messageId: MessageId;
  readonly text: string;
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
}

/** One running agent. Every promise settles, at the latest when the agent has exited; a failed write rejects. */
export interface AgentConnection {
  /** `steer` puts the message into the running turn; only where `capabilities.steer`. */
  send(message: OutgoingMessage, how: 'turn' | 'steer'): Promise<void>;
  /** Writes the decision on this very ask, built from the stored ask. Resolves when the bytes are in the pipe. */
  answer(ask: Ask, decision: Decision): Promise<void>;
  /** Resolves when the agent has acknowledged; the turn ends with its own fact. */
  interrupt(): Promise<void>;
  /** Resolve when the agent confirmed; reject with an `AgentRefusal` when it would not. */
  setPermissionMode(mode: string): Promise<void>;
  setModel(model: string): Promise<void>;
  /** Ends the agent and all its descendants: end of input, SIGTERM, SIGKILL. Resolves after `exited` was reported. */
  close(): Promise<void>;
  /** Stops and continues the reading of the agent's output, for a host that cannot store what it reads. */
  pause(): void;
  resume(): void;
}

/** The agent said no, in its own words. */
export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal';
}
