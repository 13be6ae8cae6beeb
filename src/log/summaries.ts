import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SummaryFilter, SummaryQuery } from '../engine/ports/event-log.ts';
import type { SessionSummary } from '../model/summary.ts';

/** Reads the summaries of sessions; the stream writer writes them. */
export class Summaries {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  page(query: SummaryQuery): SessionSummary[] {
    const { where, values } = conditionsOf(query);
    const { limit = -1, after } = query;
    const isAfter = after === undefined ? '' : 'AND (since, id) < (?, ?)';
    const place = after === undefined ? [] : [after.since, after.id];
    const rows = this.#statement(
      `SELECT body FROM summary WHERE ${where} ${isAfter} ORDER BY since DESC, id DESC LIMIT ?`,
    ).all(...values, ...place, limit);
    return rows.map((row) => parsed(row as unknown as Row));
  }

  /** Those that are excepted are few: it is quicker to count them, too, than to ask each row whether it is one of them. */
  count({ except = [], ...filter }: SummaryFilter): number {
    const { where, values } = conditionsOf(filter);
    const count = 'SELECT count(*) AS count FROM summary WHERE';
    const all = this.#statement(`${count} ${where}`).get(...values) as unknown as Count;
    if (except.length === 0) return all.count;
    // The plus has SQLite find them by their ids.
    const isExcepted = `${count} +${where} AND id IN (SELECT value FROM json_each(?))`;
    const excepted = this.#statement(isExcepted).get(...values, JSON.stringify(except)) as unknown as Count;
    return all.count - excepted.count;
  }

  find(idOrKey: string): SessionSummary | undefined {
    const row =
      this.#statement('SELECT body FROM summary WHERE id = ?').get(idOrKey) ??
      this.#statement('SELECT body FROM summary WHERE key = ?').get(idOrKey);
    return row && parsed(row as unknown as Row);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    // One for each number of words that was ever asked for: those few are worth keeping, all of them are not.
    if (this.#prepared.size >= mostPrepared) this.#prepared.clear();
    const statement = this.#db.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

const mostPrepared = 50;

interface Count {
  readonly count: number;
}

interface Row {
  readonly body: string;
}

/** Only this program writes them. */
const parsed = ({ body }: Row): SessionSummary => JSON.parse(body) as SessionSummary;

/** No more than was asked for: with thousands of rows, each condition counts. */
function conditionsOf(filter: SummaryFilter) {
  const { version, words = [], status, archived, pinned, machine, holdsGrants = false, except = [] } = filter;
  // The plus keeps SQLite to the index of those that hold grants, which are few.
  const conditions: [string, ...(string | number)[]][] = [
    [holdsGrants ? 'holds_grants AND +version = ?' : 'version = ?', version],
  ];
  if (status !== undefined)
    conditions.push(['status IN (SELECT value FROM json_each(?))', JSON.stringify(status)]);
  if (archived !== undefined) conditions.push(['archived = ?', Number(archived)]);
  if (pinned !== undefined) conditions.push(['pinned = ?', Number(pinned)]);
  if (machine !== undefined)
    conditions.push(["coalesce(json_extract(body, '$.session.machine'), '') = ?", machine ?? '']);
  if (except.length > 0)
    conditions.push(['id NOT IN (SELECT value FROM json_each(?))', JSON.stringify(except)]);
  for (const word of words) conditions.push(['instr(words, ?)', word]);
  return {
    where: conditions.map(([condition]) => condition).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
