import { close, fdatasync, openSync } from 'node:fs';
import { StorageError } from '../engine/ports/event-log.ts';
import { storageFailure } from './storage-report.ts';

/** Waits until the disk itself has everything that was written to a file so far. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void;

/**
 * Waits for the disk without keeping anyone else waiting: a commit leaves its bytes with the operating system, which is enough to
 * survive the death of this process; to survive a power cut they must also have reached the disk.
 */
export class Disk {
  readonly #file: string;
  readonly #sync: SyncFile;
  #descriptor: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: StorageError | undefined;

  constructor(file: string, sync: SyncFile = fdatasync) {
    this.#file = file;
    this.#sync = sync;
  }

  /** Why nothing more can be kept safe, if that is so. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** Settles when what is written now has reached the disk. A sync that is under way may have missed it: the next has it. */
  reached(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#syncOnce();
      return this.#running;
    }
    this.#next ??= this.#running.then(
      () => this.#goOn(),
      () => this.#goOn(),
    );
    return this.#next;
  }

  /** After the last sync. */
  async close(): Promise<void> {
    await (this.#next ?? this.#running)?.catch(() => undefined);
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    await new Promise((resolve) => close(descriptor, resolve));
  }

  #goOn(): Promise<void> {
    this.#next = undefined;
    this.#running = this.#syncOnce();
    return this.#running;
  }

  async #syncOnce(): Promise<void> {
    try {
      // Asking again would not tell: the system forgets what it could not write, and then says that all is well.
      if (this.#failure !== undefined) throw this.#failure;
      await this.#wait();
    } catch (error) {
      this.#failure ??= new StorageError(
        `The database ${this.#file} cannot be relied on until Beckon is started again: the disk did not confirm a write.`,
        { cause: storageFailure(this.#file, error), problem: 'disk-error' },
      );
      throw this.#failure;
    } finally {
      if (this.#next === undefined) this.#running = undefined;
    }
  }

  #wait(): Promise<void> {
    // for writing, because Windows syncs nothing else
    this.#descriptor ??= openSync(`${this.#file}-wal`, 'r+');
    const descriptor = this.#descriptor;
    return new Promise((resolve, reject) => {
      this.#sync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
