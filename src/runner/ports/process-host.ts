import type { OrderOutcome } from '../../engine/ports/runner.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { RunIsolation } from '../../protocol/session.ts';

/**
 * Runs the processes of agents so that nothing of them is left behind. Everything here can
 * be carried over a socket: an implementation may keep the processes in another program.
 */
export interface ProcessHost {
  /** Whether processes live on when this program ends. */
  readonly outlivesServer: boolean;
  /**
   * Never throws: a process that could not be started has an `exited` that says why. An id that is kept already names the process
   * that was started with it: it is taken up from its first byte, and none is started.
   */
  start(spec: ProcessSpec): AgentProcess;
  /** What outlived an earlier server, also what has ended meanwhile. None where processes end with the server. */
  kept(): Promise<readonly KeptProcess[]>;
  /** Takes up a kept process: its output is passed on from this offset, its exit is told. Undefined when there is none of that id. */
  attach(id: string, from: number): AgentProcess | undefined;
  /** Ends what earlier runs on the same data directory left running. */
  endLeftovers(): Promise<LeftoverReport>;
  /** Ends every process, with all its descendants, and starts no more. */
  close(): Promise<void>;
  /** Lets go of the processes and starts no more; they go on by themselves where they can, and are ended where they cannot. */
  detach(): Promise<void>;
}

export interface KeptProcess {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly running: boolean;
  /** How much it has printed so far. */
  readonly outputEnd: number;
  /** So much of the beginning is no longer kept, because it was stored. */
  readonly givenBack?: number;
}

/** The run that a process belongs to. */
export const runOf = (processId: string): string => processId.split('-', 1)[0] ?? processId;

export interface ProcessSpec {
  /** Unique for each start, also across restarts of the server: that of the run, or that with "-" and a name behind it. */
  id: string;
  sessionId: SessionId;
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. The host adds its own marker. */
  env: Readonly<Record<string, string>>;
  /** A command beside the agent: what it prints is no part of the agent's raw log. */
  isCommand?: boolean;
  /** Texts that are said to the process and must not be in the raw log. */
  secrets?: readonly string[];
  /** Files and folders of ours that it must be able to read, also where it is kept from the others. */
  needs?: readonly string[];
}

export interface AgentProcess {
  readonly id: string;
  /** Unknown when the process could not be started. */
  readonly pid: number | undefined;
  /** Whether it lives on when this program ends, to be attached to by the next. */
  readonly outlivesServer: boolean;
  /** Whether it is kept from the files and processes of the server and of other agents. */
  readonly isolation: RunIsolation;
  /**
   * Settles when the bytes are in the pipe. Never rejects: a closed pipe is a value. Of several writes with the same id, also by
   * another server after a crash, only the first reaches the process; the others settle as it did. Where a server is killed between
   * writing and noting that it wrote, the process gets that one write again: an agent must be able to tell a repetition. Where it
   * is not, the write is announced first: then it is known of that one that it is in doubt.
   */
  write(data: string | Buffer, writeId?: string, options?: WriteOptions): Promise<WriteOutcome>;
  readonly earlierWrites: EarlierWrites;
  /** All output before this offset is stored: nobody will ask for it again. */
  stored(offset: number): void;
  closeInput(): void;
  /**
   * Output is held back until a reader is attached, so nothing printed early is lost. There
   * is one reader; the function returned detaches it, and output after that is discarded.
   */
  readOutput(reader: OutputReader): () => void;
  pauseOutput(): void;
  resumeOutput(): void;
  /** The last lines of stderr, oldest first, bounded in number and length. */
  stderrTail(): readonly string[];
  /** Settles once, never rejects; output may still be on its way to the reader. */
  readonly exited: Promise<ProcessExit>;
  /** Settles when neither the process nor any of its descendants is left. */
  end(options?: EndOptions): Promise<void>;
}

export interface OutputReader {
  /** `offset` is the place of the chunk's first byte in all the process has printed. */
  chunk(chunk: Buffer, offset: number): void;
  /** No more output will come. */
  end(): void;
}

export interface EndOptions {
  /** How long SIGTERM is given before SIGKILL follows. */
  graceMs?: number;
}

export interface WriteOptions {
  /** Noted before it is written, too. */
  readonly announced?: boolean;
}

/** The ids of what earlier servers wrote to a process, as far as they noted it. */
export interface EarlierWrites {
  readonly written: ReadonlySet<string>;
  /** Announced, and never noted as written: the process has it, or a part of it, or nothing. */
  readonly doubtful: ReadonlySet<string>;
}

export type WriteOutcome = OrderOutcome;
export type WriteFailure = Extract<WriteOutcome, { ok: false }>;

export type ProcessExit =
  | { kind: 'exited'; code: number | null; signal: string | null }
  /** The program that kept the process has died, and the process with it; how it ended is not known. */
  | { kind: 'host-lost'; message: string }
  | { kind: 'spawn-failed'; code: SpawnFailure; message: string };

export type SpawnFailure = 'not-found' | 'not-executable' | 'cwd-missing' | 'host-closed' | 'failed';

export interface LeftoverReport {
  found: number;
  /** How many of those found had to be killed because they did not end when asked. */
  killed: number;
  /** How many of those found could not be ended. */
  remaining: number;
}
