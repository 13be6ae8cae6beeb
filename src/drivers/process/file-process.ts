import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  openSync,
  readSync,
  watch,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type {
  AgentProcess,
  EarlierWrites,
  EndOptions,
  OutputReader,
  ProcessExit,
  WriteOptions,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import { giveBack } from './give-back.ts';
import { InputFifo } from './input-fifo.ts';
import {
  agentPid,
  exitIn,
  giveUpStart,
  outputPath,
  type RunDirectory,
  sizeOf,
  stderrPath,
} from './run-directory.ts';
import { StderrTail } from './stderr-tail.ts';
import type { TreeEnder, TreeRoot } from './tree-ender.ts';
import { withoutSecrets } from './without-secrets.ts';
import { WriteJournal } from './write-journal.ts';
import { WritesOnce } from './writes-once.ts';

const defaultGraceMs = 2_000;
/** Pieces of what is read at once. Output that is left over waits for the next turn of the event loop. */
const slabBytes = 64 * 1024;
const mostBytesAtOnce = 4 * slabBytes;
/** Of a stderr that grew while nobody read it only the end is wanted. */
const stderrBytes = 256 * 1024;
const keptBytes = 8 * 1024 * 1024;
const blockBytes = 4096;

export interface FileProcessParts {
  readonly run: RunDirectory;
  readonly marker: string;
  readonly ender: TreeEnder;
  /** Where to begin reading. */
  readonly from: number;
  /** The shell that holds the agent, where this program started it. */
  readonly holder?: ChildProcess | undefined;
  readonly secrets: readonly string[];
  /** How much unread output an agent may pile up before it is stopped. */
  readonly mostUnreadBytes: number;
  /** Everything about its end is on record. */
  onOver(process: FileProcess): void;
}

/** An agent whose input is a FIFO and whose output is a file: it needs no server to live. */
export class FileProcess implements AgentProcess {
  readonly id: string;
  readonly run: RunDirectory;
  readonly outlivesServer = true;
  readonly isIsolated: boolean;
  readonly earlierWrites: EarlierWrites;
  readonly exited: Promise<ProcessExit>;
  readonly #parts: FileProcessParts;
  readonly #root: TreeRoot;
  readonly #journal: WriteJournal;
  readonly #writes: WritesOnce;
  readonly #settleExit: (exit: ProcessExit) => void;
  /** The process is known, or its end is. */
  readonly #begun: Promise<void>;
  readonly #settleBegun: () => void;
  readonly #stderr = new StderrTail();
  readonly #watcher: FSWatcher | undefined;
  #pid: number | undefined;
  #input: InputFifo | undefined;
  #whenOpen: (() => void)[] = [];
  #inputClosed = false;
  #output: number | undefined;
  #slab = Buffer.alloc(0);
  #position: number;
  #stderrPosition = 0;
  #reader: OutputReader | undefined;
  #readerGone = false;
  #isPaused = false;
  #isReadingOn = false;
  #isStopped = false;
  #exit: ProcessExit | undefined;
  #treeEnded: Promise<void> | undefined;
  #isTreeEnded = false;
  #isEndTold = false;
  #storedAll = false;
  #isReleased = false;
  #givenBack = 0;
  #killAt = Number.POSITIVE_INFINITY;

  constructor(parts: FileProcessParts) {
    const { run, marker } = parts;
    this.#parts = parts;
    this.id = run.id;
    this.run = run;
    this.isIsolated = run.isIsolated;
    this.#position = parts.from;
    this.#journal = new WriteJournal(run);
    this.earlierWrites = this.#journal.recover();
    this.#writes = new WritesOnce(this.earlierWrites.written);
    this.#root = {
      pid: () => this.#pid,
      group: parts.holder?.pid,
      marker,
      hasExited: () => this.#exit !== undefined,
    };
    ({ promise: this.#begun, resolve: this.#settleBegun } = Promise.withResolvers<void>());
    ({ promise: this.exited, resolve: this.#settleExit } = Promise.withResolvers<ProcessExit>());
    this.#watcher = this.#watch();
    parts.holder?.once('error', (error) => this.#sawExit(spawnFailed(error)));
    parts.holder?.once('exit', () => this.look());
    this.#stderrPosition = Math.max(0, sizeOf(stderrPath(run)) - stderrBytes);
    queueMicrotask(() => this.look());
  }

  get pid(): number | undefined {
    return this.#pid;
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
    this.#readStderr();
    this.#begin();
    this.#pump();
    if (this.#exit === undefined) {
      const exit = exitIn(this.run);
      if (exit !== undefined) this.#sawExit(exit);
    }
  }

  write(
    data: string | Buffer,
    writeId?: string,
    { announced = false }: WriteOptions = {},
  ): Promise<WriteOutcome> {
    return this.#writes.once(writeId, () => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const writeTo = (input: InputFifo) => {
        if (announced && writeId !== undefined) this.#journal.aboutToWrite(this.#place, writeId);
        return this.#writeTo(input, bytes, writeId);
      };
      if (this.#input !== undefined) return writeTo(this.#input);
      const isOver = this.#exit !== undefined || this.#inputClosed || this.#isReleased;
      if (isOver || this.#pid !== undefined) return Promise.resolve(gone);
      return new Promise((resolve) => {
        this.#whenOpen.push(() => {
          if (this.#input === undefined) resolve(gone);
          else void writeTo(this.#input).then(resolve);
        });
        this.#begin();
      });
    });
  }

  stored(offset: number): void {
    this.#giveBack(offset);
    this.#storedAll = this.#exit !== undefined && offset >= sizeOf(outputPath(this.run));
    if (this.#storedAll) this.#finish();
  }

  closeInput(): void {
    if (this.#inputClosed) return;
    this.#inputClosed = true;
    // Let go before the agent has opened it, the input would have no writer, and the agent would wait for one for ever.
    if (this.#pid === undefined) return;
    this.#input?.close();
    this.#letInputGo();
  }

  readOutput(reader: OutputReader): () => void {
    if (this.#reader || this.#readerGone) throw new Error(`The output of ${this.id} has a reader already`);
    this.#reader = reader;
    queueMicrotask(() => this.#pump());
    return () => {
      this.#reader = undefined;
      this.#readerGone = true;
      this.#pump();
    };
  }

  pauseOutput(): void {
    this.#isPaused = true;
  }

  resumeOutput(): void {
    this.#isPaused = false;
    this.#pump();
  }

  stderrTail(): readonly string[] {
    this.#readStderr();
    return this.#stderr.lines();
  }

  onStderr(listener: (line: string) => void): () => void {
    return this.#stderr.listen(listener);
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
    this.#letGoOfWriters();
    this.#input?.destroy();
    this.#closeFiles();
  }

  /** Settles when what was written so far has reached the agent, or never will. */
  async settled(): Promise<void> {
    await this.#writes.settled();
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
    this.#isTreeEnded = true;
    this.#pump();
  }

  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(join(this.run.path, 'agent'), (_kind, name) => {
        if (name === 'out') this.#pump();
        else if (name === 'err') this.#readStderr();
        else this.look();
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      // The system has no watches left: the host looks now and then.
      return undefined;
    }
  }

  /** Opens the input as soon as the agent has it open, too. */
  #begin(): void {
    if (this.#exit !== undefined || this.#pid !== undefined) return;
    this.#pid = agentPid(this.run);
    if (this.#pid === undefined) return;
    this.#settleBegun();
    this.#openInput();
  }

  #openInput(): void {
    this.#input = InputFifo.open(join(this.run.path, 'in'));
    this.#letGoOfWriters();
    if (this.#inputClosed) {
      this.#input?.close();
      this.#letInputGo();
    }
  }

  #letGoOfWriters(): void {
    for (const go of this.#whenOpen.splice(0)) go();
  }

  #writeTo(input: InputFifo, bytes: Buffer, writeId: string | undefined): Promise<WriteOutcome> {
    return input.write(bytes, () =>
      this.#journal.wrote(withoutSecrets(bytes, this.#parts.secrets), this.#place, writeId),
    );
  }

  get #place(): { readonly out: number; readonly err: number } {
    return { out: this.#position, err: this.#stderrPosition };
  }

  /** The shell that keeps the input open ends: with our own end closed, the agent reads the end of its input. */
  #letInputGo(): void {
    try {
      const fd = openSync(join(this.run.path, 'hold'), constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(fd, '\n');
      closeSync(fd);
    } catch {
      // It has let go already.
    }
  }

  #pump(): void {
    if (this.#isReadingOn || this.#isReleased) return;
    let read = 0;
    while (this.#reader !== undefined && !this.#isPaused && !this.#isReleased) {
      if (read >= mostBytesAtOnce) {
        this.#isReadingOn = true;
        setImmediate(() => {
          this.#isReadingOn = false;
          this.#pump();
        });
        return;
      }
      const chunk = this.#next();
      if (chunk === undefined) break;
      const offset = this.#position;
      this.#position += chunk.length;
      read += chunk.length;
      this.#reader.chunk(chunk, offset);
    }
    if (read > 0) this.#journal.read(this.#place);
    this.#regulate();
    this.#tellEnd();
  }

  #next(): Buffer | undefined {
    try {
      this.#output ??= openSync(outputPath(this.run), 'r');
      if (this.#slab.length < slabBytes / 8) this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      const length = readSync(this.#output, this.#slab, 0, this.#slab.length, this.#position);
      if (length === 0) return undefined;
      const chunk = this.#slab.subarray(0, length);
      this.#slab = this.#slab.subarray(length);
      return chunk;
    } catch {
      return undefined;
    }
  }

  /** An agent that prints faster than anybody reads is stopped before it fills the disk. */
  #regulate(): void {
    if (this.#exit !== undefined || this.#pid === undefined) return;
    const unread = this.#unreadBytes();
    const isFull = unread > this.#parts.mostUnreadBytes;
    if (isFull === this.#isStopped || (this.#isStopped && unread > this.#parts.mostUnreadBytes / 2)) return;
    this.#isStopped = isFull;
    void this.#parts.ender.signal(this.#root, isFull ? 'SIGSTOP' : 'SIGCONT');
  }

  #unreadBytes(): number {
    if (this.#output === undefined) return sizeOf(outputPath(this.run)) - this.#position;
    return this.#isPaused || this.#isStopped ? fstatSync(this.#output).size - this.#position : 0;
  }

  /** What is stored need not be kept twice, but for its end, which tells people what the agent really said. */
  #giveBack(stored: number): void {
    const before = Math.min(stored, this.#position) - keptBytes;
    if (before - this.#givenBack < keptBytes) return;
    this.#givenBack = before - (before % blockBytes);
    giveBack(this.run, this.#givenBack);
  }

  #readStderr(): void {
    if (this.#isReleased) return;
    let file: number | undefined;
    try {
      const size = sizeOf(stderrPath(this.run));
      if (size <= this.#stderrPosition) return;
      this.#stderrPosition = Math.max(this.#stderrPosition, size - stderrBytes);
      file = openSync(stderrPath(this.run), 'r');
      const bytes = Buffer.alloc(size - this.#stderrPosition);
      const length = readSync(file, bytes, 0, bytes.length, this.#stderrPosition);
      this.#stderrPosition += length;
      this.#stderr.feed(bytes.subarray(0, length));
    } catch {
      // It is only for people to read.
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #sawExit(exit: ProcessExit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#readStderr();
    this.#stderr.end();
    this.#letGoOfWriters();
    this.#input?.destroy();
    this.#settleBegun();
    this.#settleExit(exit);
    // One that went by itself leaves its commands running: they are ended, too.
    void this.end();
  }

  #tellEnd(): void {
    if (!this.#isTreeEnded || this.#isEndTold || this.#reader === undefined || this.#isPaused) return;
    this.#isEndTold = true;
    this.#reader.end();
    if (this.#storedAll) this.#finish();
  }

  #finish(): void {
    void this.#treeEnded?.then(() => {
      if (this.#isReleased) return;
      this.release();
      this.#parts.onOver(this);
    });
  }

  #closeFiles(): void {
    this.#journal.close();
    if (this.#output !== undefined) closeSync(this.#output);
    this.#output = undefined;
  }
}

const gone: WriteOutcome = { ok: false, code: 'EPIPE', message: 'The process does not read its input' };

const spawnFailed = (error: Error): ProcessExit => ({
  kind: 'spawn-failed',
  code: 'failed',
  message: error.message,
});
