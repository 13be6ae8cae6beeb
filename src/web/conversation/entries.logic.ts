import type { Conversation } from './conversation.logic.ts';
import type { NoticeEvent, Row, ToolItem } from './row.ts';
import { callIn, isAtWork } from './tool-call.logic.ts';

/** A conversation as a flat list of what is drawn, one under the other, so that only what is on the screen has to be. */
export type Entry = RowEntry | FoldEntry | ReportEntry;

interface Placed {
  readonly key: string;
  /** How many sub-agents deep. */
  readonly depth: number;
  readonly space: Space;
  /** Its height as far as it can be told without drawing it. */
  readonly estimate: number;
}

export interface RowEntry extends Placed {
  readonly kind: 'row';
  readonly row: Row;
  readonly isOpen: boolean;
}

/** A run of reads and searches in one line; when it is open, they follow it. */
export interface FoldEntry extends Placed {
  readonly kind: 'fold';
  readonly rows: readonly Row[];
  readonly isOpen: boolean;
}

/** What a sub-agent came back with, after all that it did. */
export interface ReportEntry extends Placed {
  readonly kind: 'report';
  readonly row: Row;
}

/** How far it stays from its neighbours, whatever they are: a page that is read in front must not change its height. */
export type Space = 'line' | 'block' | 'turn';

/** Which parts a person opened or closed; the rest is as it is by default. */
export interface Openness {
  readonly chosen: ReadonlyMap<string, boolean>;
  /** Whether tool calls show all they have unless they are closed one by one. */
  readonly areDetailsOpen: boolean;
}

export const defaultOpenness: Openness = { chosen: new Map(), areDetailsOpen: false };

const leastFolded = 2;
const within = -1;

/** Which rows of a list are to be read. */
interface Part {
  readonly from: number;
  /** For each row that was read, where its entries begin among those that were made. */
  readonly starts: number[];
  /** Whether all from this row on stays as it is. */
  isEnd(at: number): boolean;
}

/**
 * A conversation as a list of entries. Read again, it looks only at the rows that changed and at those next to them, and
 * what stays the same stays the same object.
 */
export class EntryReader {
  readonly #rowEntries = new WeakMap<Row, RowEntry>();
  readonly #foldNames = new WeakMap<Row, string>();
  /** Sub-agents that were seen at work stay open when they are done: what one is reading must not vanish. */
  readonly #seenAtWork = new WeakSet<Row>();
  #entries: Entry[] = [];
  /** For each row at the top, where its entries begin; `within` for one whose entries depend on the rows before it. */
  #starts: number[] = [];
  #conversation: Conversation | undefined;
  #openness: Openness | undefined;
  #changeCount = 0;
  #firstChanged = 0;
  /** The entries that are being made, and whether the agent had begun before them. */
  #made: Entry[] = [];
  #hasBegun = false;

  /** The same array each time. */
  read(conversation: Conversation, openness: Openness): readonly Entry[] {
    const isOther = conversation !== this.#conversation || openness !== this.#openness;
    const { rows, movedFrom } = conversation.changedSince(this.#changeCount);
    this.#conversation = conversation;
    this.#openness = openness;
    this.#changeCount = conversation.changeCount;
    this.#firstChanged = this.#entries.length;
    const from = isOther ? 0 : movedFrom;
    this.#starts.length = Math.min(this.#starts.length, from);
    for (const row of from === 0 ? [] : rows) {
      // What changes is nearly always near the end.
      const at = conversation.rows.lastIndexOf(row);
      if (at !== -1 && at < from) this.#readFrom(conversation, openness, at, at);
    }
    if (from !== Number.POSITIVE_INFINITY)
      this.#readFrom(conversation, openness, from, Number.POSITIVE_INFINITY);
    return this.#entries;
  }

  /** The first entry that the last reading changed, or the number of entries. */
  get firstChanged(): number {
    return this.#firstChanged;
  }

  /** The name of the run that a row is folded into, if it is. */
  foldOf(row: Row): string | undefined {
    return this.#foldNames.get(row);
  }

  /** Reads the rows at the top again: those next to one that changed, or, without an end, all from it on. */
  #readFrom(conversation: Conversation, openness: Openness, changed: number, upTo: number): void {
    const starts = this.#starts;
    const from = this.#startBefore(changed);
    const start = starts[from] ?? 0;
    this.#made = [];
    const begun = this.#entries.findIndex(isDoing);
    this.#hasBegun = begun !== -1 && begun < start;
    const part: Part = {
      from,
      starts: [],
      // What is left out because the agent has not begun yet depends on all before it.
      isEnd: (at) => at > upTo && this.#hasBegun && (starts[at] ?? within) !== within,
    };
    const to = this.#readRows(conversation, conversation.rows, openness, 0, part);
    const end = starts[to] ?? this.#entries.length;
    for (const [at, made] of part.starts.entries())
      starts[from + at] = made === within ? within : start + made;
    const grown = this.#made.length - (end - start);
    for (let at = to; grown !== 0 && at < starts.length; at += 1) {
      const known = starts[at] ?? within;
      if (known !== within) starts[at] = known + grown;
    }
    this.#replace(start, end);
  }

