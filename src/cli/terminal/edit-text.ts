import { graphemesOf, textWidth } from '../render/text-width.ts';

/** A text and the place in it where the next letter goes, always between two characters as a person sees them. */
export interface Draft {
  readonly text: string;
  readonly at: number;
}

export interface Editing extends Draft {
  /** What was cut last, to be put in again. */
  readonly cut: string;
  /** How it was before, the last one last. */
  readonly before: readonly Draft[];
  /** What the last change was: letters that are typed one after the other are undone together. */
  readonly last: 'typed' | 'cut' | 'other';
}

export type Edit =
  | { readonly do: 'type'; readonly text: string }
  | { readonly do: 'put'; readonly text: string }
  | { readonly do: EditWord };

export type EditWord =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'delete-left'
  | 'delete-right'
  | 'cut-word-left'
  | 'cut-word-right'
  | 'cut-line-start'
  | 'cut-line-end'
  | 'put-back'
  | 'clear'
  | 'undo';

export const emptyEditing: Editing = { text: '', at: 0, cut: '', before: [], last: 'other' };

const mostUndone = 200;

export function edit(now: Editing, edit: Edit): Editing {
  const { text, at } = now;
  switch (edit.do) {
    case 'type':
      return changed(
        now,
        { text: text.slice(0, at) + edit.text + text.slice(at), at: at + edit.text.length },
        'typed',
      );
    case 'put':
      return changed(
        now,
        { text: text.slice(0, at) + edit.text + text.slice(at), at: at + edit.text.length },
        'other',
      );
    case 'left':
      return moved(now, characterLeft(now));
    case 'right':
      return moved(now, characterRight(now));
    case 'word-left':
      return moved(now, wordLeft(now));
    case 'word-right':
      return moved(now, wordRight(now));
    case 'line-start':
      return moved(now, lineStart(now));
    case 'line-end':
      return moved(now, lineEnd(now));
    case 'delete-left':
      return without(now, characterLeft(now), at, false);
    case 'delete-right':
      return without(now, at, characterRight(now), false);
    case 'cut-word-left':
      return without(now, wordLeft(now), at, true);
    case 'cut-word-right':
      return without(now, at, wordRight(now), true);
    case 'cut-line-start':
      return without(now, lineStart(now), at, true);
    case 'cut-line-end': {
      const end = lineEnd(now);
      // At the end of a line, the break is what is cut.
      return without(now, at, end === at ? characterRight(now) : end, true);
    }
    case 'put-back':
      return now.cut === '' ? now : put(now, now.cut);
    case 'clear':
      return changed(now, { text: '', at: 0 }, 'other');
    case 'undo': {
      const draft = now.before.at(-1);
      return draft === undefined ? now : { ...now, ...draft, before: now.before.slice(0, -1), last: 'other' };
    }
  }
}

const put = (now: Editing, text: string): Editing => edit(now, { do: 'put', text });

const moved = (now: Editing, at: number): Editing => ({ ...now, at, last: 'other' });

/** A change that can be undone. */
function changed(now: Editing, draft: Draft, kind: Editing['last'], cut = now.cut): Editing {
  if (draft.text === now.text) return { ...now, cut, last: kind };
  const isContinued = kind === 'typed' && now.last === 'typed';
  const before = isContinued
    ? now.before
    : [...now.before, { text: now.text, at: now.at }].slice(-mostUndone);
  return { text: draft.text, at: between(draft), cut, before, last: kind };
}

function without(now: Editing, from: number, to: number, isCut: boolean): Editing {
  if (from === to) return now;
  const piece = now.text.slice(from, to);
  const draft = { text: now.text.slice(0, from) + now.text.slice(to), at: from };
  if (!isCut) return changed(now, draft, 'other');
  // Several cuts in a row are put back together.
  const joined = now.last !== 'cut' ? piece : to === now.at ? piece + now.cut : now.cut + piece;
  return changed(now, draft, 'cut', joined);
}

/** A letter may join the one before or behind it to one character: then the place is behind that. No character goes over a line break. */
function between(draft: Draft): number {
  let end = lineStart(draft);
  for (const grapheme of graphemesOf(draft.text.slice(end, lineEnd(draft)))) {
    if (end >= draft.at) break;
    end += grapheme.length;
  }
  return end;
}

