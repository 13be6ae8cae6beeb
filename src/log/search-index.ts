import type { DatabaseSync } from 'node:sqlite';
import type { SearchHit, StreamId } from '../engine/ports/event-log.ts';
import { searchTextOf } from '../protocol/event.ts';
import { excerptOf, type SearchWords, searchableStart, wordsOf } from './search-words.ts';
import { parseStored, type StoredEvent } from './stored-event.ts';
import type { Transactions } from './transactions.ts';

/**
 * The words of the events, found by FTS5. It follows the log a moment later, in small steps: indexing inside each append
 * would make some of them wait tens of milliseconds for the index to be merged. A search first takes in what is still missing,
 * but does not keep everyone waiting for it: after a flood the newest may be found only seconds later.
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

  find(query: string, limit: number): readonly SearchHit[] {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    this.#catchUp();
    const rows = this.#sql.find.all(matchOf(words), limit) as unknown as FoundRow[];
    return rows.map((row) => hitOf(row, words));
  }

  /** What it holds of a stream, for `forget`. */
  entriesOf(stream: number): readonly number[] {
    return (this.#sql.entriesOf.all(stream) as unknown as { id: number }[]).map(({ id }) => id);
  }

  /** Inside the transaction that removes their events, and after it: on a full disk these make the room that this needs. */
  forget(entries: readonly number[]): void {
    for (const entry of entries) this.#sql.remove.run(entry);
    // the next events may get the numbers of those removed
    this.#sql.stepBack.run();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#catchUp();
  }

  #followIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#tryStep() === 'more') this.#followIn(shortPauseMs);
    }, ms).unref();
  }

  #catchUp(): void {
    const patienceEnds = performance.now() + patienceMs;
    while (performance.now() < patienceEnds && this.#tryStep() === 'more');
  }

  /** A disk that takes no more stops the index, not the search: what it has can still be found. */
  #tryStep(): 'more' | 'done' {
    try {
      if (this.#sql.next.get() === undefined) return 'done';
      this.#transactions.run('process', () => this.#step());
      this.#sql.merge.run(pagesMergedAtOnce);
      return 'more';
    } catch {
      return 'done';
    }
  }

  #step(): void {
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
  }
}

/** About a millisecond's work each, so that nobody notices. */
const charactersAtOnce = 8_000;
const pagesMergedAtOnce = 16;
const pauseMs = 20;
const shortPauseMs = 5;
const patienceMs = 250;

/** A word's tokens hold letters and digits alone: inside quotes they are no syntax. */
const matchOf = (words: SearchWords): string =>
  `${words.map((tokens) => `"${tokens.join(' ')}"`).join(' ')} *`;

function hitOf({ name, ...stored }: FoundRow, words: SearchWords): SearchHit {
  const event = parseStored(stored);
  const text = searchableStart(searchTextOf(event) ?? '');
  return { stream: name, seq: event.seq, at: event.at, type: event.type, excerpt: excerptOf(text, words) };
}

const searchTextOfStored = (stored: StoredEvent): string =>
  searchableStart(searchTextOf(parseStored(stored)) ?? '');

interface FoundRow extends StoredEvent {
  readonly name: StreamId;
}

const statementsOf = (db: DatabaseSync) => ({
  next: db.prepare(`
    SELECT 1 FROM event WHERE id > (SELECT indexed FROM search_progress) AND searchable ORDER BY id LIMIT 1`),
  following: db.prepare(`
    SELECT id, seq, at, body FROM event
    WHERE id > (SELECT indexed FROM search_progress) AND searchable ORDER BY id`),
  add: db.prepare('INSERT INTO search (rowid, text) VALUES (?, ?)'),
  advance: db.prepare('UPDATE search_progress SET indexed = ?'),
  merge: db.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`),
  find: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body
    FROM search JOIN event ON event.id = search.rowid JOIN stream ON stream.id = event.stream
    WHERE search MATCH ? ORDER BY search.rowid DESC LIMIT ?`),
  entriesOf: db.prepare(`
    SELECT id FROM event
    WHERE stream = ? AND searchable AND id <= (SELECT indexed FROM search_progress)`),
  remove: db.prepare('DELETE FROM search WHERE rowid = ?'),
  stepBack: db.prepare(`
    UPDATE search_progress SET indexed = min(indexed, (SELECT coalesce(max(id), 0) FROM event))`),
});
