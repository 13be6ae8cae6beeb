import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** `disk`: the disk itself has it. `process`: it survives the death of this process, not a power cut. */
export type Durable = 'disk' | 'process';

/** Runs work in transactions of one database, each as durable as it must be. */
export class Transactions {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #durable: Durable | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  run<T>(durable: Durable, work: () => T): T {
    this.#require(durable);
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      // some failures, such as a full disk, have ended the transaction already
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** With a write-ahead log, FULL waits for the disk at every commit, and so for all commits before it; NORMAL does not wait. */
  #require(durable: Durable): void {
    if (this.#durable === durable) return;
    this.#db.exec(`PRAGMA synchronous = ${durable === 'disk' ? 'FULL' : 'NORMAL'}`);
    this.#durable = durable;
  }
}
