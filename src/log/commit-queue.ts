import { StorageError } from '../engine/ports/event-log.ts';

/** Writes all or nothing: throws after it has undone everything. */
export type Transact<W, T> = (writes: readonly W[]) => readonly T[];

/**
 * Gathers what is to be written during one turn of the event loop into one transaction, in the order it came.
 * `setImmediate` comes right after the turn's input was handled: later would add waiting, earlier would gather less.
 */
export class CommitQueue<W, T> {
  readonly #transact: Transact<W, T>;
  #waiting: Waiting<W, T>[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #held = false;
  #closed = false;

  constructor(transact: Transact<W, T>) {
    this.#transact = transact;
  }

  add(write: W): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageError('The event log is closed.'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#schedule();
    });
  }

  /** Lets everything wait until it is released. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Writes what still waits, and takes no more. */
  close(): void {
    this.#closed = true;
    this.#held = false;
    clearImmediate(this.#scheduled);
    this.#flush();
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = undefined;
    if (this.#held) return;
    const gathered = this.#waiting;
    this.#waiting = [];
    if (gathered.length > 1 && this.#writeTogether(gathered)) return;
    for (const waiting of gathered) this.#writeAlone(waiting);
  }

  /** False if it was undone. Then each is tried alone, so that only the one at fault fails. */
  #writeTogether(gathered: readonly Waiting<W, T>[]): boolean {
    let results: readonly T[];
    try {
      results = this.#transact(gathered.map(({ write }) => write));
    } catch {
      return false;
    }
    // one result for each
    for (const [index, { resolve }] of gathered.entries()) resolve(results[index] as T);
    return true;
  }

  #writeAlone({ write, resolve, reject }: Waiting<W, T>): void {
    try {
      resolve(this.#transact([write])[0] as T);
    } catch (error) {
      reject(error);
    }
  }
}

interface Waiting<W, T> {
  readonly write: W;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}
