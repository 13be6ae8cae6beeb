import { StorageError } from '../engine/ports/event-log.ts';

/** One thing to write. `run` is called inside a transaction, and again if that transaction was undone. */
export interface Write<T> {
  readonly decision: boolean;
  readonly run: () => T;
}

/** Writes all or nothing: throws after it has undone everything. */
export type Transact = (writes: readonly Write<unknown>[]) => readonly unknown[];

/**
 * Gathers what is to be written during one turn of the event loop into one transaction, in the order it came.
 * `setImmediate` comes right after the turn's input was handled: later would add waiting, earlier would gather less.
 */
export class CommitQueue {
  readonly #transact: Transact;
  #waiting: Waiting[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  add<T>(write: Write<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageError('The event log is closed.'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve: (value) => resolve(value as T), reject });
      this.#scheduled ??= setImmediate(() => this.#flush());
    });
  }

  /** Writes what still waits, and takes no more. */
  close(): void {
    this.#closed = true;
    if (this.#scheduled === undefined) return;
    clearImmediate(this.#scheduled);
    this.#flush();
  }

  #flush(): void {
    const gathered = this.#waiting;
    this.#waiting = [];
    this.#scheduled = undefined;
    if (gathered.length > 1 && this.#writeTogether(gathered)) return;
    for (const waiting of gathered) this.#writeAlone(waiting);
  }

  /** False if it was undone. Then each is tried alone, so that only the one at fault fails. */
  #writeTogether(gathered: readonly Waiting[]): boolean {
    let results: readonly unknown[];
    try {
      results = this.#transact(gathered.map(({ write }) => write));
    } catch {
      return false;
    }
    for (const [index, { resolve }] of gathered.entries()) resolve(results[index]);
    return true;
  }

  #writeAlone({ write, resolve, reject }: Waiting): void {
    try {
      resolve(this.#transact([write])[0]);
    } catch (error) {
      reject(error);
    }
  }
}

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}
