import type { EventOf } from '../protocol/event.ts';
import type { Grant } from '../protocol/grant.ts';
import type { InteractionId, SessionId } from '../protocol/ids.ts';
import type { LeftOpen } from '../protocol/interaction.ts';
import type { StandingRule } from '../protocol/policy.ts';
import type { ReviewComment, SeenMark } from '../protocol/review.ts';
import type {
  AgentCommand,
  AgentOption,
  AskTimeout,
  Awaited,
  Capabilities,
  ContextUse,
  ForkedFrom,
  ForkPoint,
  Held,
  RunIsolation,
  SessionStatus,
  Usage,
  WaitingOn,
  WhileBusy,
} from '../protocol/session.ts';
import type { WorktreeOfSession } from '../protocol/worktree.ts';
import { entriesOf, mapOf, type OrderedMap } from './ordered-map.ts';

/**
 * What a session's log comes to. It holds what is open, never what is over: its size does not grow with the conversation.
 */
export interface SessionState {
  readonly id: SessionId;
  readonly lastSeq: number;
  readonly createdAt: string;
  readonly updatedAt: string;

  readonly agent: string;
  /** Where its agent runs; null for the server's own machine. */
  readonly machine: string | null;
  readonly cwd: string;
  /** Where `cwd` led when the session was made; null in logs from before this was kept. */
  readonly realCwd: string | null;
  /** Not there where it works in a directory of the person's. */
  readonly worktree?: WorktreeOfSession | undefined;
  /** Of the setup that was agreed to. */
  readonly setupDigest?: string | undefined;
  readonly title: string;
  readonly key: string | null;
  readonly permissionMode: string | null;
  readonly model: string | null;
  readonly labels: readonly string[];
  readonly askTimeout: AskTimeout | null;
  readonly whileBusy: WhileBusy | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  /** Not there unless it was muted, also not in what earlier versions stored. */
  readonly mutedUntil?: string | undefined;
  readonly ephemeral: boolean;
  readonly closeAfterTurn: boolean;
  /** Not there unless it is a fork; the point, also where it began with nothing. */
  readonly forkedFrom?: ForkedFrom | undefined;
  readonly forkPoint?: ForkPoint | undefined;
  /** Where the agent's conversation stands: null before its first turn, undefined where that is not known. */
  readonly reached?: ForkPoint | null | undefined;

  readonly life: 'open' | 'stopped' | 'failed';
  readonly failure: { readonly reason: string; readonly stderr: readonly string[] } | null;
  readonly process: AgentRun | null;
  /** The agent of a machine that was given up; it may go on there. */
  readonly leftRun?: LeftRun | undefined;
  /** A process is wanted as soon as there may be one. */
  readonly wake: 'created' | 'message' | 'resume' | 'crash' | 'answer' | null;
  readonly lastCrashAt: string | null;
  readonly agentSessionId: string | null;
  readonly agentVersion: string | null;
  readonly capabilities: Capabilities | null;
  /** As the agent told them last; they outlast its process. */
  readonly commands: readonly AgentCommand[];

  readonly turn: Turn | null;
  /** What was recorded of the files around the last turns, oldest first. */
  readonly recordings: readonly TurnRecordings[];
  /** The first that was made; it outlasts the list. */
  readonly firstRecording: string | null;
  /** Where the files lie that were recorded last. */
  readonly workTree: string | null;
  /** Why nothing could be recorded the last time; null where it could. */
  readonly unrecorded: string | null;
  /** Files that are being put back, as far as is known. */
  readonly restoring: Restoring | null;
  readonly queue: readonly QueueItem[];
  /** Not there until somebody has commented on changes, or marked a file as seen. */
  readonly review?: ReviewState | undefined;
  /** Open, or decided and not yet delivered. */
  readonly interactions: OrderedMap<LiveInteraction>;
  /** Those of the agent itself, by its process and its own ids of them. */
  readonly requests: OrderedMap<InteractionId>;
  /** Counted as they come and go: to count them again at each event would take as long as there are many. */
  readonly counts: InteractionCounts;
  readonly tools: OrderedMap<RunningTool>;
  /** Work that goes on by itself, also when no turn runs. */
  readonly tasks: OrderedMap<true>;
  /** This session's own grants. */
  readonly grants: readonly Grant[];
  /** This session's own rules. */
  readonly rules: readonly StandingRule[];
  readonly recentSends: readonly EventOf<'message.queued'>[];
  readonly usage: Usage;
  readonly context: ContextUse | null;
  readonly options: readonly AgentOption[];
  /** Its title was given by a person or a program. */
  readonly isNamed: boolean;

