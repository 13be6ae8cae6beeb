import { diffArrays } from 'diff';
import { type DiffLine, marksBetween, type Span } from '../../model/diff-lines.ts';

/** A line of a file's patch. */
export interface PatchLine extends DiffLine {
  /** The same in the next patch of the file, as long as the line itself stays: what is in view stays in view. */
  readonly key: string;
  readonly before: number | null;
  readonly after: number | null;
  /** Where the line stands that takes its place, or whose place it takes; -1 where there is none. */
  readonly partner: number;
  /** It is the last of its file, and no break ends it. */
  readonly isUnended: boolean;
}

/** Unchanged lines by their numbers before, which stay the same whatever happens to the file now. */
export interface Unchanged {
  readonly from: number;
  /** Infinite where it is not known how many follow. */
  readonly to: number;
}

export interface PatchLines {
  readonly lines: readonly PatchLine[];
  /** Where hunks begin, and which lines were left out before each. */
  readonly gaps: ReadonlyMap<number, Unchanged>;
  /** Something may follow that was left out. */
  readonly isOpenEnded: boolean;
  /** It was asked for with every line of the file. */
  readonly isWhole: boolean;
}

/** So many unchanged lines are told on both sides of a change. */
const context = 3;
/** More edits than this between two patches take longer than a person waits: all lines are then new ones. */
const mostEdits = 400;

/** The lines of one file's hunks, as git writes them. Lines that were in the patch before keep their keys. */
export function readPatch(text: string, isWhole: boolean, last?: PatchLines): PatchLines {
  const gaps = new Map<number, Unchanged>();
  const read: Unnamed[] = [];
  let [before, after, left] = [1, 1, 0];
  let isUnended = false;
  for (const line of linesIn(text)) {
    const hunk = left === 0 ? hunkStart.exec(line) : null;
    if (hunk !== null) {
      const [, oldStart = '1', oldCount = '1', newStart = '1', newCount = '1'] = hunk;
      // Of a side without lines git tells the line before.
      const start = Number(oldStart) + (oldCount === '0' ? 1 : 0);
      if (start > before) gaps.set(read.length, { from: before, to: start - 1 });
      before = start;
      after = Number(newStart) + (newCount === '0' ? 1 : 0);
      left = Number(oldCount) + Number(newCount);
      continue;
    }
    const [sign] = line;
    if (sign === '\\') {
      const unended = read.at(-1);
      if (unended !== undefined) read[read.length - 1] = { ...unended, isUnended: true };
      isUnended = true;
      continue;
    }
    const isAdded = sign === '+';
    const isRemoved = sign === '-';
    left -= isAdded || isRemoved ? 1 : 2;
    read.push({
      sign: isAdded ? '+' : isRemoved ? '-' : ' ',
      text: line.slice(1),
      before: isAdded ? null : before++,
      after: isRemoved ? null : after++,
      partner: -1,
      isUnended: false,
    });
  }
  pair(read);
  const around = read.slice(-context).filter(({ sign }) => sign === ' ').length;
  return {
    lines: named(read, isWhole, last),
    gaps,
    isOpenEnded: !isWhole && !isUnended && around === context,
    isWhole,
  };
}

type Unnamed = Omit<PatchLine, 'key'>;