  /** The nearest row before one that may depend on it: what is there is read the same whatever lies before it. */
  #startBefore(changed: number): number {
    let from = Math.max(0, Math.min(changed, this.#starts.length) - 1);
    while (from > 0 && this.#starts[from] === within) from -= 1;
    return from;
  }

  #replace(start: number, end: number): void {
    const [entries, made] = [this.#entries, this.#made];
    let same = 0;
    while (same < made.length && start + same < end && made[same] === entries[start + same]) same += 1;
    if (same === made.length && start + same === end) return;
    this.#firstChanged = Math.min(this.#firstChanged, start + same);
    if (end === entries.length) {
      entries.length = start + same;
      for (const entry of made.slice(same)) entries.push(entry);
    } else this.#entries = [...entries.slice(0, start), ...made, ...entries.slice(end)];
  }

  /** Reads rows that lie beside each other, and tells at which it ended. */
  #readRows(
    conversation: Conversation,
    rows: readonly Row[],
    openness: Openness,
    depth: number,
    part: Part = { from: 0, starts: [], isEnd: () => false },
  ): number {
    let run: Row[] = [];
    const endRun = (): void => {
      if (run.length >= leastFolded) this.#addFold(run, openness, depth);
      else for (const row of run) this.#addRow(row, openness, depth);
      run = [];
    };
    for (let at = part.from; at < rows.length; at += 1) {
      const row = rows[at];
      if (row === undefined) break;
      const isLeftOut = !isShown(conversation, row) || (depth === 0 && this.#isPreamble(row));
      if (run.length > 0 && !isLeftOut && !isFoldable(row)) endRun();
      const isWithin = run.length > 0 || isCrash(this.#made.at(-1));
      if (!isWithin && part.isEnd(at)) return at;
      part.starts.push(isWithin ? within : this.#made.length);
      if (isLeftOut) continue;
      if (isFoldable(row)) {
        run.push(row);
        continue;
      }
      this.#addRow(row, openness, depth);
      if (row.item.kind === 'tool' && hasInside(row.item, row)) {
        this.#readInside(conversation, row, row.item, openness, depth + 1);
      }
    }
    if (run.length > 0) endRun();
    return rows.length;
  }

  /** With which mode and model an agent starts is no news; that it changes them is. */
  #isPreamble({ item }: Row): boolean {
    if (item.kind !== 'notice') return false;
    const { event } = item;
    const isSetting = event.type === 'mode.changed' || event.type === 'model.changed';
    return isSetting && event.by.kind === 'agent' && !this.#hasBegun && !this.#made.some(isDoing);
  }

  #readInside(conversation: Conversation, row: Row, item: ToolItem, openness: Openness, depth: number): void {
    if (!this.#isOpen(row, openness)) {
      // Whatever waits for a person is shown, also when all around it is put away.
      for (const asking of openAsks(conversation, row.children)) this.#addRow(asking, openness, depth);
      return;
    }
    this.#readRows(conversation, row.children, openness, depth);
    if (reportOf(item) === null) return;
    const key = `${row.key}:report`;
    this.#made.push({ kind: 'report', key, row, depth, space: 'block', estimate: 80 });
  }

  #addFold(rows: readonly Row[], openness: Openness, depth: number): void {
    const key = this.#foldNameOf(rows);
    const isOpen = openness.chosen.get(key) ?? openness.areDetailsOpen;
    this.#made.push({ kind: 'fold', key, rows, depth, isOpen, space: 'line', estimate: 28 });
    if (isOpen) for (const row of rows) this.#addRow(row, openness, depth + 1);
  }

  /** A run keeps its name when it grows at either end: a page that comes in front must not make it another. */
  #foldNameOf(rows: readonly Row[]): string {
    const [first] = rows;
    const known = rows.map((row) => this.#foldNames.get(row)).find((name) => name !== undefined);
    const name = known ?? `fold:${first?.key ?? ''}`;
    for (const row of rows) this.#foldNames.set(row, name);
    return name;
  }

  #addRow(row: Row, openness: Openness, depth: number): void {
    // That it failed says that it was not started again.
    if (isNoticeOf(row, 'session.failed') && isCrash(this.#made.at(-1))) this.#made.pop();
    const isOpen = this.#isOpen(row, openness);
    const hasAsks = this.#conversation !== undefined && asksWithin(this.#conversation, row).length > 0;
    const space = hasAsks ? 'block' : spaceOf(row);
    const known = this.#rowEntries.get(row);
    const entry: RowEntry =
      known?.isOpen === isOpen && known.depth === depth && known.space === space
        ? known
        : {
            kind: 'row',
            key: row.key,
            row,
            depth,
            isOpen,
            space,
            estimate: hasAsks ? 240 : estimateOf(row, isOpen),
          };
    this.#rowEntries.set(row, entry);
    this.#made.push(entry);
  }

  #isOpen(row: Row, { chosen, areDetailsOpen }: Openness): boolean {
    const wanted = chosen.get(row.key);
    if (wanted !== undefined) return wanted;
    const { item } = row;
    if (item.kind !== 'tool') return false;
    if (!item.startsAgent) return areDetailsOpen;
    if (isAtWork(item)) this.#seenAtWork.add(row);
    return areDetailsOpen || this.#seenAtWork.has(row);
  }
}

/** The call's result, where it is the words of a sub-agent and not only that one was started. */
export function reportOf({ startsAgent, result, task }: ToolItem): string | null {
  if (!startsAgent || result === null) return null;
  const words = result.output?.goesOn === true ? (task?.summary ?? '') : result.text;
  return words.trim() === '' ? null : words;
}

function isShown(conversation: Conversation, row: Row): boolean {
  const { item } = row;
  switch (item.kind) {
    case 'interaction':
      return !conversation.isWithinCall(row);
    case 'text':
    case 'thinking':
      return item.text.trim() !== '';
    case 'tool': {
      // The card tells of a call that waits, and of a question that was answered.
      const hasCard =
        item.interactionId !== null && conversation.interaction(item.interactionId) !== undefined;
      return !(conversation.isAsked(item) || (hasCard && callIn(item).is === 'question'));
    }
    default:
      return true;
  }
}

/** Whether the agent has begun to do something. */
const isDoing = (entry: Entry): boolean =>
  entry.kind !== 'row' || (entry.row.item.kind !== 'message' && entry.row.item.kind !== 'notice');

const isNoticeOf = ({ item }: Row, type: NoticeEvent['type']): boolean =>
  item.kind === 'notice' && item.event.type === type;

const isCrash = (entry: Entry | undefined): boolean =>
  entry?.kind === 'row' && isNoticeOf(entry.row, 'process.exited');

function isFoldable({ item, children }: Row): boolean {
  if (item.kind !== 'tool' || children.length > 0 || item.result?.isError === true) return false;
  const { is } = callIn(item);
  return is === 'read' || is === 'search';
}

const hasInside = (item: ToolItem, { children }: Row): boolean => item.startsAgent || children.length > 0;

function openAsks(conversation: Conversation, rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => {
    const isAsking = isOpenAsk(row)
      ? !conversation.isWithinCall(row)
      : asksWithin(conversation, row).some(isOpenAsk);
    return isAsking ? [row] : openAsks(conversation, row.children);
  });
}