function characterLeft(draft: Draft): number {
  const { text, at } = draft;
  const start = lineStart(draft);
  if (start === at) return Math.max(0, at - 1);
  return at - (graphemesOf(text.slice(start, at)).at(-1)?.length ?? 0);
}

function characterRight(draft: Draft): number {
  const { text, at } = draft;
  const end = lineEnd(draft);
  if (end === at) return Math.min(text.length, at + 1);
  return at + (graphemesOf(text.slice(at, end))[0]?.length ?? 0);
}

const wordLeft = ({ text, at }: Draft): number =>
  between({ text, at: at - lettersBefore(text.slice(0, at)) });

const wordRight = ({ text, at }: Draft): number => between({ text, at: at + lettersBehind(text.slice(at)) });

const lettersBefore = (text: string): number =>
  /[\p{L}\p{M}\p{N}_]*[^\p{L}\p{M}\p{N}_]*$/u.exec(text)?.[0].length ?? 0;

const lettersBehind = (text: string): number =>
  /^[^\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]*/u.exec(text)?.[0].length ?? 0;

const lineStart = ({ text, at }: Draft): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

function lineEnd({ text, at }: Draft): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The text as rows of a terminal, each with what is before it, and where the cursor is. */
export interface Layout {
  readonly rows: readonly LaidRow[];
  readonly row: number;
  readonly column: number;
}

interface LaidRow {
  readonly shown: string;
  /** The place of each column's character in the text; one more at the end. */
  readonly places: readonly { readonly at: number; readonly column: number }[];
}

export interface LayoutOptions {
  readonly width: number;
  /** Before the first row; the others begin under its end. */
  readonly prompt: string;
  /** Letters that nobody beside should read. */
  readonly isSecret?: boolean;
  /** Of a long text, only so many lines before and behind the cursor. */
  readonly around?: number;
}

const tab = '    ';

/** The last column stays free: there a terminal leaves open in which row the cursor is. */
export function layOut(draft: Draft, { width, prompt, isSecret = false, around }: LayoutOptions): Layout {
  const { at } = draft;
  const [first, end] = around === undefined ? [0, draft.text.length] : linesAround(draft, around);
  const text = draft.text.slice(first, end);
  const isNarrow = width < textWidth(prompt) + 4;
  const indent = isNarrow ? '' : ' '.repeat(textWidth(prompt));
  const head = isNarrow || first > 0 ? indent : prompt;
  const most = Math.max(indent.length + 2, width - 1);
  const rows: { shown: string; places: { at: number; column: number }[] }[] = [];
  let row = { shown: head, places: [] as { at: number; column: number }[] };
  let column = indent.length;
  let place = first;
  let cursor = { row: 0, column };
  const next = () => {
    rows.push(row);
    row = { shown: indent, places: [] };
    column = indent.length;
  };
  const mark = () => {
    row.places.push({ at: place, column });
    if (place === at) cursor = { row: rows.length, column };
  };
  for (const grapheme of graphemesOf(text)) {
    if (grapheme === '\n') {
      mark();
      place += grapheme.length;
      next();
      continue;
    }
    const shown = grapheme === '\t' ? tab : isSecret ? '•' : grapheme;
    const wide = textWidth(shown);
    if (column + wide > most && column > indent.length) next();
    mark();
    row.shown += shown;
    column += wide;
    place += grapheme.length;
  }
  if (column >= most) next();
  mark();
  return { rows: [...rows, row], ...cursor };
}

function linesAround({ text, at }: Draft, count: number): readonly [from: number, to: number] {
  let from = at;
  for (let line = 0; line <= count && from > 0; line += 1) from = lineStart({ text, at: from - 1 });
  let to = at;
  for (let line = 0; line <= count && to < text.length; line += 1) to = lineEnd({ text, at: to + 1 });
  return [from, to];
}

/** The place a row above or below, in this column or at the row's end; undefined at the edge. */
export function rowBeside(layout: Layout, step: -1 | 1, column = layout.column): number | undefined {
  const row = layout.rows[layout.row + step];
  return (row?.places.findLast((place) => place.column <= column) ?? row?.places[0])?.at;
}
