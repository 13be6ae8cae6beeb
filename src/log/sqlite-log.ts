import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import {
  type AppendBatch,
  type DecisionsPage,
  type EventLog,
  type EventPage,
  type LogEntry,
  type OnStored,
  type PageQuery,
  type PositionRange,
  type Removal,
  type SearchHit,
  StorageError,
  type StreamId,
  type StreamStart,
  type StreamUsage,
  type SummaryFilter,
  type SummaryQuery,
} from '../engine/ports/event-log.ts';
import type { Checkpoint } from '../engine/ports/runner.ts';
import type { SessionSummary } from '../model/summary.ts';
import type { Event } from '../protocol/event.ts';
import type { StorageState } from '../protocol/storage.ts';
import { Checkpoints } from './checkpoints.ts';
import { CommitQueue } from './commit-queue.ts';
import { Disk, type SyncFile } from './disk.ts';
import { EventIndex } from './event-index.ts';
import { inUseFile, keepAside, readMissing, storeMissing } from './missing-history.ts';
import { type DatabaseOptions, type OpenDatabase, openDatabase } from './open-database.ts';
import { Order } from './order.ts';
import { pageOf, pageRange } from './page-range.ts';
import { checkpointOf, type PreparedMark, prepare, type Upcast, type WriteRequest } from './prepare.ts';
import { Search } from './search.ts';
import { SearchIndex } from './search-index.ts';
import { StorageReport, storageFailure } from './storage-report.ts';
import { nowhere, type StreamPlace, type StreamsWritten, StreamWriter } from './stream-writer.ts';
import { Summaries } from './summaries.ts';
import { Transactions } from './transactions.ts';

export interface SqliteLogOptions extends DatabaseOptions {
  /** How to wait for the disk. */
  readonly sync?: SyncFile;
  /** Brings what an earlier version stored to today's form when it is read. */
  readonly upcast?: Upcast;
}

/** Throws `StorageError` if the file cannot be opened. Its directory must be there. */
export function openSqliteLog(options: SqliteLogOptions): EventLog {
  return new SqliteLog(options);
}

