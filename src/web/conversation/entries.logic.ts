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

const leastFolded = 2;

/** Makes the list anew whenever the conversation or what is open changes; what stays the same stays the same object. */
export class EntryReader {
  readonly #rowEntries = new WeakMap<Row, RowEntry>();
  readonly #foldNames = new WeakMap<Row, string>();
  /** Sub-agents that were seen at work stay open when they are done: what one is reading must not vanish. */
  readonly #seenAtWork = new WeakSet<Row>();
  #entries: Entry[] = [];
  #hasAsks = (_row: Row): boolean => false;

  read(conversation: Conversation, openness: Openness): readonly Entry[] {
    this.#entries = [];
    this.#hasAsks = (row) => asksWithin(conversation, row).length > 0;
    this.#readRows(conversation, conversation.rows, openness, 0);
    return this.#entries;
  }

  /** The name of the run that a row is folded into, if it is. */
  foldOf(row: Row): string | undefined {
    return this.#foldNames.get(row);
  }

  #readRows(conversation: Conversation, rows: readonly Row[], openness: Openness, depth: number): void {
    let run: Row[] = [];
    const endRun = (): void => {
      if (run.length >= leastFolded) this.#addFold(run, openness, depth);
      else for (const row of run) this.#addRow(row, openness, depth);
      run = [];
    };
    for (const row of rows) {
      if (!isShown(conversation, row) || (depth === 0 && this.#isPreamble(row))) continue;
      if (isFoldable(row)) {
        run.push(row);
        continue;
      }
      if (run.length > 0) endRun();
      this.#addRow(row, openness, depth);
      if (row.item.kind === 'tool' && hasInside(row.item, row)) {
        this.#readInside(conversation, row, row.item, openness, depth + 1);
      }
    }
    if (run.length > 0) endRun();
  }

  /** With which mode and model an agent starts is no news; that it changes them is. */
  #isPreamble({ item }: Row): boolean {
    if (item.kind !== 'notice') return false;
    const { event } = item;
    const isSetting = event.type === 'mode.changed' || event.type === 'model.changed';
    return isSetting && event.by.kind === 'agent' && !this.#entries.some(isDoing);
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
    this.#entries.push({ kind: 'report', key, row, depth, space: 'block', estimate: 80 });
  }

  #addFold(rows: readonly Row[], openness: Openness, depth: number): void {
    const key = this.#foldNameOf(rows);
    const isOpen = openness.chosen.get(key) ?? openness.areDetailsOpen;
    this.#entries.push({ kind: 'fold', key, rows, depth, isOpen, space: 'line', estimate: 28 });
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
    if (isNoticeOf(row, 'session.failed') && isCrash(this.#entries.at(-1))) this.#entries.pop();
    const isOpen = this.#isOpen(row, openness);
    const hasAsks = this.#hasAsks(row);
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
    this.#entries.push(entry);
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
