import type { DatabaseSync } from 'node:sqlite';
import type { SearchHit, StreamId } from '../engine/ports/event-log.ts';
import { searchTextOf } from '../protocol/event.ts';
import { excerptOf, matches, type SearchWords, searchableStart, wordsOf } from './search-words.ts';
import { parseStored, type StoredEvent } from './stored-event.ts';

/**
 * Finds events by their words: first among those that the index has not taken in, because there are too many or the disk takes no
 * more, then by the index. It does not keep everyone waiting: after a flood some may be found only seconds later.
 */
export class Search {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = statementsOf(db);
  }

  find(query: string, limit: number, isShown: (stream: StreamId, seq: number) => boolean): SearchHit[] {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const hits: SearchHit[] = [];
    // one look at both, so that nothing moves from the one into the other in between
    this.#db.exec('BEGIN');
    try {
      for (const row of this.#found(words)) {
        if (hits.length >= limit) break;
        if (isShown(row.name, row.seq)) hits.push(hitOf(row, words));
      }
    } finally {
      this.#db.exec('COMMIT');
    }
    return hits;
  }

  *#found(words: SearchWords): Iterable<FoundRow> {
    const patienceEnds = performance.now() + patienceMs;
    for (const row of this.#sql.notIndexed.iterate() as Iterable<unknown> as Iterable<FoundRow>) {
      if (performance.now() > patienceEnds) break;
      if (matches(searchTextOfStored(row), words)) yield row;
    }
    yield* this.#sql.indexed.iterate(matchOf(words)) as Iterable<unknown> as Iterable<FoundRow>;
  }
}

const patienceMs = 100;

/** A word's tokens hold letters and digits alone: inside quotes they are no syntax. */
const matchOf = (words: SearchWords): string =>
  `${words.map((tokens) => `"${tokens.join(' ')}"`).join(' ')} *`;

function hitOf({ name, ...stored }: FoundRow, words: SearchWords): SearchHit {
  const event = parseStored(stored);
  const text = searchableStart(searchTextOf(event) ?? '');
  return { stream: name, seq: event.seq, at: event.at, type: event.type, excerpt: excerptOf(text, words) };
}

/** What of an event can be found. */
export const searchTextOfStored = (stored: StoredEvent): string =>
  searchableStart(searchTextOf(parseStored(stored)) ?? '');

interface FoundRow extends StoredEvent {
  readonly name: StreamId;
}

const statementsOf = (db: DatabaseSync) => ({
  notIndexed: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body FROM event JOIN stream ON stream.id = event.stream
    WHERE event.id > (SELECT indexed FROM search_progress) AND event.searchable ORDER BY event.id DESC`),
  indexed: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body
    FROM search JOIN event ON event.id = search.rowid JOIN stream ON stream.id = event.stream
    WHERE search MATCH ? ORDER BY search.rowid DESC`),
});
