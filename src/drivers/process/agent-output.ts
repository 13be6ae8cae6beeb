import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputReader } from '../../runner/ports/process-host.ts';
import { outputPath, type RunDirectory, sizeOf, stderrPath } from './run-directory.ts';
import { StderrTail } from './stderr-tail.ts';

/** Pieces of what is read at once. Output that is left over waits for the next turn of the event loop. */
const slabBytes = 64 * 1024;
const mostBytesAtOnce = 4 * slabBytes;
/** What is left of the piece that is being filled; all agents share it, so that a thousand idle ones hold none. */
let slab = Buffer.alloc(0);
const keptBytes = 8 * 1024 * 1024;
const blockBytes = 4096;

/** The output of an agent on a file: passed on as it grows, and given back to the disk when it is stored. */
export class AgentOutput {
  readonly #run: RunDirectory;
  /** Called after each bout of reading; `isDone` when there is no more for now. */
  readonly #onRead: (bytes: number, isDone: boolean) => void;
  #file: number | undefined;
  #position: number;
  #reader: OutputReader | undefined;
  #readerGone = false;
  #isPaused = false;
  #hasReadAll = false;
  #isReadingOn = false;
  #isClosed = false;
  #givenBack = 0;

  constructor(run: RunDirectory, from: number, onRead: (bytes: number, isDone: boolean) => void) {
    this.#run = run;
    this.#position = from;
    this.#onRead = onRead;
  }

  get position(): number {
    return this.#position;
  }

  /** Nobody takes it now. */
  get isHeld(): boolean {
    return this.#reader === undefined || this.#isPaused;
  }

  read(reader: OutputReader): () => void {
    if (this.#reader || this.#readerGone)
      throw new Error(`The output of ${this.#run.id} has a reader already`);
    this.#reader = reader;
    queueMicrotask(() => this.pump());
    return () => {
      this.#reader = undefined;
      this.#readerGone = true;
      this.pump();
    };
  }

  pause(): void {
    this.#isPaused = true;
    this.#hasReadAll = false;
  }

  resume(): void {
    this.#isPaused = false;
    this.pump();
  }

  /** Tells the reader that nothing more comes. */
  end(): void {
    this.#reader?.end();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  pump(): void {
    if (this.#isReadingOn || this.#isClosed) return;
    let read = 0;
    while (this.#reader !== undefined && !this.#isPaused && !this.#isClosed) {
      if (read >= mostBytesAtOnce) {
        this.#onRead(read, false);
        this.#isReadingOn = true;
        setImmediate(() => {
          this.#isReadingOn = false;
          this.pump();
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
    this.#onRead(read, true);
  }

  /** What of it nobody has read; of one that was stopped the file itself must be looked at. */
  unreadBytes(isStopped: boolean): number {
    if (this.#file === undefined) return sizeOf(outputPath(this.#run)) - this.#position;
    return this.#hasReadAll && !isStopped ? 0 : fstatSync(this.#file).size - this.#position;
  }

  /** What is stored need not be kept twice, but for its end, which tells people what the agent really said. */
  giveBack(stored: number): void {
    const before = Math.min(stored, this.#position) - keptBytes;
    if (before - this.#givenBack < keptBytes) return;
    this.#givenBack = before - (before % blockBytes);
    punchHole(this.#run, this.#givenBack);
  }

  /** Less than was asked for is all there is: what is printed after that is told by the next notification. */
  #next(): { readonly chunk: Buffer; readonly isLast: boolean } {
    try {
      this.#file ??= openSync(outputPath(this.#run), 'r');
      if (slab.length < slabBytes / 8) slab = Buffer.allocUnsafeSlow(slabBytes);
      const length = readSync(this.#file, slab, 0, slab.length, this.#position);
      const isLast = length < slab.length;
      const chunk = slab.subarray(0, length);
      slab = slab.subarray(length);
      return { chunk, isLast };
    } catch {
      return { chunk: Buffer.alloc(0), isLast: true };
    }
  }
}

/**
 * Gives the space of the first `bytes` of a run's output back to the disk. Offsets stay as they are: the file gets a hole. Only
 * Linux has a program for it; elsewhere the file grows until the run is over.
 */
function punchHole(run: RunDirectory, bytes: number): void {
  const hole = ['--punch-hole', '--offset', '0', '--length', String(bytes), outputPath(run)];
  const puncher = spawn('fallocate', hole, { stdio: 'ignore' });
  puncher.once('error', () => {});
  puncher.once('exit', (code) => {
    if (code !== 0) return;
    try {
      writeFileSync(join(run.path, 'given-back'), String(bytes), { mode: 0o600 });
    } catch {
      // The run is over and its directory elsewhere, or the disk is full: then zeroes are read where the hole is.
    }
  });
}

/** How much of the beginning of the output is no longer on the disk. */
export function givenBack({ path }: Pick<RunDirectory, 'path'>): number {
  try {
    return Number(readFileSync(join(path, 'given-back'), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

/** Of a stderr that grew while nobody read it only the end is wanted. */
const stderrBytes = 256 * 1024;

/** The last words of an agent on a file. */
export class AgentStderr {
  readonly #path: string;
  readonly #tail = new StderrTail();
  #position: number;

  constructor(run: RunDirectory) {
    this.#path = stderrPath(run);
    this.#position = Math.max(0, sizeOf(this.#path) - stderrBytes);
  }

  get position(): number {
    return this.#position;
  }

  lines(): readonly string[] {
    return this.#tail.lines();
  }

  end(): void {
    this.#tail.end();
  }

  look(): void {
    let file: number | undefined;
    try {
      const size = sizeOf(this.#path);
      if (size <= this.#position) return;
      this.#position = Math.max(this.#position, size - stderrBytes);
      file = openSync(this.#path, 'r');
      const bytes = Buffer.alloc(size - this.#position);
      const length = readSync(file, bytes, 0, bytes.length, this.#position);
      this.#position += length;
      this.#tail.feed(bytes.subarray(0, length));
    } catch {
      // It is only for people to read.
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}
