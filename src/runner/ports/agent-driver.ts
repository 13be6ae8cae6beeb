import type { AttachOrder, ReadingMark, StartOrder, ToolAccess } from '../../engine/ports/runner.ts';
import type { AgentFact } from '../../model/agent-fact.ts';
import type { MessageId } from '../../protocol/ids.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { Agent } from '../../protocol/session.ts';
import type { KeptProcess, WriteOutcome } from './process-host.ts';

export type { AgentFact, ReadingMark, ToolAccess };

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
  start(options: AgentStart, report: Report): AgentConnection;
  /**
   * Takes up an agent that outlived an earlier server. What it said since the mark is reported as if it had just been said, then
   * `caught-up`. Undefined when the agent is gone. Drivers whose agents end with the server have no such method.
   */
  attach?(options: AgentStart, left: LeftBehind, report: Report): AgentConnection | undefined;
}

/** What an agent says at once is reported in pieces of about so many facts: each is stored as a whole, and others wait for it. */
export const mostFactsAtOnce = 64;

/** With a mark: once these facts are stored, everything before the mark need not be read again. */
export type Report = (facts: readonly AgentFact[], mark?: ReadingMark) => void;

/** How an earlier server left an agent. */
export interface LeftBehind extends Pick<AttachOrder, 'ready' | 'openAsks' | 'inFlight'> {
  /** None when nothing it said was stored yet. */
  readonly mark: ReadingMark | undefined;
  readonly kept: readonly KeptProcess[];
}

export interface AgentStart
  extends Pick<
    StartOrder,
    'sessionId' | 'cwd' | 'env' | 'permissionMode' | 'model' | 'resume' | 'fork' | 'costUsd' | 'tools'
  > {
  /** Names this run of the agent's program; a restart gets another. */
  readonly processId: string;
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
  /**
   * Writes the decision on this very ask, built from the stored ask. Resolves when the bytes are in the pipe, or never will be, and
   * before `exited` is reported: what has not been told by then can be told no more.
   */
  answer(ask: Ask, decision: Decision): Promise<WriteOutcome>;
  /** Lets the agent leave this ask for later: it ends its turn as suspended. Only for asks that are `deferrable`. */
  defer?(ask: Ask): Promise<void>;
  /** Resolves when the agent has acknowledged; the turn ends with its own fact. Under the same id, also by another server, it is one. */
  interrupt(id?: string): Promise<void>;
  /** Resolve when the agent confirmed; reject with an `AgentRefusal` when it would not. */
  setPermissionMode(mode: string): Promise<void>;
  setModel(model: string): Promise<void>;
  /** Only for agents that tell options. */
  setOption?(id: string, value: string): Promise<void>;
  /** Ends the agent and all its descendants: end of input, SIGTERM, SIGKILL. Resolves after `exited` was reported. */
  close(): Promise<void>;
  /** Stops and continues the reading of the agent's output, for a host that cannot store what it reads. */
  pause(): void;
  resume(): void;
  /** What was reported with this mark is stored. Only for agents that outlive the server, as is the next. */
  stored?(mark: ReadingMark): void;
  /** Lets go of the agent without ending it; nothing is reported any more. */
  detach?(): void;
}

/** The agent said no, in its own words. */
export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal';
}
