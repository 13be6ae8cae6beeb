import type { AgentFact } from '../../model/agent-fact.ts';
import type { DirectoryCompletion, FoundFiles } from '../../protocol/directory.ts';
import type { Result } from '../../protocol/errors.ts';
import type { MessageId, SessionId } from '../../protocol/ids.ts';
import type { Ask, Decision } from '../../protocol/interaction.ts';
import type { Agent } from '../../protocol/session.ts';
import type { WorkPlace, Workspace } from './workspace.ts';

/**
 * The machine that agents run on: programs, processes, directories, files. The engine gives orders with ids and takes facts that are
 * numbered per run. All that crosses here is plain data that JSON can carry, and nothing may be expected to have happened when a
 * call returns: the machine may be another one.
 */
export interface Runner {
  /** The agents that are known here: whether each can be started, and what it can do. */
  agents(): Promise<readonly Agent[]>;
  /** Undefined where none has this name. */
  agent(name: string): Promise<Agent | undefined>;

  /** Whether an agent may work in this directory. Links are followed first, so that none leads out of the roots. */
  checkDirectory(place: WorkPlace): Promise<Result<Directory>>;
  /** The directories that may be meant by the beginning of a path. */
  completeDirectory(query: DirectoryQuery): Promise<Result<DirectoryCompletion>>;
  /** Files where a session works, by a part of their path; without what git ignores there. */
  findFiles(search: FilesSearch): Promise<Result<FoundFiles>>;
  /** What `.beckon/policy.json` there says, if there is one; no link leads out of the directory to it. Never rejects where it can answer. */
  policyFile(place: WorkPlace): Promise<PolicyFile>;
  /** What is checked out in a directory: a branch, or the beginning of a commit; null outside of a repository. */
  branch(directory: string): Promise<string | null>;
  /** The files below a directory, if it lies in the session's own. */
  filesBelow(query: FilesQuery): Promise<FilesBelow | undefined>;
  /** Whether files are recorded here at all. */
  readonly recordsFiles: boolean;
  /** What agents did to the files: recorded, compared, undone. */
  readonly workspace: Workspace;

  /**
   * The runs that are here: those that outlived an earlier server, also if they have ended meanwhile, and those that were started or
   * attached to since. What cannot be taken up is ended first.
   */
  left(): Promise<readonly LeftRun[]>;
  /**
   * Starts an agent; one that an earlier server started under this id is taken up from its first word instead. Never throws: what goes wrong, also with the directory, is reported as `exited`.
   * Nothing is reported before this returns, nor after `exited`.
   */
  start(order: StartOrder, report: Report): Run;
  /**
   * Goes on with a run: what was said since the checkpoint is reported as if it had just been said, then `caught-up`. A run that
   * cannot be gone on with is ended, and `exited` says why. Whoever attached before, here or elsewhere, hears no more.
   */
  attach(order: AttachOrder, report: Report): Run;
  /** Ends a run that no session claims. */
  end(runId: string): Promise<void>;

  readonly rawLog: {
    /** What went over the wire, byte for byte, as far as it is kept. */
    read(sessionId: SessionId): AsyncIterable<Uint8Array>;
    remove(sessionId: SessionId): Promise<void>;
  };

  /** Ends every agent, with all it started, and starts no more. */
  close(): Promise<void>;
  /** Lets go of everything; agents that can live on by themselves do. */
  detach(): Promise<void>;
}

/** One start of an agent. */
export interface Run {
  readonly id: string;
  /**
   * Settles when the outcome is known, at the latest when the agent has exited; never rejects. An order reaches the agent once,
   * however often it is given under the same id, also by another server. The outcome of an answer is told before `exited` is
   * reported, that of an `end` after it.
   */
  give(order: Order): Promise<OrderOutcome>;
  /** Stops and continues the reading of the agent's output, for an engine that cannot store what it is told. */
  hold(): void;
  release(): void;
  /** The facts up to this checkpoint are on the disk: nobody will attach at an earlier one. */
  stored(checkpoint: Checkpoint): void;
  /** Lets go of the agent without ending it; nothing is reported any more. Only where it can live on without the server. */
  readonly detach?: (() => void) | undefined;
}

export interface Directory {
  /** Whole, and otherwise as it was given. */
  readonly path: string;
  /** Where that leads, with all links followed. */
  readonly real: string;
  /** What it is called, without the way to it. */
  readonly name: string;
}

export interface PolicyFile {
  /** Null where there is none. */
  readonly content: string | null;
  /** Why what is there cannot be read, in words. */
  readonly problem?: string;
}

export interface DirectoryQuery {
  /** What was typed of it; up to the last slash it is a directory, behind it the beginning of a name. */
  readonly typed: string;
  /** Where a path begins that is not whole. */
  readonly cwd: string;
  /** Nothing outside of them is told; empty for anywhere. */
  readonly roots: readonly string[];
}

export interface FilesSearch extends WorkPlace {
  readonly typed: string;
  readonly most: number;
}

export interface FilesQuery {
  readonly directory: string;
  /** The session's own. */
  readonly cwd: string;
  /** Whether they would only be read: fewer of them are sensitive then. */
  readonly readOnly: boolean;
}

export interface FilesBelow {
  /** Nearest first. Links are left out: they lead elsewhere. */
  readonly paths: readonly string[];
  /** Of these, the files that no wildcard may reach, and the folders full of such files, which were not looked into. */
  readonly sensitive: readonly string[];
  readonly isAll: boolean;
}

