import { extname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { CheckpointPass, CheckpointThreadData } from './checkpoint-thread.ts';

export interface CheckpointOptions {
  readonly path: string;
  /** The connection that writes. */
  readonly db: DatabaseSync;
  /** Called with true when nothing may be written for a moment, and with false when it is over. */
  readonly onHold: (hold: boolean) => void;
}

/**
 * Carries what is in the write-ahead log over into the database in a thread of its own, because that waits for the disk, sometimes
 * for long. While there is always something new, the thread never comes to the end; then the writer holds still once, for the
 * short rest of it, and begins the write-ahead log anew.
 */
export class Checkpoints {
  readonly #options: CheckpointOptions;
  #thread: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #pass: 'none' | 'beside the writer' | 'while it holds still' = 'none';
  #holding = false;
  #leftToSqlite = false;
  /** Written since the last pass began. */
  #pages = 0;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    options.db.exec('PRAGMA wal_autocheckpoint = 0');
  }

  /** To be told of each commit. */
  wrote(pages: number): void {
    if (this.#leftToSqlite) return;
    this.#pages += pages;
    if (this.#pass === 'none') {
      if (this.#pages >= pagesAtOnce) this.#begin();
    } else if (this.#pages >= pagesAtMost) {
      // it writes faster than the disk takes it
      this.#hold(true);
    }
  }

  async close(): Promise<void> {
    // whoever waits for this does not keep the process alive
    this.#thread?.ref();
    this.#thread?.postMessage('close');
    await this.#ended;
  }

  #begin(): void {
    this.#pass = this.#holding ? 'while it holds still' : 'beside the writer';
    this.#pages = 0;
    this.#thread ??= this.#start();
    this.#thread.postMessage('pass');
  }

  #start(): Worker {
    const workerData: CheckpointThreadData = { path: this.#options.path };
    const thread = new Worker(program, {
      workerData,
      // it says nothing; by default its output would be tied to ours, and ours changed for that
      stdout: true,
      stderr: true,
      // with the program's own flags, two threads would write their profiles into one file
      execArgv: [],
    });
    thread.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    thread.on('message', (done: CheckpointPass) => this.#passed(done));
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#leaveToSqlite();
      resolve();
    });
    return thread;
  }

  #passed({ log, checkpointed }: CheckpointPass): void {
    if (this.#pass === 'beside the writer' && (this.#holding || log >= pagesAtMost)) {
      this.#hold(true);
      this.#begin();
      return;
    }
    this.#pass = 'none';
    // a reader may have stood in the way
    this.#pages = log - checkpointed;
    this.#hold(false);
  }

  #hold(hold: boolean): void {
    if (hold === this.#holding) return;
    this.#holding = hold;
    // those who wait for it would not keep the process alive
    if (hold) this.#thread?.ref();
    else this.#thread?.unref();
    this.#options.onHold(hold);
  }

  /** Nothing is lost with the thread, only time. */
  #leaveToSqlite(): void {
    this.#leftToSqlite = true;
    this.#thread = undefined;
    if (this.#options.db.isOpen) this.#options.db.exec(`PRAGMA wal_autocheckpoint = ${pagesAtOnce}`);
    this.#hold(false);
  }
}

const pagesAtOnce = 1_000;
const pagesAtMost = 3_000;

const program = new URL(`./checkpoint-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
