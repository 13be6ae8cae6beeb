import type { DatabaseSync } from 'node:sqlite';
import type { LogEntry, LoggedInteraction, PositionRange, StreamId } from '../engine/ports/event-log.ts';
import { isInteractionEvent } from '../model/interaction-fold.ts';
import { parseStored, type StoredEvent, type Upcast } from './prepare.ts';

/** How far back it can be read that a stream was removed. */
const removalsKept = 10_000;
const runsKept = 1_000;

/** The order of everything that is stored, over all streams: gives out the positions, and finds again what has them. */
export class Order {
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #run: string;
  readonly #upcast: Upcast;
  #last: number;
  #isRunNoted = false;

  constructor(db: DatabaseSync, run: string, upcast: Upcast = (event) => event) {
    this.#sql = statementsOf(db);
    this.#run = run;
    this.#upcast = upcast;
    this.#last = (this.#sql.last.get() as { last: number }).last;
  }

  get last(): number {
    return this.#last;
  }

  /** For an event that is about to be stored. SQLite by itself would give the positions of removed events again. */
  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Work in one transaction; positions given out for what is undone are given again. */
  keep<T>(transaction: () => T): T {
    const before = this.#last;
    const wasNoted = this.#isRunNoted;
    try {
      return transaction();
    } catch (error) {
      this.#last = before;
      this.#isRunNoted = wasNoted;
      throw error;
    }
  }

  /** Before the first write, inside its transaction. */
  noteRun(): void {
    if (this.#isRunNoted) return;
    this.#isRunNoted = true;
    this.#sql.addRun.run(this.#run, this.#last);
    this.#sql.forgetRuns.run(runsKept);
  }

  removed(stream: StreamId, key: string | null): void {
    const position = this.next();
    this.#sql.addRemoval.run(position, stream, key);
    this.#sql.forgetRemovals.run(position - removalsKept);
  }

  /** A later run that began before this position has not got what was there: it gave the position to something else. */
  has(run: string, position: number): boolean {
    if (run === this.#run) return position <= this.#last;
    const found = this.#sql.run.get(run) as { id: number } | undefined;
    if (found === undefined) return false;
    const { least } = this.#sql.later.get(found.id) as { least: number | null };
    return position <= (least ?? this.#last);
  }

  interactions({ from, to }: PositionRange): {
    readonly events: LoggedInteraction[];
    readonly latest: string | undefined;
  } {
    const rows = this.#sql.interactions.all(from, to) as unknown as EventRow[];
    const events = rows.flatMap(({ stream, seq, at, body }) => {
      const event = this.#upcast(parseStored({ seq, at, body }));
      return isInteractionEvent(event) ? [{ stream, event }] : [];
    });
    const { latest } = this.#sql.latest.get(from, to) as { latest: string | null };
    return { events, latest: latest ?? undefined };
  }

  entries({ from, to }: PositionRange, limit: number): LogEntry[] {
    const until = Math.min(to, this.#last);
    const events = this.#sql.events.all(from, until, limit) as unknown as EventRow[];
    const removals = this.#sql.removals.all(from, until, limit) as unknown as LogEntry[];
    const entries: LogEntry[] = events.map(({ position, stream, ...stored }) => ({
      position,
      stream,
      event: this.#upcast(parseStored(stored)),
    }));
    if (removals.length === 0) return entries;
    return [...entries, ...removals].sort((a, b) => a.position - b.position).slice(0, limit);
  }
}

interface EventRow extends StoredEvent {
  readonly position: number;
  readonly stream: StreamId;
}

const statementsOf = (db: DatabaseSync) => ({
  last: db.prepare(`
    SELECT max(
      (SELECT coalesce(max(id), 0) FROM event),
      (SELECT coalesce(max(id), 0) FROM removal)
    ) AS last`),
  addRun: db.prepare('INSERT OR IGNORE INTO run (name, last) VALUES (?, ?)'),
  forgetRuns: db.prepare('DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ?'),
  run: db.prepare('SELECT id FROM run WHERE name = ?'),
  later: db.prepare('SELECT min(last) AS least FROM run WHERE id > ?'),
  addRemoval: db.prepare('INSERT INTO removal (id, name, key) VALUES (?, ?, ?)'),
  forgetRemovals: db.prepare('DELETE FROM removal WHERE id < ?'),
  events: db.prepare(`
    SELECT event.id AS position, stream.name AS stream, event.seq, event.at, event.body
    FROM event JOIN stream ON stream.id = event.stream
    WHERE event.id BETWEEN ? AND ? ORDER BY event.id LIMIT ?`),
  // Each event's body begins with its type: what is long need not be looked through.
  interactions: db.prepare(`
    SELECT stream.name AS stream, event.seq, event.at, event.body
    FROM event JOIN stream ON stream.id = event.stream
    WHERE event.id BETWEEN ? AND ? AND substr(event.body, 1, 21) = '{"type":"interaction.' ORDER BY event.id`),
  latest: db.prepare('SELECT max(at) AS latest FROM event WHERE id BETWEEN ? AND ?'),
  removals: db.prepare(`
    SELECT id AS position, name AS removed, key FROM removal WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?`),
});