const isOpenAsk = ({ item }: Row): boolean =>
  item.kind === 'interaction' && item.interaction.status === 'open';

const asksWithin = (conversation: Conversation, { item }: Row): readonly Row[] =>
  item.kind === 'tool' ? conversation.asksWithin(item.toolCallId) : [];

function spaceOf({ item }: Row): Space {
  switch (item.kind) {
    case 'message':
    case 'turn-end':
      return 'turn';
    case 'text':
      return 'block';
    case 'interaction':
      return item.interaction.status === 'open' ? 'block' : 'line';
    case 'tool':
    case 'thinking':
    case 'notice':
    case 'inserted-text':
      return 'line';
  }
}

const lineHeight = 22;
const charactersInLine = 100;

function estimateOf({ item }: Row, isOpen: boolean): number {
  switch (item.kind) {
    case 'text':
      return 12 + Math.ceil((item.text.length * 1.2) / charactersInLine) * lineHeight;
    case 'message':
      return 42 + Math.min(12, Math.ceil(item.text.length / 80)) * lineHeight;
    case 'interaction':
      return item.interaction.status === 'open' ? 220 : 28;
    case 'turn-end':
      return 56;
    case 'tool':
      return isOpen && !item.startsAgent ? 240 : 28;
    case 'thinking':
    case 'notice':
    case 'inserted-text':
      return 28;
  }
}
