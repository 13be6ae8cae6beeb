import type { Row } from './row.ts';

/** A row at the top that changed where it stands, or the place from which on other rows stand than before. */
type Change = Row | number;

/** What of a list of rows is not as a reader last saw it. */
export interface ChangedRows {
  /** Rows that changed where they stand; some may be gone. */
  readonly rows: ReadonlySet<Row>;
  /** From here on nothing is as it was. */
  readonly movedFrom: number;
}

/** A reader that is further behind reads everything. */
const mostKept = 1_000;

/** Where a conversation changed lately, so that whoever reads it again need not look at all of it. */
export class Changes {
  #log: Change[] = [];
  #dropped = 0;

  /** How many changes there were: a reader keeps it, and asks for those since. */
  get count(): number {
    return this.#dropped + this.#log.length;
  }

  note(change: Change): void {
    this.#log.push(change);
    if (this.#log.length <= 2 * mostKept) return;
    this.#log.splice(0, mostKept);
    this.#dropped += mostKept;
  }

  /** All is different: no earlier reading is of use. */
  noteAll(): void {
    this.#dropped = this.count + 1;
    this.#log = [];
  }

  since(count: number): ChangedRows {
    const rows = new Set<Row>();
    let movedFrom = count < this.#dropped ? 0 : Number.POSITIVE_INFINITY;
    for (const change of this.#log.slice(Math.max(0, count - this.#dropped))) {
      if (typeof change === 'number') movedFrom = Math.min(movedFrom, change);
      else rows.add(change);
    }
    return { rows, movedFrom };
  }
}