class SqliteLog implements EventLog {
  readonly #options: SqliteLogOptions;
  readonly #path: string;
  readonly run = randomBytes(6).toString('base64url');
  /** Replaced when a database that could only be read can be written again. */
  #store: Store;
  readonly #queue: CommitQueue<WriteRequest, Written>;
  readonly #report: StorageReport;
  #lookingAgain: NodeJS.Timeout | undefined;
  /** As far as acknowledged: more may be written already, of which nobody is to know yet. */
  readonly #known = new Map<StreamId, StreamPlace>();
  /** Written, and waiting for the disk or for their turn; ascending. */
  readonly #unacknowledged = new Set<PositionRange>();
  /** The last that is acknowledged. */
  #newest: number;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteLogOptions) {
    this.#options = options;
    this.#path = options.path;
    this.#queue = new CommitQueue((requests) => this.#transact(requests));
    this.#report = new StorageReport(readMissing(options.path));
    this.#store = this.#take(openDatabase(options));
    this.#newest = this.#store.order.last;
    const failure = this.#store.unwritable ?? lackOfRoom(options.path);
    if (failure !== undefined) this.#failed(failure);
  }

  get storage(): StorageState {
    return this.#report.state;
  }

  onStorage(listener: (storage: StorageState) => void): () => void {
    return this.#report.listen(listener);
  }

  async append(batch: AppendBatch): Promise<readonly number[]> {
    const prepared = prepare(batch);
    for (const { stream } of batch.parts) this.#note(stream);
    const { places, positions, onDisk } = await this.#queue.add({ do: 'append', ...prepared });
    if (onDisk !== undefined) await onDisk;
    for (const [index, { stream }] of batch.parts.entries())
      this.#acknowledge(stream, places[index] ?? nowhere);
    this.#stored(positions, batch.onStored);
    return places.map(({ lastSeq }) => lastSeq);
  }

  page(stream: StreamId, query: PageQuery): EventPage {
    return this.#read(() => {
      const { id, lastSeq } = this.#find(stream);
      const range = pageRange(query, lastSeq);
      return pageOf(this.#store.events.events(id, range.from, range.to), range, lastSeq);
    });
  }

  findByReference(stream: StreamId, reference: string): readonly Event[] {
    return this.#read(() => {
      const { id, lastSeq } = this.#find(stream);
      return this.#store.events.byReference(id, reference, lastSeq);
    });
  }

  findAsks(toolName: string, limit: number): readonly { stream: StreamId; event: Event }[] {
    return this.#read(() => {
      const { events } = this.#store;
      const asks: { stream: StreamId; event: Event }[] = [];
      for (const { name, ...stored } of events.asks(toolName)) {
        if (asks.length >= limit) break;
        if (this.#isShown(name, stored.seq)) asks.push({ stream: name, event: events.parse(stored) });
      }
      return asks;
    });
  }

  decisionsSince(from: string, before = this.lastPosition + 1): DecisionsPage {
    return this.#read(() => {
      const { events } = this.#store;
      const to = before - 1;
      const after = Math.max(0, to - lookedAtOnce);
      const found = events
        .decisions({ after, to, from })
        .flatMap(({ stream, event }) =>
          isAskOrDecision(event) && this.#isShown(stream, event.seq) ? [{ stream, event }] : [],
        );
      // A clock that was set for a moment makes no end of it; when hundreds in a row are older, the rest is.
      const latest = events.latestBetween(after, to);
      const isOver = after === 0 || (latest !== undefined && latest < from);
      return { events: found, before: isOver ? undefined : after + 1 };
    });
  }

  usage(from: string): readonly StreamUsage[] {
    return this.#read(() => this.#store.events.usage(from));
  }

  search(query: string, limit: number): readonly SearchHit[] {
    return this.#read(() => {
      this.#store.index.catchUp();
      return this.#store.search.find(query, limit, (stream, seq) => this.#isShown(stream, seq));
    });
  }

  *streams(withoutSummary?: number): Iterable<StreamStart> {
    const { streams, unsummarized } = this.#store.sql;
    const rows = this.#read(() =>
      withoutSummary === undefined ? streams.all() : unsummarized.all(withoutSummary),
    ) as unknown as { id: number; name: StreamId }[];
    for (const { id, name } of rows) {
      if (this.#known.get(name) !== nowhere) yield this.#startOf(id, name);
    }
  }

  start(stream: StreamId): StreamStart | undefined {
    const { id } = this.#read(() => this.#find(stream));
    return id === nowhere.id ? undefined : this.#startOf(id, stream);
  }

  summaries(query: SummaryQuery): readonly SessionSummary[] {
    return this.#read(() => this.#store.summaries.page(query));
  }

  countSummaries(filter: SummaryFilter): number {
    return this.#read(() => this.#store.summaries.count(filter));
  }

  summary(idOrKey: string): SessionSummary | undefined {
    return this.#read(() => this.#store.summaries.find(idOrKey));
  }

  blob(stream: StreamId, blobId: string): { mediaType: string; data: Uint8Array } | undefined {
    return this.#read(() => this.#store.sql.blob.get(this.#find(stream).id, blobId) as BlobRow | undefined);
  }

  async remove(stream: StreamId, { key, onStored }: Partial<Removal> = {}): Promise<void> {
    this.#note(stream);
    const { places, positions, onDisk } = await this.#queue.add({ do: 'remove', stream, key: key ?? null });
    await onDisk;
    // by now there may be another of that name
    if (this.#find(stream).id === places[0]?.id) this.#known.delete(stream);
    this.#stored(positions, onStored);
  }

  get lastPosition(): number {
    return this.#store.order.last;
  }

  hasPosition(run: string, position: number): boolean {
    return this.#read(() => this.#store.order.has(run, position));
  }

  entries(range: PositionRange, limit: number): readonly LogEntry[] {
    return this.#read(() => this.#store.order.entries(range, limit));
  }

  interactionEvents(range: PositionRange): ReturnType<EventLog['interactionEvents']> {
    return this.#read(() => this.#store.order.interactions(range));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#lookingAgain);
    this.#queue.close();
    const { db, events, index, disk, checkpoints } = this.#store;
    events.stop();
    index.close();
    await Promise.all([disk.close(), checkpoints.close()]);
    try {
      const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      // From here on the write-ahead log may go, and nothing with it.
      if (busy === 0) rmSync(inUseFile(this.#path), { force: true });
    } catch {
      // everything is in the write-ahead log already, and the next start reads it from there
    }
    db.close();
  }

  #transact(requests: readonly WriteRequest[]): Written[] {
    const { unwritable, disk, writer, checkpoints } = this.#store;
    try {
      if (unwritable !== undefined) throw unwritable;
      if (disk.failure !== undefined) throw disk.failure;
      const written = writer.write(requests);
      for (const { positions } of written) {
        if (positions.from <= positions.to) this.#unacknowledged.add(positions);
      }
      this.#noteUse();
      checkpoints.wrote(requests.reduce((sum, request) => sum + pagesOf(request), 0));
      const onDisk = requests.some(mustReachDisk) ? this.#reached(disk) : undefined;
      return written.map((each, index) => ({
        ...each,
        onDisk: requests[index] !== undefined && mustReachDisk(requests[index]) ? onDisk : undefined,
      }));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #reached(disk: Disk): Promise<void> {
    await disk.reached().catch((error: unknown) => {
      throw this.#failed(error);
    });
  }

  /** From the first write on a write-ahead log must be there, until it is taken in at the end. */
  #noteUse(): void {
    if (this.#store.isNoted) return;
    this.#store.isNoted = true;
    try {
      writeFileSync(inUseFile(this.#path), '', { mode: 0o600 });
    } catch {
      // a log that goes missing is then noticed by what it shared with its readers, or not at all
    }
  }

  #failed(error: unknown): unknown {
    const failure = storageFailure(this.#path, error);
    if (failure instanceof StorageError && failure.problem !== undefined && this.#closing === undefined) {
      this.#report.failed(failure.problem);
      this.#lookingAgain ??= setInterval(() => this.#lookAgain(), lookAgainMs).unref();
    }
    return failure;
  }

  /** Nobody may want to store anything for hours; the disk is well again when something was stored. */
  #lookAgain(): void {
    const { db, disk, unwritable } = this.#store;
    if (disk.failure !== undefined || lackOfRoom(this.#path) !== undefined) return;
    try {
      if (unwritable === undefined) db.exec(writesNothingNew);
      else this.#reopen();
    } catch {
      return;
    }
    if (this.#store.unwritable !== undefined) return;
    clearInterval(this.#lookingAgain);
    this.#lookingAgain = undefined;
    this.#report.worked();
  }

  #reopen(): void {
    const { db, events, index, damage } = this.#store;
    // Closing it may remove the write-ahead log.
    if (damage !== undefined) keepAside(this.#path, damage);
    events.stop();
    index.stop();
    if (db.isOpen) db.close();
    this.#store = this.#take(openDatabase(this.#options, { damage }));
  }

  #take({ db, unwritable, damage, missing }: OpenDatabase): Store {
    const { path, sync, upcast } = this.#options;
    const transactions = new Transactions(db);
    const order = new Order(db, this.run, upcast);
    const events = new EventIndex(db, transactions, upcast);
    const index = new SearchIndex(db, transactions);
    if (missing !== undefined) {
      this.#report.isMissing(missing);
      storeMissing(path, this.#report.state.missing);
    }
    index.follow();
    return {
      db,
      unwritable,
      damage,
      order,
      events,
      index,
      sql: statementsOf(db),
      search: new Search(db),
      summaries: new Summaries(db),
      writer: new StreamWriter(db, { transactions, order, events, index }),
      disk: new Disk(path, sync),
      checkpoints: new Checkpoints({
        path,
        db,
        onHold: (hold) => (hold ? this.#queue.hold() : this.#queue.release()),
      }),
      isNoted: false,
    };
  }

  /** Before anything is written to it: what is then found in the database may be more than is acknowledged. */
  #note(stream: StreamId): void {
    this.#read(() => this.#known.has(stream) || this.#known.set(stream, this.#load(stream)));
  }

  /** To be called in the moment in which it is acknowledged: it tells what has been so before it. */
  #stored(own: PositionRange, onStored: OnStored | undefined): void {
    this.#unacknowledged.delete(own);
    this.#newest = Math.max(this.#newest, own.to);
    const unacknowledged: PositionRange[] = [];
    for (const range of this.#unacknowledged) {
      // Hundreds may follow that were written with it, and are acknowledged next.
      if (range.from > this.#newest) break;
      unacknowledged.push(range);
    }
    onStored?.({ own, newest: this.#newest, unacknowledged });
  }

  /** One that had to wait for the disk comes after later ones that had not; ids and numbers only grow. */
  #acknowledge(stream: StreamId, { id, lastSeq }: StreamPlace): void {
    const before = this.#known.get(stream) ?? nowhere;
    if (id > before.id || (id === before.id && lastSeq > before.lastSeq))
      this.#known.set(stream, { id, lastSeq });
  }

  #find(stream: StreamId): StreamPlace {
    return this.#known.get(stream) ?? this.#load(stream);
  }

  #load(stream: StreamId): StreamPlace {
    return this.#store.writer.find(stream);
  }

  #isShown(stream: StreamId, seq: number): boolean {
    return seq <= (this.#known.get(stream)?.lastSeq ?? Number.POSITIVE_INFINITY);
  }

  /** Reads in pieces: a statement left open would keep the write-ahead log from being taken in. */
  *#eventsAfter(stream: number, seq: number): Iterable<Event> {
    let from = seq + 1;
    for (;;) {
      const to = from + eventsReadAtOnce - 1;
      const events = this.#read(() => this.#store.events.events(stream, from, to));
      yield* events;
      if (events.length < eventsReadAtOnce) return;
      from = to + 1;
    }
  }

  #startOf(id: number, stream: StreamId): StreamStart {
    return {
      stream,
      checkpoint: this.#read(() => this.#checkpoint(id)),
      snapshot: this.#read(() => this.#snapshot(id)),
      eventsAfter: (seq) => this.#eventsAfter(id, seq),
    };
  }

  #snapshot(stream: number): StreamStart['snapshot'] {
    const row = this.#store.sql.snapshot.get(stream) as SnapshotRow | undefined;
    return row && { seq: row.seq, version: row.version, state: JSON.parse(row.state) };
  }

  #checkpoint(stream: number): Checkpoint | undefined {
    const row = this.#store.sql.mark.get(stream) as PreparedMark | undefined;
    return row && checkpointOf(row);
  }

  #read<T>(work: () => T): T {
    if (!this.#store.db.isOpen) throw new StorageError('The event log is closed.');
    try {
      return work();
    } catch (error) {
      throw storageFailure(this.#path, error);
    }
  }
}

const eventsReadAtOnce = 500;
const isAskOrDecision = (event: Event): event is DecisionsPage['events'][number]['event'] =>
  event.type === 'interaction.requested' || event.type === 'interaction.decided';

/** Some milliseconds' work. */
const lookedAtOnce = 1_000;
const lookAgainMs = 1_000;
/** A commit that changes no row and is written all the same. */
const writesNothingNew = 'UPDATE search_progress SET indexed = indexed';

/** The database as it is open now, and all that works on it. */
interface Store extends Pick<OpenDatabase, 'db' | 'unwritable' | 'damage'> {
  readonly sql: ReturnType<typeof statementsOf>;
  readonly search: Search;
  readonly order: Order;
  readonly events: EventIndex;
  readonly summaries: Summaries;
  readonly index: SearchIndex;
  readonly writer: StreamWriter;
  readonly disk: Disk;
  readonly checkpoints: Checkpoints;
  isNoted: boolean;
}

/** Why a file of some size cannot be written beside the database; a disk with a last free block must not count as well. */
function lackOfRoom(path: string): unknown {
  const scratch = `${path}-room`;
  try {
    writeFileSync(scratch, Buffer.alloc(roomBytes), { mode: 0o600 });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    rmSync(scratch, { force: true });
  }
}
const roomBytes = 256 * 1024;

interface Written extends StreamsWritten {
  /** For what may be acknowledged only then. */
  readonly onDisk: Promise<void> | undefined;
}

const mustReachDisk = (request: WriteRequest): boolean => request.do === 'remove' || request.decision;

/** About how much a write adds to the write-ahead log: some pages of the tables and indexes it touches, and its own size. */
function pagesOf(request: WriteRequest): number {
  if (request.do === 'remove') return pagesTouched;
  let bytes = 0;
  for (const { events, blobs, snapshot, summary } of request.parts) {
    for (const { body } of events) bytes += body.length;
    for (const { data } of blobs) bytes += data.byteLength;
    bytes += (snapshot?.state.length ?? 0) + (summary?.body.length ?? 0);
  }
  return pagesTouched + bytes / pageBytes;
}
const pagesTouched = 3;
const pageBytes = 4_096;

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
  streams: db.prepare('SELECT id, name FROM stream ORDER BY id'),
  // By their names: the rows themselves may be long. What they are compared with is read once.
  unsummarized: db.prepare(`
    SELECT id, name FROM stream INDEXED BY sqlite_autoindex_stream_1
    WHERE id NOT IN (SELECT stream FROM summary WHERE version = ?) ORDER BY id`),
  mark: db.prepare(
    'SELECT process_id AS processId, read_to AS offset, memory, number FROM mark WHERE stream = ?',
  ),
  snapshot: db.prepare(`
    SELECT snapshot_seq AS seq, snapshot_version AS version, snapshot_state AS state
    FROM stream WHERE id = ? AND snapshot_seq IS NOT NULL`),
  blob: db.prepare('SELECT media_type AS mediaType, data FROM blob WHERE stream = ? AND blob_id = ?'),
});
