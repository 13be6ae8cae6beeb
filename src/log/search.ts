import type { DatabaseSync } from 'node:sqlite';
import type { SearchHit, StreamId } from '../engine/ports/event-log.ts';
import { searchTextOf } from '../protocol/event.ts';
import { parseStored, type StoredEvent } from './prepare.ts';

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

/** What a person looks for: each written word is a run of tokens; the last token of all may be unfinished. */
export type SearchWords = readonly (readonly string[])[];

/** Reads a query as words and nothing else: no input is an error, and no character is an operator. */
export function wordsOf(query: string): SearchWords {
  return query
    .slice(0, longestQuery)
    .split(/\s+/u)
    .map((word) => tokensOf(word).map(({ token }) => token))
    .filter((tokens) => tokens.length > 0)
    .slice(0, mostWords);
}

/** Only the start of a very long text can be found: the index must not outgrow the log. */
export const searchableStart = (text: string): string => text.slice(0, 20_000);

export function matches(text: string, words: SearchWords): boolean {
  const tokens = tokensOf(text);
  return (
    words.length > 0 &&
    words.every((word, index) => placeOf(tokens, word, index === words.length - 1) !== undefined)
  );
}

/** A line of plain text around the first place where a word was found. */
export function excerptOf(text: string, words: SearchWords): string {
  const tokens = tokensOf(text);
  const at = words
    .map((word, index) => placeOf(tokens, word, index === words.length - 1))
    .find((place) => place !== undefined);
  const from = wordStartNear(text, (at ?? 0) - charactersBefore);
  const to = from + excerptLength;
  const line = text
    .slice(from, to)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    // half of a character that was cut in two
    .replace(/^\p{Cs}|\p{Cs}$/gu, '')
    .trim();
  return `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`;
}

const longestQuery = 1_000;
const mostWords = 32;
const excerptLength = 200;
const charactersBefore = 60;

interface Token {
  readonly token: string;
  readonly at: number;
}

/** Letters and digits, without case and accents: the index's own tokenizer (`unicode61`) sees the same words. */
function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu), (match) => ({
    token: match[0].normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
    at: match.index,
  })).filter(({ token }) => token !== '');
}

function placeOf(tokens: readonly Token[], word: readonly string[], unfinished: boolean): number | undefined {
  const isHere = (start: number): boolean =>
    word.every((wanted, offset) => {
      const found = tokens[start + offset]?.token;
      return unfinished && offset === word.length - 1 ? found?.startsWith(wanted) : found === wanted;
    });
  return tokens.find((_, start) => isHere(start))?.at;
}

function wordStartNear(text: string, position: number): number {
  if (position <= 0) return 0;
  const gap = text.slice(position, position + charactersBefore).search(/\s/u);
  return gap === -1 ? position : position + gap + 1;
}
