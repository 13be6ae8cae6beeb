import type { DatabaseSync } from 'node:sqlite';
import type { SummaryFilter, SummaryQuery } from '../engine/ports/event-log.ts';
import type { SessionSummary } from '../model/summary.ts';

/** Reads the summaries of sessions; the stream writer writes them. */
export class Summaries {
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(db: DatabaseSync) {
    this.#sql = statementsOf(db);
  }

  page(query: SummaryQuery): SessionSummary[] {
    const { limit = -1, after: { since, id } = beforeAll } = query;
    const rows = this.#sql.page.all({ ...filterOf(query), since, id, limit });
    return rows.map((row) => parsed(row as unknown as Row));
  }

  count(filter: SummaryFilter): number {
    return (this.#sql.count.get(filterOf(filter)) as unknown as { count: number }).count;
  }

  find(idOrKey: string): SessionSummary | undefined {
    const row = this.#sql.byId.get(idOrKey) ?? this.#sql.byKey.get(idOrKey);
    return row && parsed(row as unknown as Row);
  }
}

interface Row {
  readonly body: string;
}

/** Only this program writes them. */
const parsed = ({ body }: Row): SessionSummary => JSON.parse(body) as SessionSummary;

/** Greater than any time or id. */
const beforeAll = { since: '~', id: '' };

const filterOf = ({ version, words = [], status, holdsGrants = false, except = [] }: SummaryFilter) => ({
  version,
  words: JSON.stringify(words),
  status: status === undefined ? null : JSON.stringify(status),
  holdsGrants: holdsGrants ? 1 : 0,
  except: JSON.stringify(except),
});

const filter = `
  version = :version
  AND (:status IS NULL OR status IN (SELECT value FROM json_each(:status)))
  AND id NOT IN (SELECT value FROM json_each(:except))
  AND (:holdsGrants = 0 OR holds_grants)
  AND NOT EXISTS (SELECT 1 FROM json_each(:words) WHERE instr(words, value) = 0)`;

const statementsOf = (db: DatabaseSync) => ({
  page: db.prepare(`
    SELECT body FROM summary WHERE ${filter} AND (since, id) < (:since, :id)
    ORDER BY since DESC, id DESC LIMIT :limit`),
  count: db.prepare(`SELECT count(*) AS count FROM summary WHERE ${filter}`),
  byId: db.prepare('SELECT body FROM summary WHERE id = ?'),
  byKey: db.prepare('SELECT body FROM summary WHERE key = ?'),
});
