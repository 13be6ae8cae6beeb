import type { ChildProcess } from 'node:child_process';
import { closeSync, type FSWatcher, fstatSync, openSync, readSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { RunIsolation } from '../../protocol/session.ts';
import type {
  AgentProcess,
  EarlierWrites,
  EndOptions,
  OutputReader,
  ProcessExit,
  WriteFailure,
  WriteOptions,
  WriteOutcome,
} from '../../runner/ports/process-host.ts';
import { giveBack } from './give-back.ts';
import { InputFifo } from './input-fifo.ts';
import { type LargeOutcome, LargeWrites, tellHolder, wholeBytes } from './large-writes.ts';
import {
  agentPid,
  exitIn,
  giveUpStart,
  noteStopped,
  outputPath,
  type RunDirectory,
  sizeOf,
  stderrPath,
  wasStopped,
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
/** What is left of the piece that is being filled; all agents share it, so that a thousand idle ones hold none. */
let slab = Buffer.alloc(0);
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
  readonly earlierWrites: EarlierWrites;
  readonly exited: Promise<ProcessExit>;
  readonly #parts: FileProcessParts;
  readonly #root: TreeRoot;
  readonly #journal: WriteJournal;
  readonly #large: LargeWrites;
  readonly #writes: WritesOnce;
  readonly #settleExit: (exit: ProcessExit) => void;
  /** The process is known, or its end is. */
  readonly #begun: Promise<void>;
  readonly #settleBegun: () => void;
  readonly #stderr = new StderrTail();
  #watcher: FSWatcher | undefined;
  #pid: number | undefined;
  #input: InputFifo | undefined;
  #whenOpen: (() => void)[] = [];
  #inputClosed = false;
  #output: number | undefined;
  #position: number;
  #stderrPosition = 0;
  #reader: OutputReader | undefined;
  #readerGone = false;
  #isPaused = false;
  #hasReadAll = false;
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
    this.isolation = run.isolation;
    this.#position = parts.from;
    this.#isStopped = wasStopped(run);
    this.#journal = new WriteJournal(run);
    this.#large = new LargeWrites(run);
    const { written, doubtful, large } = this.#journal.recover();
    this.#writes = new WritesOnce(written);
    const unfinished = this.#large.takeUp(large.filter(({ id }) => id === undefined || !written.has(id)));
    const certain = new Set(unfinished.flatMap(({ id }) => id ?? []));
    this.earlierWrites = {
      written: new Set([...written, ...certain]),
      doubtful: new Set([...doubtful].filter((id) => !certain.has(id))),
    };
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
    this.#stderrPosition = Math.max(0, sizeOf(stderrPath(run)) - stderrBytes);
    for (const { id, name, outcome } of unfinished) {
      const noted = this.#writes.once(id, () => this.#noteLarge(name, id, outcome));
      this.#whenOpen.push(() => void this.#input?.inTurn(() => noted));
    }
    queueMicrotask(() => this.look());
  }

  get pid(): number | undefined {
    return this.#pid;
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
    this.#readStderr();
    this.#begin();
    this.#pump();
    this.#large.look();
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
      const writeTo = (input: InputFifo) => this.#writeTo(input, bytes, writeId, announced);
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
    if (this.#pid !== undefined) this.#letInputGo();
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
    this.#hasReadAll = false;
  }

  resumeOutput(): void {
    this.#isPaused = false;
    this.#pump();
  }

  stderrTail(): readonly string[] {
    this.#readStderr();
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
    this.#large.close();
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
    // The kernel is about to end what hid behind the walls.
    if (this.isolation === 'walls') await this.#parts.ender.end(this.#root, () => this.#killAt);
    this.#isTreeEnded = true;
    this.#pump();
  }

  #watch(): void {
    const unwatched = (error: NodeJS.ErrnoException): void => {
      this.#watcher?.close();
      this.#watcher = undefined;
      if (!this.#isReleased) this.#parts.onUnwatched(error.code ?? error.message);
    };
    try {
      this.#watcher = watch(join(this.run.path, 'agent'), (_kind, name) => {
        if (name === 'out') this.#pump();
        else if (name === 'err') this.#readStderr();
        else this.look();
      });
      this.#watcher.on('error', unwatched);
    } catch (error) {
      unwatched(error as NodeJS.ErrnoException);
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
    if (this.#inputClosed) this.#letInputGo();
  }

  #letGoOfWriters(): void {
    for (const go of this.#whenOpen.splice(0)) go();
  }

  #writeTo(
    input: InputFifo,
    bytes: Buffer,
    id: string | undefined,
    announced: boolean,
  ): Promise<WriteOutcome> {
    const announce = () => {
      if (announced && id !== undefined) this.#journal.aboutToWrite(this.#place, { id });
    };
    const written = () => this.#note(bytes, id);
    if (bytes.length <= wholeBytes) {
      announce();
      return input.write(bytes, written);
    }
    return input.write(bytes, written, () => {
      const large = this.#writeLarge(bytes, id);
      if (large === undefined) announce();
      return large;
    });
  }

  /** Undefined where it cannot be left to the shell: it is gone, or the disk is full. */
  #writeLarge(bytes: Buffer, id: string | undefined): Promise<WriteOutcome> | undefined {
    const name = this.#large.layDown(bytes);
    if (name === undefined) return undefined;
    const outcome = this.#journal.aboutToWrite(this.#place, { id, name })
      ? this.#large.write(name)
      : undefined;
    if (outcome === undefined) this.#large.takeBack(name);
    return outcome && this.#noteLarge(name, id, outcome);
  }

  async #noteLarge(
    name: string,
    id: string | undefined,
    written: Promise<LargeOutcome>,
  ): Promise<WriteOutcome> {
    const outcome = await written;
    if (outcome === 'unknown') return this.#exit === undefined ? { ...gone, uncertain: true } : gone;
    if (outcome !== 'failed') this.#note(outcome, id);
    this.#large.forget(name);
    return outcome === 'failed' ? gone : { ok: true };
  }

  #note(bytes: Buffer, id: string | undefined): void {
    this.#journal.wrote(withoutSecrets(bytes, this.#parts.secrets), this.#place, id);
  }

  get #place(): { readonly out: number; readonly err: number } {
    return { out: this.#position, err: this.#stderrPosition };
  }

  /** The shell that keeps the input open ends: with our own end closed, the agent reads the end of its input. */
  #letInputGo(): void {
    const letGo = () => void tellHolder(this.run, '');
    if (this.#input === undefined) letGo();
    else void this.#input.close().then(letGo);
  }

  #pump(): void {
    if (this.#isReadingOn || this.#isReleased) return;
    let read = 0;
    while (this.#reader !== undefined && !this.#isPaused && !this.#isReleased) {
      if (read >= mostBytesAtOnce) {
        this.regulate();
        this.#isReadingOn = true;
        setImmediate(() => {
          this.#isReadingOn = false;
          this.#pump();
        });
        return;
      }
      const { chunk, isLast } = this.#next();
      this.#hasReadAll = isLast;
      const offset = this.#position;
      this.#position += chunk.length;
      read += chunk.length;
      if (chunk.length > 0) this.#reader.chunk(chunk, offset);
      if (isLast) break;
    }
    if (read > 0) this.#journal.read(this.#place);
    this.regulate();
    this.#tellEnd();
  }

  /** Less than was asked for is all there is: what is printed after that is told by the next notification. */
  #next(): { readonly chunk: Buffer; readonly isLast: boolean } {
    try {
      this.#output ??= openSync(outputPath(this.run), 'r');
      if (slab.length < slabBytes / 8) slab = Buffer.allocUnsafeSlow(slabBytes);
      const length = readSync(this.#output, slab, 0, slab.length, this.#position);
      const isLast = length < slab.length;
      const chunk = slab.subarray(0, length);
      slab = slab.subarray(length);
      return { chunk, isLast };
    } catch {
      return { chunk: Buffer.alloc(0), isLast: true };
    }
  }

  /** An agent that prints faster than anybody reads is stopped before it fills the disk. */
  regulate(): void {
    if (this.#exit !== undefined || this.#pid === undefined || this.#isReleased) return;
    const most = this.#parts.mostUnreadBytes();
    const unread = this.#unreadBytes();
    const isFull = unread > most;
    if (isFull === this.#isStopped || (this.#isStopped && unread > most / 2)) return;
    this.#isStopped = isFull;
    // The next server lets it go on if this one cannot.
    noteStopped(this.run, isFull);
    void this.#parts.ender.signal(this.#root, isFull ? 'SIGSTOP' : 'SIGCONT');
  }

  #unreadBytes(): number {
    if (this.#output === undefined) return sizeOf(outputPath(this.run)) - this.#position;
    return this.#hasReadAll && !this.#isStopped ? 0 : fstatSync(this.#output).size - this.#position;
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
    this.#large.close();
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

const gone: WriteFailure = { ok: false, code: 'EPIPE', message: 'The process does not read its input' };

const spawnFailed = (error: Error): ProcessExit => ({
  kind: 'spawn-failed',
  code: 'failed',
  message: error.message,
});
