import type { ChildProcess } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { RunIsolation } from '../../protocol/session.ts';
import type {
  AgentProcess,
  EarlierWrites,
  EndOptions,
  OutputReader,
  ProcessExit,
  WriteOptions,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import { AgentInput } from './agent-input.ts';
import { AgentOutput, AgentStderr } from './agent-output.ts';
import {
  agentPid,
  exitIn,
  giveUpStart,
  noteStopped,
  outputPath,
  type RunDirectory,
  sizeOf,
  wasStopped,
} from './run-directory.ts';
import type { TreeEnder, TreeRoot } from './tree-ender.ts';

const defaultGraceMs = 2_000;

export interface FileProcessParts {
  readonly run: RunDirectory;
  readonly marker: string;
  readonly ender: TreeEnder;
  /** Where to begin reading. */
  readonly from: number;
  /** The shell that holds the agent, where this program started it. */
  readonly holder?: ChildProcess | undefined;
  readonly secrets: readonly string[];
  /** How much unread output an agent may pile up before it is stopped; less than nothing: it may not print. */
  mostUnreadBytes(): number;
  /** The system does not tell when something changes: the host must look by itself. */
  onUnwatched(code: string): void;
  /** Everything about its end is on record. */
  onOver(process: FileProcess): void;
}

/** An agent whose input is a FIFO and whose output is a file: it needs no server to live. */
export class FileProcess implements AgentProcess {
  readonly id: string;
  readonly run: RunDirectory;
  readonly outlivesServer = true;
  readonly isolation: RunIsolation;
  readonly exited: Promise<ProcessExit>;
  readonly #parts: FileProcessParts;
  readonly #root: TreeRoot;
  readonly #input: AgentInput;
  readonly #output: AgentOutput;
  readonly #stderr: AgentStderr;
  readonly #settleExit: (exit: ProcessExit) => void;
  /** The process is known, or its end is. */
  readonly #begun: Promise<void>;
  readonly #settleBegun: () => void;
  #watcher: FSWatcher | undefined;
  #pid: number | undefined;
  #isStopped: boolean;
  #exit: ProcessExit | undefined;
  #treeEnded: Promise<void> | undefined;
  #isTreeEnded = false;
  #isEndTold = false;
  #storedAll = false;
  #isReleased = false;
  #killAt = Number.POSITIVE_INFINITY;

  constructor(parts: FileProcessParts) {
    const { run, marker, secrets } = parts;
    this.#parts = parts;
    this.id = run.id;
    this.run = run;
    this.isolation = run.isolation;
    this.#isStopped = wasStopped(run);
    this.#output = new AgentOutput(run, parts.from, (bytes, isDone) => this.#haveRead(bytes, isDone));
    this.#stderr = new AgentStderr(run);
    const place = () => ({ out: this.#output.position, err: this.#stderr.position });
    this.#input = new AgentInput({ run, secrets, place });
    this.#root = {
      pid: () => this.#pid,
      group: parts.holder?.pid,
      marker,
      hasExited: () => this.#exit !== undefined,
    };
    ({ promise: this.#begun, resolve: this.#settleBegun } = Promise.withResolvers<void>());
    ({ promise: this.exited, resolve: this.#settleExit } = Promise.withResolvers<ProcessExit>());
    this.#watch();
    parts.holder?.once('error', (error) => this.#sawExit(spawnFailed(error)));
    parts.holder?.once('exit', () => this.look());
    queueMicrotask(() => this.look());
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get earlierWrites(): EarlierWrites {
    return this.#input.earlierWrites;
  }

  /** Whether the system tells when something changes: it may have no watches left. */
  get isWatched(): boolean {
    return this.#watcher !== undefined;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** The end of the agent has not been told by the shell that holds it: that is gone, and so is the agent. */
  lose(message: string): void {
    this.#sawExit({ kind: 'host-lost', message });
  }

  /** Looks at everything that may have changed. Also for a notification of the file system that never came. */
  look(): void {
    if (this.#isReleased) return;
    this.#stderr.look();
    this.#begin();
    this.#output.pump();
    this.#input.look();
    if (this.#exit === undefined) {
      const exit = exitIn(this.run);
      if (exit !== undefined) this.#sawExit(exit);
    }
  }

  write(data: string | Buffer, writeId?: string, options?: WriteOptions): Promise<WriteOutcome> {
    this.#begin();
    return this.#input.write(data, writeId, options);
  }

  stored(offset: number): void {
    this.#output.giveBack(offset);
    this.#storedAll = this.#exit !== undefined && offset >= sizeOf(outputPath(this.run));
    if (this.#storedAll) this.#finish();
  }

  closeInput(): void {
    this.#input.close();
  }

  readOutput(reader: OutputReader): () => void {
    return this.#output.read(reader);
  }

  pauseOutput(): void {
    this.#output.pause();
  }

  resumeOutput(): void {
    this.#output.resume();
  }

  stderrTail(): readonly string[] {
    if (!this.#isReleased) this.#stderr.look();
    return this.#stderr.lines();
  }

  /** A second call may only shorten the time that is left. One that was let go is no longer ours to end. */
  async end({ graceMs = defaultGraceMs }: EndOptions = {}): Promise<void> {
    if (this.#isReleased) return;
    this.#killAt = Math.min(this.#killAt, performance.now() + graceMs);
    this.closeInput();
    this.#treeEnded ??= this.#endTree();
    await this.#treeEnded;
  }

  /** It goes on without this server: nothing more is heard of it, not even its end. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#watcher?.close();
    this.#input.release();
    this.#output.close();
  }

  /** Settles when what was written so far has reached the agent, or never will. */
  settled(): Promise<void> {
    return this.#input.settled();
  }

  /** An agent that prints faster than anybody reads is stopped before it fills the disk. */
  regulate(): void {
    if (this.#exit !== undefined || this.#pid === undefined || this.#isReleased) return;
    const most = this.#parts.mostUnreadBytes();
    const unread = this.#output.unreadBytes(this.#isStopped);
    const isFull = unread > most;
    if (isFull === this.#isStopped || (this.#isStopped && unread > most / 2)) return;
    this.#isStopped = isFull;
    // The next server lets it go on if this one cannot.
    noteStopped(this.run, isFull);
    void this.#parts.ender.signal(this.#root, isFull ? 'SIGSTOP' : 'SIGCONT');
  }

  async #endTree(): Promise<void> {
    if (this.#pid === undefined && this.#exit === undefined && giveUpStart(this.run)) {
      this.#sawExit({ kind: 'exited', code: null, signal: null });
    }
    // Its shell runs, and is about to start it: what is not there yet cannot be ended.
    await this.#begun;
    await this.#parts.ender.end(this.#root, () => this.#killAt);
    // The shell is about to tell how it ended.
    this.look();
    await this.exited;
    // The kernel is about to end what hid behind the walls.
    if (this.isolation === 'walls') await this.#parts.ender.end(this.#root, () => this.#killAt);
    this.#isTreeEnded = true;
    this.#output.pump();
  }

  #watch(): void {
    const unwatched = (error: NodeJS.ErrnoException): void => {
      this.#watcher?.close();
      this.#watcher = undefined;
      if (!this.#isReleased) this.#parts.onUnwatched(error.code ?? error.message);
    };
    try {
      this.#watcher = watch(join(this.run.path, 'agent'), (_kind, name) => {
        if (name === 'out') this.#output.pump();
        else if (name === 'err') this.#stderr.look();
        else this.look();
      });
      this.#watcher.on('error', unwatched);
    } catch (error) {
      unwatched(error as NodeJS.ErrnoException);
    }
  }

  /** Opens the input as soon as the agent has it open, too. */
  #begin(): void {
    if (this.#exit !== undefined || this.#pid !== undefined || this.#isReleased) return;
    this.#pid = agentPid(this.run);
    if (this.#pid === undefined) return;
    this.#settleBegun();
    this.#input.open();
  }

  #haveRead(bytes: number, isDone: boolean): void {
    if (bytes > 0 && isDone) this.#input.noteRead();
    this.regulate();
    if (isDone) this.#tellEnd();
  }

  #sawExit(exit: ProcessExit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    if (!this.#isReleased) this.#stderr.look();
    this.#stderr.end();
    this.#input.exited();
    this.#settleBegun();
    this.#settleExit(exit);
    // One that went by itself leaves its commands running: they are ended, too.
    void this.end();
  }

  #tellEnd(): void {
    if (!this.#isTreeEnded || this.#isEndTold || this.#output.isHeld) return;
    this.#isEndTold = true;
    this.#output.end();
    if (this.#storedAll) this.#finish();
  }

  #finish(): void {
    void this.#treeEnded?.then(() => {
      if (this.#isReleased) return;
      this.release();
      this.#parts.onOver(this);
    });
  }
}

const spawnFailed = (error: Error): ProcessExit => ({
  kind: 'spawn-failed',
  code: 'failed',
  message: error.message,
});
