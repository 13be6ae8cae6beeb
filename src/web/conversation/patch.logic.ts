import { type DiffLine, diffLines } from '../../model/diff-lines.ts';
import type { ToolItem } from './row.ts';

/** A line of a change with its place in the file before and after, where that is known. */
export interface PatchLine extends DiffLine {
  readonly before: number | null;
  readonly after: number | null;
  /** The part of the line that differs from the one it takes the place of. */
  readonly mark: readonly [from: number, to: number] | null;
}

/** Lines that lie together; between two hunks something was left out. */
export type Hunk = readonly PatchLine[];

const context = 3;

/** What an edit or a write did to a file, or would do; null where that cannot be told. */
export function patchOf({ input, result }: Pick<ToolItem, 'input' | 'result'>): readonly Hunk[] | null {
  const told = patchIn(result?.detail);
  if (told !== null) return told;
  const { old_string: old, new_string: fresh, content, new_source: source, edits } = input;
  if (Array.isArray(edits)) {
    const each = edits.filter(isRecord).flatMap((edit) => changeBetween(edit.old_string, edit.new_string));
    return each.length === 0 ? null : each;
  }
  if (typeof fresh === 'string') return changeBetween(old, fresh);
  if (typeof content === 'string') return hunksIn(numbered(diffLines('', content), { before: 1, after: 1 }));
  if (typeof source === 'string') return changeBetween('', source);
  return null;
}

/** How many lines came and went. */
export function changeIn(hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } {
  const count = (wanted: DiffLine['sign']): number =>
    hunks.reduce((sum, hunk) => sum + hunk.filter(({ sign }) => sign === wanted).length, 0);
  return { added: count('+'), removed: count('-') };
}

/** The agent's own account of the change. */
function patchIn(detail: unknown): readonly Hunk[] | null {
  const patch = isRecord(detail) ? detail.structuredPatch : undefined;
  if (!Array.isArray(patch) || patch.length === 0) return null;
  return patch.filter(isRecord).flatMap(({ lines, oldStart, newStart }) => {
    const told = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
    const start = { before: wholeOr(oldStart, 1), after: wholeOr(newStart, 1) };
    return hunksIn(numbered(told.filter((line) => !line.startsWith('\\')).map(lineOf), start));
  });
}

function changeBetween(before: unknown, after: unknown): readonly Hunk[] {
  const lines = diffLines(typeof before === 'string' ? before : '', typeof after === 'string' ? after : '');
  return hunksIn(lines.map((line) => ({ ...line, before: null, after: null, mark: null })));
}

function lineOf(line: string): DiffLine {
  const [sign] = line;
  return { sign: sign === '+' || sign === '-' ? sign : ' ', text: line.slice(1) };
}

function numbered(lines: readonly DiffLine[], start: { before: number; after: number }): PatchLine[] {
  let { before, after } = start;
  return lines.map((line) => {
    const place = {
      before: line.sign === '+' ? null : before,
      after: line.sign === '-' ? null : after,
    };
    if (line.sign !== '+') before += 1;
    if (line.sign !== '-') after += 1;
    return { ...line, ...place, mark: null };
  });
}

/** Only what is near a change, and in lines that were replaced, what differs. */
function hunksIn(lines: readonly PatchLine[]): readonly Hunk[] {
  const isNear = lines.map(() => false);
  for (const [at, { sign }] of lines.entries()) {
    if (sign !== ' ') isNear.fill(true, Math.max(0, at - context), at + context + 1);
  }
  const hunks: PatchLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at] !== true) continue;
    if (at === 0 || isNear[at - 1] !== true) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  return hunks.map(marked);
}

function marked(hunk: readonly PatchLine[]): Hunk {
  const lines = [...hunk];
  for (let at = 0; at < lines.length; at += 1) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed, '+');
    if (removed > 0 && removed === added) {
      for (let n = at; n < at + removed; n += 1) markPair(lines, n, n + removed);
    }
    at += Math.max(0, removed + added - 1);
  }
  return lines;
}

function runOf(lines: readonly PatchLine[], from: number, sign: DiffLine['sign']): number {
  let to = from;
  while (lines[to]?.sign === sign) to += 1;
  return to - from;
}

function markPair(lines: PatchLine[], old: number, fresh: number): void {
  const [before, after] = [lines[old], lines[fresh]];
  if (before === undefined || after === undefined) return;
  const head = commonHead(before.text, after.text);
  const tail = commonTail(before.text.slice(head), after.text.slice(head));
  // Lines that have little in common are other lines, not changed ones.
  if ((head + tail) * 3 < Math.max(before.text.trim().length, after.text.trim().length)) return;
  lines[old] = { ...before, mark: [head, before.text.length - tail] };
  lines[fresh] = { ...after, mark: [head, after.text.length - tail] };
}

const isWord = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);

/** So much is the same at the beginning, in whole words. */
function commonHead(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  while (at > 0 && isWord(a[at - 1]) && (isWord(a[at]) || isWord(b[at]))) at -= 1;
  return at;
}

function commonTail(a: string, b: string): number {
  let at = 0;
  while (at < Math.min(a.length, b.length) && a[a.length - 1 - at] === b[b.length - 1 - at]) at += 1;
  while (at > 0 && isWord(a[a.length - at]) && (isWord(a[a.length - at - 1]) || isWord(b[b.length - at - 1])))
    at -= 1;
  return at;
}

const wholeOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : otherwise;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
