import { diffArrays, diffWordsWithSpace } from 'diff';
import { isRecord, valueAt } from './json-pointer.ts';
import type { TextEdit, ToldResult } from './tool-call.ts';

/** One line of a change; unchanged ones carry a space. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
}

/** A line of a change with its place in the text before and after, where that is known. */
export interface HunkLine extends DiffLine {
  readonly before: number | null;
  readonly after: number | null;
  /** The parts of the line that differ from the one it takes the place of. */
  readonly marks: readonly Span[];
}

export type Span = readonly [from: number, to: number];

/** Lines that lie together; between two hunks unchanged lines were left out. */
export type Hunk = readonly HunkLine[];

/** More edits than this take longer than a person waits: the old text is then told whole, and after it the new one. */
const mostEdits = 1_000;
/** The same within a line: one that differs in more places is another line. */
const mostEditsInLine = 100;
const longestMarkedLine = 2_000;
/** So many unchanged lines are told on both sides of a change. */
const context = 3;

/** What changes between two texts, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = linesOf(before, after);
  const parts = diffArrays(old, fresh, { maxEditLength: mostEdits });
  if (parts === undefined) return [...signed('-', old), ...signed('+', fresh)];
  return parts.flatMap(({ added, removed, value }) => signed(added ? '+' : removed ? '-' : ' ', value));
}

/** Where runs of lines stand that are in both texts; none where the texts differ in more than so many lines. */
export function sameLines(
  before: readonly string[],
  after: readonly string[],
  mostDiffering: number,
): { readonly before: number; readonly after: number; readonly count: number }[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: mostDiffering }) ?? [];
  let [old, fresh] = [0, 0];
  return parts.flatMap(({ added, removed, count }) => {
    const run = { before: old, after: fresh, count };
    if (!added) old += count;
    if (!removed) fresh += count;
    return added || removed ? [] : [run];
  });
}

/** What changes between two texts, with little around it. The lines of a text that is new are numbered. */
export function hunksBetween(before: string, after: string): Hunk[] {
  const lines = diffLines(before, after);
  return hunksIn(
    before === ''
      ? numbered(lines, 1, 1)
      : lines.map((line) => ({ ...line, before: null, after: null, marks: [] })),
  );
}

/** Lines that begin at this one of their file, all of them; in those that were replaced, what differs. */
export const hunkAt = (lines: readonly DiffLine[], first: number): Hunk =>
  marked(numbered(lines, first, first));

/** What a change does to its file, or would do; the agent's own account is better, where there is one. */
export function hunksOfChange(edits: readonly TextEdit[], result: ToldResult): readonly Hunk[] {
  const at = result?.output?.patch;
  const told: unknown = at === undefined ? undefined : valueAt(result?.detail, at);
  if (!Array.isArray(told) || told.length === 0)
    return edits.flatMap(({ before, after }) => hunksBetween(before, after));
  return told.filter(isRecord).flatMap(({ lines, oldStart, newStart }) => {
    const texts = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
    return hunksOfPatch(texts, wholeOr(oldStart, 1), wholeOr(newStart, 1));
  });
}

/** The hunks of a patch as git writes it, from its first `@@` on. */
export function hunksOfPatchText(text: string): Hunk[] {
  return text.split(/^(?=@@ )/m).flatMap((part) => {
    const [head = '', ...lines] = part.replace(/\n$/, '').split('\n');
    const [, old, fresh] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
    return old === undefined ? [] : hunksOfPatch(lines, Number(old), Number(fresh));
  });
}

const wholeOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : otherwise;

/** The hunks that begin at a line before and after, told line by line, each with its sign. */
function hunksOfPatch(lines: readonly string[], oldStart: number, newStart: number): Hunk[] {
  const told = lines
    .filter((line) => !line.startsWith('\\'))
    .map((line): DiffLine => {
      const [sign] = line;
      return { sign: sign === '+' || sign === '-' ? sign : ' ', text: line.slice(1) };
    });
  return hunksIn(numbered(told, oldStart, newStart));
}

/**
 * The lines of both texts. A break that ends both ends their last lines; one that ends only one of them is a change, and shown as a
 * line. So is a carriage return, unless all lines of both end with one.
 */
function linesOf(before: string, after: string): [string[], string[]] {
  const texts = [before, after];
  const lineBreak = texts.every((text) => !/(?<!\r)\n/.test(text)) ? '\r\n' : '\n';
  const isEnded = texts.every((text) => text === '' || text.endsWith(lineBreak));
  const cut = (text: string): string[] =>
    text === '' ? [] : (isEnded ? text.slice(0, -lineBreak.length) : text).split(lineBreak);
  return [cut(before), cut(after)];
}

const signed = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }));

function numbered(lines: readonly DiffLine[], oldStart: number, newStart: number): HunkLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => ({
    ...line,
    before: line.sign === '+' ? null : before++,
    after: line.sign === '-' ? null : after++,
    marks: [],
  }));
}

/** Only what is near a change, and in lines that were replaced, what differs. */
function hunksIn(lines: readonly HunkLine[]): Hunk[] {
  const isNear = lines.map(() => false);
  for (const [at, { sign }] of lines.entries()) {
    if (sign !== ' ') isNear.fill(true, Math.max(0, at - context), at + context + 1);
  }
  const hunks: HunkLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at] !== true) continue;
    if (at === 0 || isNear[at - 1] !== true) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  return hunks.map(marked);
}

/** As many lines that come as go are the same lines, changed. */
function marked(hunk: readonly HunkLine[]): Hunk {
  const lines = [...hunk];
  const runFrom = (from: number, sign: DiffLine['sign']): number => {
    let to = from;
    while (lines[to]?.sign === sign) to += 1;
    return to - from;
  };
  for (let at = 0; at < lines.length; at += 1) {
    const removed = runFrom(at, '-');
    const added = runFrom(at + removed, '+');
    for (let n = at; removed === added && n < at + removed; n += 1) markPair(lines, n, n + removed);
    at += Math.max(0, removed + added - 1);
  }
  return lines;
}

function markPair(lines: HunkLine[], old: number, fresh: number): void {
  const [before, after] = [lines[old], lines[fresh]];
  if (before === undefined || after === undefined) return;
  const marks = marksBetween(before.text, after.text);
  if (marks === null) return;
  lines[old] = { ...before, marks: marks[0] };
  lines[fresh] = { ...after, marks: marks[1] };
}

/** What differs within a line and the one that takes its place; null where they are other lines, not changed ones. */
export function marksBetween(
  before: string,
  after: string,
): readonly [before: readonly Span[], after: readonly Span[]] | null {
  if (Math.max(before.length, after.length) > longestMarkedLine) return null;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: mostEditsInLine }) ?? [];
  const common = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.length), 0);
  if (common * 3 < Math.max(before.trim().length, after.trim().length)) return null;
  return [spansOf(parts.filter(({ added }) => !added)), spansOf(parts.filter(({ removed }) => !removed))];
}

/** Where in the line the parts stand that are not in both. */
function spansOf(parts: readonly { added: boolean; removed: boolean; value: string }[]): Span[] {
  let to = 0;
  return parts.flatMap(({ added, removed, value }) => {
    const from = to;
    to += value.length;
    return added || removed ? [[from, to] as const] : [];
  });
}
