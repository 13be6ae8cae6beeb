import type { DatabaseSync } from 'node:sqlite';
import {
  type AppendBatch,
  type EventLog,
  type EventPage,
  type PageQuery,
  type SearchHit,
  StorageError,
  type StoredBatch,
  type StreamId,
  type StreamStart,
} from '../engine/ports/event-log.ts';
import type { Event } from '../protocol/event.ts';
import { CommitQueue, type Write } from './commit-queue.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';
import { pageOf, pageRange } from './page-range.ts';
import { type PreparedEvent, type PreparedPart, prepare } from './prepare.ts';
import { SearchIndex } from './search-index.ts';
import { storageFailure } from './storage-failure.ts';
import { numbered, parseStored, type StoredEvent } from './stored-event.ts';
import { Transactions } from './transactions.ts';

/** Throws `StorageError` if the file cannot be opened. Its directory must be there. */
export function openSqliteLog(options: DatabaseOptions): EventLog {
  return new SqliteLog(options.path, openDatabase(options));
}

class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #transactions: Transactions;
  readonly #queue: CommitQueue;
  readonly #index: SearchIndex;
  readonly #known = new Map<StreamId, Stream>();
  /** What the running transaction has changed; holds only once it is committed. */
  #changed = new Map<StreamId, Stream | 'removed'>();

  constructor(path: string, db: DatabaseSync) {
    this.#path = path;
    this.#db = db;
    this.#sql = statementsOf(db);
    this.#transactions = new Transactions(db);
    this.#queue = new CommitQueue((writes) => this.#transact(writes));
    this.#index = new SearchIndex(db, this.#transactions);
    this.#index.follow();
  }

  async append(batch: AppendBatch): Promise<readonly StoredBatch[]> {
    const { parts, decision } = prepare(batch);
    return this.#queue.add({ decision, run: () => parts.map((part) => this.#store(part)) });
  }

  page(stream: StreamId, query: PageQuery): EventPage {
    return this.#read(() => {
      const known = this.#find(stream);
      const last = known?.lastSeq ?? 0;
      const range = pageRange(query, last);
      return pageOf(known ? this.#events(known.id, range.from, range.to) : [], range, last);
    });
  }

  lastSeq(stream: StreamId): number {
    return this.#read(() => this.#find(stream)?.lastSeq ?? 0);
  }

  findByReference(stream: StreamId, reference: string): readonly Event[] {
    return this.#read(() => {
      const known = this.#find(stream);
      if (known === undefined) return [];
      return (this.#sql.byReference.all(known.id, reference) as unknown as StoredEvent[]).map(parseStored);
    });
  }

  findAsks(toolName: string, limit: number): readonly { stream: StreamId; event: Event }[] {
    return this.#read(() => {
      const rows = this.#sql.asks.all(toolName, limit) as unknown as (StoredEvent & { name: StreamId })[];
      return rows.map(({ name, ...stored }) => ({ stream: name, event: parseStored(stored) }));
    });
  }

  search(query: string, limit: number): readonly SearchHit[] {
    return this.#read(() => this.#index.find(query, limit));
  }

  *streams(): Iterable<StreamStart> {
    const rows = this.#read(() => this.#sql.streams.all()) as unknown as { id: number; name: StreamId }[];
    for (const { id, name } of rows) {
      yield {
        stream: name,
        snapshot: this.#read(() => this.#snapshot(id)),
        eventsAfter: (seq) => this.#eventsAfter(id, seq),
      };
    }
  }

  blob(stream: StreamId, blobId: string): { mediaType: string; data: Uint8Array } | undefined {
    return this.#read(() => {
      const known = this.#find(stream);
      return known && (this.#sql.blob.get(known.id, blobId) as BlobRow | undefined);
    });
  }

  remove(stream: StreamId): Promise<void> {
    return this.#queue.add({ decision: true, run: () => this.#remove(stream) });
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#queue.close();
    this.#index.close();
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // everything is in the write-ahead log already, and the next start reads it from there
    }
    this.#db.close();
  }

  #transact(writes: readonly Write<unknown>[]): readonly unknown[] {
    this.#changed = new Map();
    try {
      const durable = writes.some(({ decision }) => decision) ? 'disk' : 'process';
      const results = this.#transactions.run(durable, () => writes.map(({ run }) => run()));
      for (const [name, stream] of this.#changed) {
        if (stream === 'removed') this.#known.delete(name);
        else this.#known.set(name, stream);
      }
      return results;
    } catch (error) {
      throw storageFailure(this.#path, error);
    } finally {
      this.#changed = new Map();
    }
  }

  #store({ stream: name, at, events, blobs, snapshot }: PreparedPart): StoredBatch {
    if (events.length === 0 && blobs.length === 0 && !snapshot) return { stream: name, events: [] };
    const { id, lastSeq } = this.#find(name) ?? this.#create(name);
    const stored = events.map((event, index) => this.#insert(id, lastSeq + 1 + index, at, event));
    for (const { blobId, mediaType, data } of blobs) this.#sql.addBlob.run(id, blobId, mediaType, data);
    const newLast = lastSeq + events.length;
    if (snapshot) this.#sql.setSnapshot.run(newLast, snapshot.version, snapshot.state, id);
    this.#changed.set(name, { id, lastSeq: newLast });
    return { stream: name, events: stored };
  }

  #insert(stream: number, seq: number, at: string, prepared: PreparedEvent): Event {
    const { event, body, references, askedTool, searchable } = prepared;
    const { lastInsertRowid } = this.#sql.addEvent.run(
      stream,
      seq,
      at,
      askedTool ?? null,
      searchable ? 1 : 0,
      body,
    );
    for (const reference of references) this.#sql.addReference.run(stream, reference, lastInsertRowid);
    if (searchable) this.#index.follow();
    return numbered(event, seq, at);
  }

  #create(name: StreamId): Stream {
    return { id: Number(this.#sql.addStream.run(name).lastInsertRowid), lastSeq: 0 };
  }

  #remove(name: StreamId): void {
    const stream = this.#find(name);
    if (stream === undefined) return;
    const entries = this.#index.entriesOf(stream.id);
    for (const statement of this.#sql.removeAll) statement.run(stream.id);
    this.#index.forget(entries);
    this.#changed.set(name, 'removed');
  }

  #find(name: StreamId): Stream | undefined {
    const changed = this.#changed.get(name);
    if (changed === 'removed') return undefined;
    return changed ?? this.#known.get(name) ?? this.#load(name);
  }

  #load(name: StreamId): Stream | undefined {
    const row = this.#sql.stream.get(name) as { id: number; last_seq: number } | undefined;
    if (row === undefined) return undefined;
    const stream = { id: row.id, lastSeq: row.last_seq };
    this.#known.set(name, stream);
    return stream;
  }

  #events(stream: number, from: number, to: number): Event[] {
    return (this.#sql.events.all(stream, from, to) as unknown as StoredEvent[]).map(parseStored);
  }

  /** Reads in pieces: a statement left open would keep the write-ahead log from being taken in. */
  *#eventsAfter(stream: number, seq: number): Iterable<Event> {
    let from = seq + 1;
    for (;;) {
      const to = from + eventsReadAtOnce - 1;
      const events = this.#read(() => this.#events(stream, from, to));
      yield* events;
      if (events.length < eventsReadAtOnce) return;
      from = to + 1;
    }
  }

  #snapshot(stream: number): StreamStart['snapshot'] {
    const row = this.#sql.snapshot.get(stream) as SnapshotRow | undefined;
    return row && { seq: row.seq, version: row.version, state: JSON.parse(row.state) };
  }

  #read<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new StorageError('The event log is closed.');
    try {
      return work();
    } catch (error) {
      throw storageFailure(this.#path, error);
    }
  }
}

