import type { SessionId } from '../../protocol/ids.ts';

/**
 * Runs the processes of agents so that nothing of them is left behind. Everything here can
 * be carried over a socket: an implementation may keep the processes in another program.
 */
export interface ProcessHost {
  /** Never throws: a process that could not be started has an `exited` that says why. */
  start(spec: ProcessSpec): AgentProcess;
  /** Ends what earlier runs on the same data directory left running. */
  endLeftovers(): Promise<LeftoverReport>;
  /** Ends every process, with all its descendants, and starts no more. */
  close(): Promise<void>;
}

export interface ProcessSpec {
  /** Unique for each start, also across restarts of the server. */
  id: string;
  sessionId: SessionId;
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is inherited. The host adds its own marker. */
  env: Readonly<Record<string, string>>;
}

export interface AgentProcess {
  readonly id: string;
  /** Unknown when the process could not be started. */
  readonly pid: number | undefined;
  /** Settles when the bytes are in the pipe. Never rejects: a closed pipe is a value. */
  write(data: string | Buffer): Promise<WriteOutcome>;
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
  onStderr(listener: (line: string) => void): () => void;
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

export type WriteOutcome = { ok: true } | { ok: false; code: string; message: string };

export type ProcessExit =
  | { kind: 'exited'; code: number | null; signal: string | null }
  | { kind: 'spawn-failed'; code: SpawnFailure; message: string };

export type SpawnFailure = 'not-found' | 'not-executable' | 'cwd-missing' | 'host-closed' | 'failed';

export interface LeftoverReport {
  found: number;
  /** How many of those found had to be killed because they did not end when asked. */
  killed: number;
  /** How many of those found could not be ended. */
  remaining: number;
}