export interface LeftRun {
  readonly runId: string;
  readonly sessionId: SessionId;
  readonly isRunning: boolean;
  /** By process, where what is kept of its output begins, if that is not its beginning: nobody can go on before it. */
  readonly keptFrom?: Readonly<Record<string, number>> | undefined;
  /** What the machine knows of it, where it keeps that. */
  readonly about?: RunAbout | undefined;
}

/** What it takes to go on with an agent's conversation where nobody knows its session. */
export interface RunAbout {
  readonly agent: string;
  readonly cwd: string;
  /** The agent's own session; null where it has not told. */
  readonly agentSessionId: string | null;
}

export interface StartOrder extends WorkPlace {
  /** Names this run; a restart gets another. */
  readonly runId: string;
  readonly sessionId: SessionId;
  /** The name of the agent to start. */
  readonly agent: string;
  readonly env: Readonly<Record<string, string>>;
  readonly permissionMode: string | null;
  readonly model: string | null;
  /** The agent's own session to go on with, or null for a new one. */
  readonly resume: string | null;
  /** With `resume`: not that session itself is gone on with, but a copy of it up to there; null for all of it. */
  readonly fork?: { readonly at: string | null };
  /** What the session has cost so far: some agents tell the cost of all of it. */
  readonly costUsd?: number;
  /** Where the agent finds the interactive tools, or null when there are none to offer. */
  readonly tools: ToolAccess | null;
}

export interface AttachOrder extends StartOrder {
  /** None when nothing it said was stored yet. */
  readonly checkpoint: Checkpoint | undefined;
  /** The number of the last fact that was taken: that of the checkpoint, or a later one where a fact was lost on its way. */
  readonly last: number;
  /** Whether it has told that it is ready. */
  readonly ready: boolean;
  /** The agent's own ids of the asks that are not settled. */
  readonly openAsks: readonly string[];
  /** Messages that were handed over, or were about to be, and that it has not shown to have taken. */
  readonly inFlight: readonly { readonly messageId: MessageId; readonly how: 'turn' | 'steer' }[];
}

/** An MCP server of ours (Streamable HTTP), for one session alone. */
export interface ToolAccess {
  readonly url: string;
  /** Sent as a bearer token. A secret: it goes into a file of mode 0600, never into an argument. */
  readonly key: string;
  /** The tools that may be called without the agent asking first: they ask by themselves. */
  readonly unasked: readonly string[];
}

/** What an agent is told. The id is that of what it is about; orders of different kinds may have the same. */
export type Order =
  | ({ readonly kind: 'message'; readonly id: MessageId } & Message)
  /** The decision on this very ask, built from the stored ask. */
  | { readonly kind: 'answer'; readonly id: string; readonly ask: Ask; readonly decision: Decision }
  /** Lets the agent leave this ask for later: it ends its turn as suspended. Only for asks that are `deferrable`. */
  | { readonly kind: 'defer'; readonly id: string; readonly ask: Ask }
  /** Done when the agent has acknowledged; the turn ends with its own fact. */
  | { readonly kind: 'interrupt'; readonly id: string }
  /** Done when the agent has confirmed. */
  | { readonly kind: 'mode'; readonly id: string; readonly mode: string }
  | { readonly kind: 'model'; readonly id: string; readonly model: string }
  | { readonly kind: 'option'; readonly id: string; readonly option: string; readonly value: string }
  /** Ends the agent and all its descendants. */
  | { readonly kind: 'end'; readonly id: string };

interface Message {
  readonly text: string;
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
  /** `steer` puts the message into the running turn; only where `capabilities.steer`. */
  readonly how: 'turn' | 'steer';
}

/**
 * `refused`: the agent said no, in its own words. `uncertain`: nobody can say whether it reached the agent all the same; without it,
 * it certainly did not, or not whole.
 */
export type OrderOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly uncertain?: true };

export type Report = (batch: FactBatch) => void;

/** What was said at once. Of one run the numbers of the facts follow each other without a gap. */
export interface FactBatch {
  readonly runId: string;
  /** The number of the first fact in it that has one, or of the next to come; the first of a run has 1. */
  readonly first: number;
  /** In order. Those that only pass by have no number: they may be lost. */
  readonly facts: readonly AgentFact[];
  /** Where to go on once these facts are stored; none for an agent that ends with the server. */
  readonly mark?: ReadingMark | undefined;
}

/** A place in what a run said: all facts up to the number came before the mark. */
export interface Checkpoint {
  readonly number: number;
  readonly mark: ReadingMark;
}

/** A place in an agent's output. It is the runner's own: the engine keeps it and gives it back. */
export interface ReadingMark {
  readonly processId: string;
  readonly offset: number;
  /** Plain data: what the driver must remember to go on from there. */
  readonly memory: unknown;
}

/** Whether all that a run said behind this place is still there. */
export const isKept = ({ keptFrom = {} }: LeftRun, mark: ReadingMark | undefined): boolean =>
  Object.entries(keptFrom).every(([id, from]) => (mark?.processId === id ? mark.offset : 0) >= from);

const passing: ReadonlySet<AgentFact['type']> = new Set(['delta', 'diagnostic', 'caught-up', 'ending']);

/** Whether a fact only passes by: it becomes no event, or one that may be missing. */
export const isPassing = ({ type }: AgentFact): boolean => passing.has(type);
