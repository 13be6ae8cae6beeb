import type { DatabaseSync } from 'node:sqlite';
import type { StreamId, StreamUsage } from '../engine/ports/event-log.ts';
import { addUsage, noUsage, usageOfTurn } from '../model/usage.ts';
import { type Event, type NewEvent, referencesOf } from '../protocol/event.ts';
import { parseStored, type StoredEvent, type Upcast } from './prepare.ts';
import type { Transactions } from './transactions.ts';

/**
 * Finds events again: by their number, by what they refer to, by the tool that was asked for. An append writes the end of one table
 * and nothing else; the entries follow in steps of hundreds, for with each event alone they cost four times what the event does. What
 * has no entry yet is found by looking through it.
 */
export class EventIndex {
  readonly #transactions: Transactions;
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #upcast: Upcast;
  #behind = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(db: DatabaseSync, transactions: Transactions, upcast: Upcast = (event) => event) {
    this.#upcast = upcast;
    this.#transactions = transactions;
    this.#sql = statementsOf(db);
    this.#catchUp();
  }

  /** So many events have come. */
  wrote(events: number): void {
    this.#behind += events;
    if (this.#behind >= mostBehind) this.#turn ??= setImmediate(() => this.#goOn());
    else this.#timer ??= setTimeout(() => this.#goOn(), pauseMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  events(stream: number, from: number, to: number): Event[] {
    const { placed, unplaced } = this.#sql;
    const rows = [...placed.all(stream, from, to), ...unplaced.all(stream, from, to)];
    return (rows as unknown as StoredEvent[]).map((row) => this.parse(row));
  }

  parse(row: StoredEvent): Event {
    return this.#upcast(parseStored(row));
  }

  lastSeq(stream: number): number {
    return (this.#sql.lastSeq.get(stream, stream) as { lastSeq: number }).lastSeq;
  }

  byReference(stream: number, reference: string, lastSeq: number): Event[] {
    const entered = this.#sql.byReference.all(stream, reference, lastSeq) as unknown as StoredEvent[];
    const others = this.#sql.unplaced.all(stream, 1, lastSeq) as unknown as StoredEvent[];
    return [
      ...entered.map((row) => this.parse(row)),
      ...others.map((row) => this.parse(row)).filter((event) => referencesOf(event).includes(reference)),
    ];
  }

  /** Newest first. */
  *asks(toolName: string): Iterable<StoredEvent & { readonly name: StreamId }> {
    for (const asks of [this.#sql.unplacedAsks, this.#sql.asks])
      yield* asks.iterate(toolName) as Iterable<unknown> as Iterable<StoredEvent & { name: StreamId }>;
  }

  /** Approvals that were asked for at these positions, and what was decided, newest first. */
  decisions(range: { readonly after: number; readonly to: number; readonly from: string }): NamedEvent[] {
    const rows = this.#sql.decisionsBetween.all(range.after, range.to, range.from);
    return (rows as unknown as (StoredEvent & { readonly name: StreamId })[]).map(({ name, ...stored }) => ({
      stream: name,
      event: this.parse(stored),
    }));
  }

  /** The latest moment at these positions; undefined where there is nothing. */
  latestBetween(after: number, to: number): string | undefined {
    return (this.#sql.latest.get(after, to) as { at: string | null }).at ?? undefined;
  }

  /** What the turns took that ended on this day or later. */
  usage(from: string): StreamUsage[] {
    const days = new Map<string, StreamUsage>();
    const add = (row: StreamUsage): void => {
      const key = `${row.day} ${row.stream}`;
      days.set(key, { ...row, ...addUsage(row, days.get(key) ?? noUsage) });
    };
    for (const row of this.#sql.usage.all(from)) add(row as unknown as StreamUsage);
    for (const row of this.#sql.unplacedOfAll.all(from) as unknown as (FollowingRow & { name: StreamId })[]) {
      const taken = usageOf(row);
      if (taken !== undefined) add({ ...taken, stream: row.name });
    }
    return [...days.values()];
  }

  /** Removes a stream's events and the entries of them, inside a transaction. */
  remove(stream: number): void {
    for (const statement of this.#sql.removal) statement.run(stream);
  }

  #goOn(): void {
    this.stop();
    this.#timer = undefined;
    this.#turn = undefined;
    this.#behind = 0;
    try {
      if (this.#sql.following.all(1).length === 0) return;
      if (this.#transactions.run(() => this.#step(atOnce)) === atOnce) this.wrote(mostBehind);
    } catch {
      // A disk that takes no more: everything is found all the same, if more slowly.
    }
  }

  /** What a killed server left behind, before anything is read: a start reads stream after stream, and would look through all of it each time. */
  #catchUp(): void {
    try {
      while (this.#sql.following.all(1).length > 0) this.#transactions.run(() => this.#step(atOnceAtStart));
    } catch {
      // It cannot be written: everything is found all the same, if more slowly.
      this.wrote(1);
    }
  }

  /** How many events have got their entries. */
  #step(most: number): number {
    const rows = this.#sql.following.all(most) as unknown as FollowingRow[];
    const last = rows.at(-1)?.id ?? 0;
    this.#sql.addPlaces.run(last);
    this.#sql.addAsks.run(last);
    for (const row of rows) {
      for (const name of new Set(referencesOf(JSON.parse(row.body) as NewEvent)))
        this.#sql.addReference.run(row.stream, name, row.id);
      const taken = usageOf(row);
      if (taken === undefined) continue;
      const { day, turns, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = taken;
      const figures = [turns, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd];
      this.#sql.addUsage.run(day, row.stream, ...figures);
    }
    this.#sql.advance.run(last);
    return rows.length;
  }
}

/** Some milliseconds' work; the more at once, the more of it falls on the same pages. */
const atOnce = 256;
const atOnceAtStart = 10_000;
const mostBehind = 256;
const pauseMs = 1_000;

interface NamedEvent {
  readonly stream: StreamId;
  readonly event: Event;
}

interface FollowingRow {
  readonly id: number;
  readonly stream: number;
  readonly at: string;
  readonly body: string;
}

/** What a turn took, if the event is the end of one. */
function usageOf({ at, body }: FollowingRow): Omit<StreamUsage, 'stream'> | undefined {
  // Most are not: those need not be read.
  if (!body.includes('"turn.ended"')) return undefined;
  const event = JSON.parse(body) as NewEvent;
  if (event.type !== 'turn.ended') return undefined;
  return { day: at.slice(0, 10), ...usageOfTurn(event) };
}

const statementsOf = (db: DatabaseSync) => ({
  placed: db.prepare(`
    SELECT event.seq, event.at, event.body FROM place JOIN event ON event.id = place.event
    WHERE place.stream = ? AND place.seq BETWEEN ? AND ? ORDER BY place.seq`),
  unplaced: db.prepare(`
    SELECT seq, at, body FROM event
    WHERE ${isUnplaced} AND stream = ? AND seq BETWEEN ? AND ? ORDER BY id`),
  lastSeq: db.prepare(`
    SELECT max(
      (SELECT coalesce(max(seq), 0) FROM place WHERE stream = ?),
      (SELECT coalesce(max(seq), 0) FROM event WHERE ${isUnplaced} AND stream = ?)
    ) AS lastSeq`),
  byReference: db.prepare(`
    SELECT event.seq, event.at, event.body FROM reference JOIN event ON event.id = reference.event
    WHERE reference.stream = ? AND reference.name = ? AND event.seq <= ? ORDER BY reference.event`),
  asks: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body
    FROM asked JOIN event ON event.id = asked.event JOIN stream ON stream.id = event.stream
    WHERE asked.tool = ? ORDER BY asked.event DESC`),
  unplacedAsks: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body FROM event JOIN stream ON stream.id = event.stream
    WHERE ${isUnplaced} AND asked_tool = ? ORDER BY event.id DESC`),
  decisionsBetween: db.prepare(`
    SELECT stream.name, event.seq, event.at, event.body FROM event JOIN stream ON stream.id = event.stream
    WHERE event.id > ? AND event.id <= ? AND event.at >= ?
      AND (asked_tool IS NOT NULL OR instr(substr(event.body, 1, 60), '"interaction.decided"'))
    ORDER BY event.id DESC`),
  latest: db.prepare('SELECT max(at) AS at FROM event WHERE id > ? AND id <= ?'),
  following: db.prepare(`
    SELECT id, stream, at, body FROM event WHERE ${isUnplaced} ORDER BY id LIMIT ?`),
  addPlaces: db.prepare(`
    INSERT INTO place SELECT stream, seq, id FROM event
    WHERE ${isUnplaced} AND id <= ? ORDER BY stream, seq`),
  addAsks: db.prepare(`
    INSERT INTO asked SELECT asked_tool, id FROM event
    WHERE ${isUnplaced} AND id <= ? AND asked_tool IS NOT NULL`),
  addReference: db.prepare('INSERT INTO reference (stream, name, event) VALUES (?, ?, ?)'),
  usage: db.prepare(`
    SELECT day, stream.name AS stream, turns, input_tokens AS inputTokens, output_tokens AS outputTokens,
      cache_read_tokens AS cacheReadTokens, cache_write_tokens AS cacheWriteTokens, cost_usd AS costUsd
    FROM turn_usage JOIN stream ON stream.id = turn_usage.stream WHERE day >= ?`),
  unplacedOfAll: db.prepare(`
    SELECT event.id, stream.name, event.at, event.body FROM event JOIN stream ON stream.id = event.stream
    WHERE ${isUnplaced} AND event.at >= ?`),
  addUsage: db.prepare(`
    INSERT INTO turn_usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET turns = turns + excluded.turns,
      input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
      cost_usd = cost_usd + excluded.cost_usd`),
  advance: db.prepare('UPDATE place_progress SET placed = ?'),
  removal: [
    db.prepare(`
      DELETE FROM asked WHERE (tool, event) IN (
        SELECT asked_tool, event.id FROM place JOIN event ON event.id = place.event
        WHERE place.stream = ? AND asked_tool IS NOT NULL)`),
    db.prepare('DELETE FROM reference WHERE stream = ?'),
    db.prepare('DELETE FROM turn_usage WHERE stream = ?'),
    db.prepare(`DELETE FROM event WHERE ${isUnplaced} AND stream = ?`),
    db.prepare('DELETE FROM event WHERE id IN (SELECT event FROM place WHERE stream = ?)'),
    db.prepare('DELETE FROM place WHERE stream = ?'),
  ],
});

const isUnplaced = 'event.id > (SELECT placed FROM place_progress)';
