import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunIsolation } from '../../protocol/session.ts';
import type {
  AgentProcess,
  EarlierWrites,
  EndOptions,
  OutputReader,
  ProcessExit,
  ProcessSpec,
  SpawnFailure,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import type { RawDirection } from '../../runner/ports/raw-log.ts';
import { InputPipe } from './input-pipe.ts';
import { StderrTail } from './stderr-tail.ts';
import type { TreeEnder } from './tree-ender.ts';
import { WritesOnce } from './writes-once.ts';

const defaultGraceMs = 2_000;
const lastOutputMs = 250;
const pieceBytes = 16 * 1024;

export interface LocalProcessParts {
  readonly marker: string;
  readonly ender: TreeEnder;
  readonly isolation: RunIsolation;
  onRaw(direction: RawDirection, chunk: Buffer): void;
}

/** A child of this program, in a process group of its own. */
export class LocalProcess implements AgentProcess {
  readonly id: string;
  readonly pid: number | undefined;
  readonly outlivesServer = false;
  readonly isolation: RunIsolation;
  readonly earlierWrites = noWrites;
  readonly exited: Promise<ProcessExit>;
  /** Settles when the process and all its descendants are gone and its output is read. */
  readonly finished: Promise<void>;
  readonly #ender: TreeEnder;
  readonly #onRaw: LocalProcessParts['onRaw'];
  readonly #marker: string;
  readonly #input: InputPipe | undefined;
  readonly #writes = new WritesOnce();
  readonly #stdout: Readable | undefined;
  readonly #stderr = new StderrTail();
  readonly #stderrRead: Promise<void>;
  #reader: OutputReader | undefined;
  #readerGone = false;
  #isPaused = false;
  #offset = 0;
  #outputEnded = false;
  #isEndTold = false;
  #hasExited = false;
  #killAt = Number.POSITIVE_INFINITY;
  #ending: Promise<void> | undefined;

  constructor(
    spec: ProcessSpec,
    child: ChildProcess,
    { marker, ender, isolation, onRaw }: LocalProcessParts,
  ) {
    this.isolation = isolation;
    this.id = spec.id;
    this.pid = child.pid;
    this.#marker = marker;
    this.#ender = ender;
    this.#onRaw = onRaw;
    this.#input = child.stdin ? new InputPipe(child.stdin) : undefined;
    this.#stdout = child.stdout ?? undefined;
    this.exited = exitOf(child, spec).then((exit) => {
      this.#hasExited = true;
      return exit;
    });
    child.stderr?.on('data', (chunk: Buffer) => onRaw('err', chunk));
    this.#stderrRead = readStderr(child, this.#stderr);
    // Not read by 'data' events: node sets those going by itself when a child exits, paused or not.
    this.#stdout?.on('readable', () => this.#pump());
    this.#stdout?.on('error', () => {});
    this.#stdout?.once('close', () => this.#endOutput());
    this.finished = this.exited.then(() => this.#finish(child));
  }

  write(data: string | Buffer, writeId?: string): Promise<WriteOutcome> {
    return this.#writes.once(writeId, () => {
      if (!this.#input) return Promise.resolve(notStarted);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      this.#onRaw('in', bytes);
      return this.#input.write(bytes);
    });
  }

  /** The pipe is read once: what was read cannot be asked for again. */
  stored(): void {}

  closeInput(): void {
    this.#input?.close();
  }

  readOutput(reader: OutputReader): () => void {
    if (this.#reader || this.#readerGone) throw new Error(`The output of ${this.id} has a reader already`);
    this.#reader = reader;
    queueMicrotask(() => (this.#outputEnded ? this.#tellEnd() : this.#pump()));
    return () => this.#dropReader();
  }

  pauseOutput(): void {
    this.#isPaused = true;
  }

  resumeOutput(): void {
    this.#isPaused = false;
    this.#pump();
  }

  stderrTail(): readonly string[] {
    return this.#stderr.lines();
  }

  /** A second call may only shorten the time that is left. */
  end({ graceMs = defaultGraceMs }: EndOptions = {}): Promise<void> {
    this.#killAt = Math.min(this.#killAt, performance.now() + graceMs);
    this.closeInput();
    this.#ending ??= this.#endTree();
    return this.#ending;
  }

  async #endTree(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    const root = { pid: () => pid, group: pid, marker: this.#marker, hasExited: () => this.#hasExited };
    await this.#ender.end(root, () => this.#killAt);
    await this.exited;
    // The kernel is about to end what hid behind the walls.
    if (this.isolation === 'walls') await this.#ender.end(root, () => this.#killAt);
    // Its last words tell why it went; they may still be in the pipe.
    await Promise.race([this.#stderrRead, delay(lastOutputMs)]);
  }

  /** A process that went by itself leaves its commands running: they are ended, too. */
  async #finish(child: ChildProcess): Promise<void> {
    const asked = this.#ending !== undefined;
    await this.end();
    if (asked && !this.#reader) this.#dropReader();
    await this.#lastOutput();
    // A stranger that took over our pipes keeps them open; nothing it writes is the agent's.
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.stdin?.destroy();
  }

  async #lastOutput(): Promise<void> {
    while (!this.#outputEnded) {
      const before = this.#offset;
      await delay(lastOutputMs);
      if (!this.#isHeld() && this.#offset === before) return;
    }
  }

  #isHeld(): boolean {
    return !this.#readerGone && (this.#isPaused || this.#reader === undefined);
  }

  #pump(): void {
    while (!this.#isHeld()) {
      const chunk = this.#nextPiece();
      if (chunk === null) return;
      const offset = this.#offset;
      this.#offset += chunk.length;
      this.#onRaw('out', chunk);
      this.#reader?.chunk(chunk, offset);
    }
  }

  /** In pieces, so that a reader which has had enough after the first thousand lines is not given the rest of them. */
  #nextPiece(): Buffer | null {
    const waiting = this.#stdout?.readableLength ?? 0;
    return this.#stdout?.read(waiting === 0 ? undefined : Math.min(waiting, pieceBytes)) ?? null;
  }

  #dropReader(): void {
    this.#reader = undefined;
    this.#readerGone = true;
    // A process must not hang on a full pipe that nobody reads any more.
    this.#pump();
  }

  #endOutput(): void {
    this.#outputEnded = true;
    this.#tellEnd();
  }

  #tellEnd(): void {
    if (this.#isEndTold) return;
    this.#isEndTold = this.#reader !== undefined;
    this.#reader?.end();
  }
}

