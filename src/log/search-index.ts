import type { DatabaseSync } from 'node:sqlite';
import type { StoredEvent } from './prepare.ts';
import { searchTextOfStored } from './search.ts';
import type { Transactions } from './transactions.ts';

/**
 * Takes in the words of the events, for FTS5. It follows the log a moment later, in small steps: indexing inside each append
 * would make some of them wait tens of milliseconds for the index to be merged.
 */
export class SearchIndex {
  readonly #transactions: Transactions;
  readonly #sql: ReturnType<typeof statementsOf>;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: DatabaseSync, transactions: Transactions) {
    this.#transactions = transactions;
    this.#sql = statementsOf(db);
  }

  /** Takes in what is new, soon. */
  follow(): void {
    this.#followIn(pauseMs);
  }

  /** What it holds of a stream, for `forget`. */
  entriesOf(stream: number): readonly number[] {
    return (this.#sql.entriesOf.all(stream, stream) as unknown as { id: number }[]).map(({ id }) => id);
  }

  /** Inside the transaction that removes their events, and after it: on a full disk these make the room that this needs. */
  forget(entries: readonly number[]): void {
    for (const entry of entries) this.#sql.remove.run(entry);
  }

  /** Takes in what it can without keeping everyone waiting. */
  catchUp(): void {
    const patienceEnds = performance.now() + patienceMs;
    while (performance.now() < patienceEnds && this.#tryStep() === 'more');
  }

  close(): void {
    this.stop();
    this.catchUp();
  }

  /** Leaves the rest to another. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #followIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#tryStep() === 'more') this.#followIn(shortPauseMs);
    }, ms).unref();
  }

  /** A disk that takes no more stops the index, not the search: what it has can still be found. */
  #tryStep(): 'more' | 'done' {
    try {
      if (this.#sql.next.get() === undefined) return 'done';
      return this.#transactions.run(() => this.#step()) ? 'more' : 'done';
    } catch {
      return 'done';
    }
  }

  /** Whether it stopped because it had enough for once: a little that came just now can wait for more. */
  #step(): boolean {
    let characters = 0;
    let indexed = 0;
    for (const row of this.#sql.following.iterate()) {
      const { id, ...stored } = row as unknown as StoredEvent & { id: number };
      const text = searchTextOfStored(stored);
      this.#sql.add.run(id, text);
      indexed = id;
      characters += text.length;
      if (characters >= charactersAtOnce) break;
    }
    this.#sql.advance.run(indexed);
    this.#sql.merge.run(pagesMergedAtOnce);
    return characters >= charactersAtOnce;
  }
}

/** Less than a millisecond's work each, so that no append waits longer for it. */
const charactersAtOnce = 4_000;
const pagesMergedAtOnce = 16;
/** Few and full steps cost far less than many small ones; a search does not wait for them, but has what is missing taken in first. */
const pauseMs = 1_000;
const shortPauseMs = 5;
const patienceMs = 250;

const statementsOf = (db: DatabaseSync) => ({
  next: db.prepare(`
    SELECT 1 FROM event WHERE id > (SELECT indexed FROM search_progress) AND searchable ORDER BY id LIMIT 1`),
  following: db.prepare(`
    SELECT id, seq, at, body FROM event
    WHERE id > (SELECT indexed FROM search_progress) AND searchable ORDER BY id`),
  add: db.prepare('INSERT INTO search (rowid, text) VALUES (?, ?)'),
  advance: db.prepare('UPDATE search_progress SET indexed = ?'),
  merge: db.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`),
  entriesOf: db.prepare(`
    SELECT id FROM event
    WHERE searchable AND id <= (SELECT indexed FROM search_progress) AND (
      id IN (SELECT event FROM place WHERE stream = ?)
      OR (id > (SELECT placed FROM place_progress) AND stream = ?))`),
  remove: db.prepare('DELETE FROM search WHERE rowid = ?'),
});