const eventsReadAtOnce = 500;

interface Stream {
  readonly id: number;
  readonly lastSeq: number;
}

interface SnapshotRow {
  readonly seq: number;
  readonly version: number;
  readonly state: string;
}

interface BlobRow {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

const statementsOf = (db: DatabaseSync) => ({
  stream: db.prepare(`
    SELECT id, (SELECT coalesce(max(seq), 0) FROM event WHERE event.stream = stream.id) AS last_seq
    FROM stream WHERE name = ?`),
  streams: db.prepare('SELECT id, name FROM stream ORDER BY id'),
  snapshot: db.prepare(`
    SELECT snapshot_seq AS seq, snapshot_version AS version, snapshot_state AS state
    FROM stream WHERE id = ? AND snapshot_seq IS NOT NULL`),
  events: db.prepare('SELECT seq, at, body FROM event WHERE stream = ? AND seq BETWEEN ? AND ? ORDER BY seq'),
  byReference: db.prepare(`
    SELECT event.seq, event.at, event.body FROM reference JOIN event ON event.id = reference.event
    WHERE reference.stream = ? AND reference.name = ? ORDER BY reference.event`),
  asks: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body FROM event JOIN stream ON stream.id = event.stream
    WHERE event.asked_tool = ? ORDER BY event.id DESC LIMIT ?`),
  blob: db.prepare('SELECT media_type AS mediaType, data FROM blob WHERE stream = ? AND blob_id = ?'),
  addStream: db.prepare('INSERT INTO stream (name) VALUES (?)'),
  addEvent: db.prepare(
    'INSERT INTO event (stream, seq, at, asked_tool, searchable, body) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  addReference: db.prepare('INSERT INTO reference (stream, name, event) VALUES (?, ?, ?)'),
  addBlob: db.prepare('INSERT OR REPLACE INTO blob (stream, blob_id, media_type, data) VALUES (?, ?, ?, ?)'),
  setSnapshot: db.prepare(
    'UPDATE stream SET snapshot_seq = ?, snapshot_version = ?, snapshot_state = ? WHERE id = ?',
  ),
  removeAll: [
    db.prepare('DELETE FROM reference WHERE stream = ?'),
    db.prepare('DELETE FROM blob WHERE stream = ?'),
    db.prepare('DELETE FROM event WHERE stream = ?'),
    db.prepare('DELETE FROM stream WHERE id = ?'),
  ],
});