/** A process that never came to be; it has all a process has, and is over already. */
export function failedProcess(spec: ProcessSpec, exit: ProcessExit): AgentProcess {
  return {
    id: spec.id,
    pid: undefined,
    outlivesServer: false,
    isolation: 'none',
    earlierWrites: noWrites,
    exited: Promise.resolve(exit),
    write: async () => notStarted,
    stored() {},
    closeInput() {},
    readOutput(reader) {
      let attached = true;
      queueMicrotask(() => attached && reader.end());
      return () => {
        attached = false;
      };
    },
    pauseOutput() {},
    resumeOutput() {},
    stderrTail: () => [],
    async end() {},
  };
}

export function spawnFailure(error: NodeJS.ErrnoException, spec: ProcessSpec): ProcessExit {
  return { kind: 'spawn-failed', code: failureCode(error, spec), message: error.message };
}

const noWrites: EarlierWrites = { written: new Set(), doubtful: new Set() };

const notStarted: WriteOutcome = { ok: false, code: 'not-started', message: 'The process was not started' };

function exitOf(child: ChildProcess, spec: ProcessSpec): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ kind: 'exited', code, signal }));
    // Also emitted for a signal that could not be sent; only a child without a pid never ran.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(spawnFailure(error, spec));
    });
  });
}

function readStderr({ stderr }: ChildProcess, tail: StderrTail): Promise<void> {
  return new Promise((resolve) => {
    if (!stderr) resolve();
    stderr?.on('data', (chunk: Buffer) => tail.feed(chunk));
    stderr?.on('error', () => {});
    stderr?.on('close', () => {
      tail.end();
      resolve();
    });
  });
}

function failureCode(error: NodeJS.ErrnoException, spec: ProcessSpec): SpawnFailure {
  // A missing directory is reported by the system as if the program were missing.
  if (!existsSync(spec.cwd)) return 'cwd-missing';
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'not-found';
    case 'EACCES':
    case 'ENOEXEC':
      return 'not-executable';
    default:
      return 'failed';
  }
}
