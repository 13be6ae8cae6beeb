import type { DatabaseSync } from 'node:sqlite';
import type { PositionRange, StreamId } from '../engine/ports/event-log.ts';
import type { EventIndex } from './event-index.ts';
import type { Order } from './order.ts';
import {
  holdsNothing,
  type PreparedEvent,
  type PreparedMark,
  type PreparedPart,
  type PreparedSummary,
  type WriteRequest,
} from './prepare.ts';
import type { SearchIndex } from './search-index.ts';
import type { Transactions } from './transactions.ts';

/** What a request has led to. */
export interface StreamsWritten {
  /** Of the streams of an append's parts, after it; of a removed stream, before. */
  readonly places: readonly StreamPlace[];
  readonly positions: PositionRange;
}

/** Writes the streams, and is the only one that does. */
export class StreamWriter {
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #transactions: Transactions;
  readonly #order: Order;
  readonly #events: EventIndex;
  readonly #search: SearchIndex;
  readonly #known = new Map<StreamId, StreamPlace>();
  /** What the running transaction has changed; holds only once it is committed. */
  #changed = new Map<StreamId, StreamPlace>();

  constructor(
    db: DatabaseSync,
    parts: {
      readonly transactions: Transactions;
      readonly order: Order;
      readonly events: EventIndex;
      readonly index: SearchIndex;
    },
  ) {
    this.#sql = statementsOf(db);
    this.#transactions = parts.transactions;
    this.#order = parts.order;
    this.#events = parts.events;
    this.#search = parts.index;
  }

  find(name: StreamId): StreamPlace {
    return this.#changed.get(name) ?? this.#known.get(name) ?? this.#load(name);
  }

  /** In one transaction. */
  write(requests: readonly WriteRequest[]): StreamsWritten[] {
    this.#changed = new Map();
    try {
      const written = this.#order.keep(() =>
        this.#transactions.run(() => requests.map((request) => this.#take(request))),
      );
      for (const [name, place] of this.#changed) {
        if (place === nowhere) this.#known.delete(name);
        else this.#known.set(name, place);
      }
      return written;
    } finally {
      this.#changed = new Map();
    }
  }

  #take(request: WriteRequest): StreamsWritten {
    this.#order.noteRun();
    const from = this.#order.last + 1;
    const places =
      request.do === 'append'
        ? request.parts.map((part) => this.#store(part))
        : [this.#remove(request.stream, request.key)];
    return { places, positions: { from, to: this.#order.last } };
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
    this.#sql.addEvent.run(this.#order.next(), stream, seq, at, askedTool, searchable ? 1 : 0, body);
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
    const { version, id, key, status, since, words, body } = summary;
    const flags = [summary.holdsGrants, summary.archived, summary.pinned].map(Number);
    this.#sql.setSummary.run(stream, version, id, key, status, since, ...flags, words, body);
  }

  #create(name: StreamId): StreamPlace {
    return { id: Number(this.#sql.addStream.run(name).lastInsertRowid), lastSeq: 0 };
  }

  #remove(name: StreamId, key: string | null): StreamPlace {
    const place = this.find(name);
    const { id } = place;
    if (place !== nowhere) this.#order.removed(name, key);
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
    'INSERT INTO event (id, stream, seq, at, asked_tool, searchable, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
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
    `INSERT OR REPLACE INTO summary (stream, version, id, key, status, since, holds_grants, archived, pinned, words, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
