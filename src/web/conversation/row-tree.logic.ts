import type { Item, Row } from './row.ts';

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
class Changes {
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

/** The rows of a conversation in their order, those of sub-agents under the calls that started them, and what changed of them. */
export class RowTree {
  readonly #changes = new Changes();
  #rows: Row[] = [];

  get rows(): readonly Row[] {
    return this.#rows;
  }
  get changeCount(): number {
    return this.#changes.count;
  }
  changedSince(changeCount: number): ChangedRows {
    return this.#changes.since(changeCount);
  }

  find(key: string): Row | undefined {
    return withKey(this.#rows, key);
  }

  /** At the end of what is under its parent, or of all. */
  add(key: string, item: Item, parent: Row | null): Row {
    const row: Row = { key, item, children: [], parent, version: 0 };
    this.#push(row);
    return row;
  }

  moveToEnd(row: Row, parent: Row | null): void {
    if (row.parent === parent && this.#listOf(row).at(-1) === row) return;
    this.remove(row);
    row.parent = parent;
    this.#push(row);
  }

  moveBehind(row: Row, other: Row): void {
    this.remove(row);
    row.parent = other.parent;
    const list = this.#listOf(row);
    const at = list.lastIndexOf(other) + 1;
    list.splice(at, 0, row);
    this.#moved(other.parent, at);
  }

  remove(row: Row): void {
    const list = this.#listOf(row);
    const at = list.lastIndexOf(row);
    if (at === -1) return;
    list.splice(at, 1);
    this.#moved(row.parent, at);
  }

  change(row: Row, item: Item): void {
    row.item = item;
    this.touch(row);
  }

  /** It is to be shown otherwise than before, and so is all that it lies in. */
  touch(row: Row | null): void {
    for (let at = row; at !== null; at = at.parent) {
      at.version += 1;
      if (at.parent === null) this.#changes.note(at);
    }
  }

  /** Has `addOlder` add rows in front of those that are there. */
  prepend(addOlder: () => void): void {
    const newer = this.#rows;
    this.#rows = [];
    addOlder();
    const older = new Set(this.#rows);
    this.#rows.push(...newer.filter((row) => row.parent === null && !older.has(row)));
    this.#changes.noteAll();
  }

  /** Lets go of the oldest, and gives them back. */
  trim(most: number): readonly Row[] {
    const gone = this.#rows.splice(0, Math.max(0, this.#rows.length - most));
    if (gone.length > 0) this.#changes.noteAll();
    return gone;
  }

  #push(row: Row): void {
    const length = this.#listOf(row).push(row);
    this.#moved(row.parent, length - 1);
  }

  /** From a place on, other rows stand in a list than before. */
  #moved(parent: Row | null, from: number): void {
    if (parent === null) this.#changes.note(from);
    else this.touch(parent);
  }

  #listOf(row: Row): Row[] {
    return row.parent?.children ?? this.#rows;
  }
}

function withKey(rows: readonly Row[], key: string): Row | undefined {
  for (const row of rows) {
    const found = row.key === key ? row : withKey(row.children, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