const hunkStart = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function linesIn(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** As many lines that come as go are the same lines, changed. */
function pair(lines: Unnamed[]): void {
  const runFrom = (from: number, sign: DiffLine['sign']): number => {
    let to = from;
    while (lines[to]?.sign === sign) to += 1;
    return to - from;
  };
  for (let at = 0; at < lines.length; ) {
    const removed = runFrom(at, '-');
    const added = runFrom(at + removed, '+');
    for (let n = at; removed === added && n < at + removed; n += 1) {
      const [old, fresh] = [lines[n], lines[n + removed]];
      if (old === undefined || fresh === undefined) continue;
      lines[n] = { ...old, partner: n + removed };
      lines[n + removed] = { ...fresh, partner: n };
    }
    at += Math.max(1, removed + added);
  }
}

let lastKey = 0;
const freshKey = (): string => {
  lastKey += 1;
  return `line-${lastKey}`;
};

function named(read: readonly Unnamed[], isWhole: boolean, last: PatchLines | undefined): PatchLine[] {
  const keys = last === undefined ? [] : carried(last, read, isWhole);
  return read.map((line, at) => ({ ...line, key: keys[at] ?? freshKey() }));
}

/** The keys of lines that were there before. With more or fewer lines around the same changes, lines are known by their numbers. */
function carried(last: PatchLines, read: readonly Unnamed[], isWhole: boolean): (string | undefined)[] {
  if (last.isWhole !== isWhole) {
    const byNumbers = new Map(last.lines.map(({ before, after, key }) => [`${before}/${after}`, key]));
    return read.map(({ before, after }) => byNumbers.get(`${before}/${after}`));
  }
  const keys: (string | undefined)[] = new Array(read.length).fill(undefined);
  const old = last.lines;
  const isSame = (a: number, b: number): boolean =>
    old[a]?.text === read[b]?.text && old[a]?.sign === read[b]?.sign;
  const most = Math.min(old.length, read.length);
  let [head, tail] = [0, 0];
  while (head < most && isSame(head, head)) head += 1;
  while (tail < most - head && isSame(old.length - 1 - tail, read.length - 1 - tail)) tail += 1;
  for (let at = 0; at < head; at += 1) keys[at] = old[at]?.key;
  for (let at = 1; at <= tail; at += 1) keys[read.length - at] = old[old.length - at]?.key;
  const told = (lines: readonly DiffLine[]): string[] =>
    lines.slice(head, lines.length - tail).map(({ sign, text }) => sign + text);
  const parts = diffArrays(told(old), told(read), { maxEditLength: mostEdits }) ?? [];
  let [from, to] = [head, head];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) for (let n = 0; n < count; n += 1) keys[to + n] = old[from + n]?.key;
    if (!added) from += count;
    if (!removed) to += count;
  }
  return keys;
}

/** What differs within a line; asked for as lines come into view, for a file can have fifty thousand that were changed. */
export function marksIn(lines: readonly PatchLine[], line: PatchLine): readonly Span[] {
  const partner = lines[line.partner];
  if (partner === undefined) return [];
  const [old, fresh] = line.sign === '-' ? [line, partner] : [partner, line];
  const known = marks.get(old) ?? marksBetween(old.text, fresh.text) ?? [[], []];
  marks.set(old, known);
  return line.sign === '-' ? known[0] : known[1];
}

const marks = new WeakMap<PatchLine, readonly [readonly Span[], readonly Span[]]>();

/** What is drawn of a patch: lines one after the other, and where some are left out. */
export type Shown =
  | { readonly is: 'line'; readonly at: number }
  | { readonly is: 'gap'; readonly lines: Unchanged };

/** Unchanged lines far from a change are folded, but for those that were opened. */
export function folded(
  { lines, gaps, isOpenEnded, isWhole }: PatchLines,
  isOpened: (line: PatchLine) => boolean,
): Shown[] {
  const shown: Shown[] = [];
  const isSeen = isWhole ? seenLines(lines, isOpened) : undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const left = gaps.get(at);
    if (left !== undefined) shown.push({ is: 'gap', lines: left });
    let to = at;
    while (isSeen !== undefined && to < lines.length && isSeen[to] === 0) to += 1;
    // A line that says that one is left out is no shorter.
    if (to - at <= 1) shown.push({ is: 'line', at });
    else {
      const [from, last] = [lines[at]?.before ?? 0, lines[to - 1]?.before ?? 0];
      shown.push({ is: 'gap', lines: { from, to: last } });
      at = to - 1;
    }
  }
  const last = lines.findLast(({ before }) => before !== null)?.before ?? 0;
  if (isOpenEnded) shown.push({ is: 'gap', lines: { from: last + 1, to: Number.POSITIVE_INFINITY } });
  return shown;
}

function seenLines(lines: readonly PatchLine[], isOpened: (line: PatchLine) => boolean): Uint8Array {
  const seen = new Uint8Array(lines.length);
  for (const [at, line] of lines.entries()) {
    if (line.sign !== ' ') seen.fill(1, Math.max(0, at - context), at + context + 1);
    else if (isOpened(line)) seen[at] = 1;
  }
  return seen;
}

/** Two lines beside each other, by where they stand; -1 where that side has none. */
export type Beside = readonly [before: number, after: number];

/** The first line that goes beside the first that comes. */
export function beside(lines: readonly PatchLine[], from: number, to: number): Beside[] {
  const pairs: Beside[] = [];
  let [gone, come]: [number[], number[]] = [[], []];
  const endRun = (): void => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1)
      pairs.push([gone[at] ?? -1, come[at] ?? -1]);
    [gone, come] = [[], []];
  };
  for (let at = from; at < to; at += 1) {
    const sign = lines[at]?.sign;
    if (sign === '-' && come.length > 0) endRun();
    if (sign === '-') gone.push(at);
    else if (sign === '+') come.push(at);
    else {
      endRun();
      pairs.push([at, at]);
    }
  }
  endRun();
  return pairs;
}
