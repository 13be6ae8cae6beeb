import type { DatabaseSync } from 'node:sqlite';
import type { StreamId } from '../engine/ports/event-log.ts';
import type { EventIndex } from './event-index.ts';
import type { WriteRequest } from './prepare.ts';
import {
  holdsNothing,
  type PreparedEvent,
  type PreparedMark,
  type PreparedPart,
  type PreparedSummary,
} from './prepare.ts';
import type { SearchIndex } from './search-index.ts';
import type { Transactions } from './transactions.ts';

/** Writes the streams, and is the only one that does. */
export class StreamWriter {
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #transactions: Transactions;
  readonly #events: EventIndex;
  readonly #search: SearchIndex;
  readonly #known = new Map<StreamId, StreamPlace>();
  /** What the running transaction has changed; holds only once it is committed. */
  #changed = new Map<StreamId, StreamPlace>();

  constructor(db: DatabaseSync, transactions: Transactions, events: EventIndex, search: SearchIndex) {
    this.#sql = statementsOf(db);
    this.#transactions = transactions;
    this.#events = events;
    this.#search = search;
  }

  find(name: StreamId): StreamPlace {
    return this.#changed.get(name) ?? this.#known.get(name) ?? this.#load(name);
  }

  /** In one transaction. Gives for each append the places of its parts' streams after it, for a removal the place before. */
  write(requests: readonly WriteRequest[]): (readonly StreamPlace[])[] {
    this.#changed = new Map();
    try {
      const places = this.#transactions.run(() => requests.map((request) => this.#take(request)));
      for (const [name, place] of this.#changed) {
        if (place === nowhere) this.#known.delete(name);
        else this.#known.set(name, place);
      }
      return places;
    } finally {
      this.#changed = new Map();
    }
  }

  #take(request: WriteRequest): readonly StreamPlace[] {
    switch (request.do) {
      case 'append':
        return request.parts.map((part) => this.#store(part));
      case 'remove':
        return [this.#remove(request.stream)];
    }
  }

  #store(part: PreparedPart): StreamPlace {
    const { stream: name, at, events, blobs, snapshot, mark, summary } = part;
    const before = this.find(name);
    if (before === nowhere && holdsNothing(part)) return nowhere;
    const { id } = before === nowhere ? this.#create(name) : before;
    let seq = before.lastSeq;
    for (const event of events) this.#insert(id, ++seq, at, event);
    this.#events.wrote(events.length);
    for (const { blobId, mediaType, data } of blobs) this.#sql.addBlob.run(id, blobId, mediaType, data);
    const place = { id, lastSeq: seq };
    if (snapshot) this.#sql.setSnapshot.run(place.lastSeq, snapshot.version, snapshot.state, id);
    if (mark !== undefined) this.#mark(id, mark);
    if (summary !== undefined) this.#summarize(id, summary);
    this.#changed.set(name, place);
    return place;
  }

  #insert(stream: number, seq: number, at: string, event: PreparedEvent): void {
    const { body, askedTool, searchable } = event;
    this.#sql.addEvent.run(stream, seq, at, askedTool, searchable ? 1 : 0, body);
    if (searchable) this.#search.follow();
  }

  #mark(stream: number, mark: PreparedMark | null): void {
    if (mark === null) this.#sql.removeMark.run(stream);
    else this.#sql.setMark.run(stream, mark.processId, mark.offset, mark.memory, mark.number);
  }

  #summarize(stream: number, summary: PreparedSummary | null): void {
    if (summary === null) {
      this.#sql.removeSummary.run(stream);
      return;
    }
    const { version, id, key, status, since, holdsGrants, words, body } = summary;
    this.#sql.setSummary.run(stream, version, id, key, status, since, holdsGrants ? 1 : 0, words, body);
  }

  #create(name: StreamId): StreamPlace {
    return { id: Number(this.#sql.addStream.run(name).lastInsertRowid), lastSeq: 0 };
  }

  #remove(name: StreamId): StreamPlace {
    const place = this.find(name);
    const { id } = place;
    const entries = this.#search.entriesOf(id);
    this.#events.remove(id);
    for (const statement of this.#sql.removeAll) statement.run(id);
    this.#search.forget(entries);
    this.#changed.set(name, nowhere);
    return place;
  }

  #load(name: StreamId): StreamPlace {
    const found = this.#sql.stream.get(name) as { id: number } | undefined;
    if (found === undefined) return nowhere;
    const place = { id: found.id, lastSeq: this.#events.lastSeq(found.id) };
    this.#known.set(name, place);
    return place;
  }
}

const statementsOf = (db: DatabaseSync) => ({
  stream: db.prepare('SELECT id FROM stream WHERE name = ?'),
  addStream: db.prepare('INSERT INTO stream (name) VALUES (?)'),
  addEvent: db.prepare(
    'INSERT INTO event (stream, seq, at, asked_tool, searchable, body) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  addBlob: db.prepare('INSERT OR REPLACE INTO blob (stream, blob_id, media_type, data) VALUES (?, ?, ?, ?)'),
  setSnapshot: db.prepare(
    'UPDATE stream SET snapshot_seq = ?, snapshot_version = ?, snapshot_state = ? WHERE id = ?',
  ),
  setMark: db.prepare(
    'INSERT OR REPLACE INTO mark (stream, process_id, read_to, memory, number) VALUES (?, ?, ?, ?, ?)',
  ),
  removeMark: db.prepare('DELETE FROM mark WHERE stream = ?'),
  setSummary: db.prepare(
    `INSERT OR REPLACE INTO summary (stream, version, id, key, status, since, holds_grants, words, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  removeSummary: db.prepare('DELETE FROM summary WHERE stream = ?'),
  removeAll: [
    db.prepare('DELETE FROM summary WHERE stream = ?'),
    db.prepare('DELETE FROM blob WHERE stream = ?'),
    db.prepare('DELETE FROM mark WHERE stream = ?'),
    db.prepare('DELETE FROM stream WHERE id = ?'),
  ],
});

/** Where a stream is, and how long. */
export interface StreamPlace {
  readonly id: number;
  readonly lastSeq: number;
}

/** Of a stream that is not there. No stream has this id, so whatever is looked for under it is not found. */
export const nowhere: StreamPlace = { id: 0, lastSeq: 0 };