  readonly status: SessionStatus;
  readonly waitingOn: WaitingOn;
  readonly awaited: Awaited | null;
  readonly since: string;
  /** Why the agent is not read for the time being; null when it is. */
  readonly held: Held | null;
}

export interface InteractionCounts {
  /** Nobody has decided. */
  readonly open: number;
  /** Of those, the ones that the agent, or a tool of it, waits for. */
  readonly awaited: number;
  readonly deferred: number;
  /** Asked by interactive tools. */
  readonly ofTools: number;
}

export interface AgentRun {
  readonly id: string;
  readonly phase: 'starting' | 'ready' | 'closing';
  readonly closing: EventOf<'process.closing'>['cause'] | null;
  readonly startedAt: string;
  /** The agent's own session it was started to go on with. */
  readonly resume: string | null;
  /** Not that one itself, but a copy of it up to there. */
  readonly fork?: { readonly at: string | null } | undefined;
  readonly turns: number;
  /** Null until it is known. */
  readonly isolation: RunIsolation | null;
  /** How many of each kind are on record: whoever takes the run up counts on from there. */
  readonly diagnostics: Readonly<Record<string, number>>;
}

export interface LeftRun {
  readonly run: AgentRun;
  readonly inTurn: boolean;
  /** What it had asked, and nobody had answered. */
  readonly asks: readonly InteractionId[];
}

export interface Turn {
  readonly id: string;
  readonly startedAt: string;
  readonly interrupting: { readonly since: string; readonly overdue: boolean } | null;
}

/** The files around one turn: each null where they were not recorded. */
export interface TurnRecordings {
  readonly turnId: string;
  /** When its first recording was made. */
  readonly at: string;
  readonly start: string | null;
  readonly end: string | null;
  /** Those that were not made at their moment, but after it. */
  readonly late: readonly ('start' | 'end')[];
}

export type Restoring = Pick<EventOf<'files.restoring'>, 'orderId' | 'turnId' | 'by'>;

export interface QueueItem {
  readonly queued: EventOf<'message.queued'>;
  readonly text: string;
  /** Null while it waits; how it was handed over while the agent has yet to show that it took it. */
  readonly sending: 'send' | 'steer' | null;
  /** The turn that it is to begin, while it is handed over for one. */
  readonly turnId?: string | undefined;
  /** Handed over at once, without having waited: it is not shown as queued unless it comes back. */
  readonly direct: boolean;
}

/** What people have said of a session's changes, and not sent yet. */
export interface ReviewState {
  readonly comments: readonly ReviewComment[];
  /** Those marked last come last. */
  readonly seen: readonly SeenMark[];
  /** The number of the event that changed it last. */
  readonly revision: number;
}

export interface LiveInteraction {
  readonly requested: EventOf<'interaction.requested'>;
  /** The number of the event that changed it last. */
  readonly revision: number;
  readonly parked: boolean;
  /** The tool that asked no longer waits: the agent is free, and the answer will be a message. */
  readonly leftOpen: LeftOpen | null;
  /** `asleep`: the agent is to ask it again when it is started; `raised`: it has. */
  readonly deferred: 'asleep' | 'raised' | null;
  readonly decided: EventOf<'interaction.decided'> | null;
  /** Decided while the machine of its agent could not be reached, or just before. */
  readonly undelivered?: { readonly machine: string; readonly since: string };
  /** How it ended. The state lets go of it then; who reads it from the log does not. */
  readonly resolved: EventOf<'interaction.resolved'> | null;
}

export interface RunningTool {
  readonly name: string;
  readonly startsAgent: boolean;
  readonly parentToolCallId: string | null;
}

/** Raise this whenever a stored snapshot of the state could no longer be understood. */
export const STATE_VERSION = 14;

/** A state as it is stored: its maps are lists of their entries. */
export type StoredState = {
  readonly [K in keyof SessionState]: SessionState[K] extends OrderedMap<infer T>
    ? readonly (readonly [string, T])[]
    : SessionState[K];
};

export const storedState = (state: SessionState): StoredState => ({
  ...state,
  interactions: entriesOf(state.interactions),
  requests: entriesOf(state.requests),
  tools: entriesOf(state.tools),
  tasks: entriesOf(state.tasks),
});

export const stateFrom = (stored: StoredState): SessionState => ({
  ...stored,
  interactions: mapOf(stored.interactions),
  requests: mapOf(stored.requests),
  tools: mapOf(stored.tools),
  tasks: mapOf(stored.tasks),
});
