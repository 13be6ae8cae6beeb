import { type DiffLine, diffLines, type Hunk, hunkAt } from './diff-lines.ts';
import type { TextEdit } from './tool-call.ts';

/** Where an edit stands in the text of its file. */
export type EditPlace =
  /** Its lines with those around them, numbered as in the file. */
  | {
      readonly is: 'placed';
      readonly hunk: Hunk;
      /** How many more lines the file has above and below. */
      readonly above: number;
      readonly below: number;
      readonly text: string;
    }
  /** It is to be made wherever its text stands, the first time in this line. */
  | {
      readonly is: 'everywhere';
      readonly count: number;
      readonly line: number;
      readonly text: string;
    }
  /** The old text stands in several places, and nobody knows which is meant. */
  | { readonly is: 'several'; readonly count: number }
  /** The file does not hold the old text. */
  | { readonly is: 'absent' };

/** `text` of a place is the file after the edit, for the next one of the same call. */
export function placeOfEdit(file: string, edit: TextEdit, around: number): EditPlace {
  // Agents leave carriage returns out of what they say.
  const isFound = file.includes(edit.before);
  const text = isFound ? file : file.replaceAll('\r\n', '\n');
  const places = edit.before === '' ? [] : placesOf(text, edit.before);
  const [at] = places;
  if (at === undefined) return { is: 'absent' };
  if (edit.isEverywhere)
    return {
      is: 'everywhere',
      count: places.length,
      line: lineAt(text, at),
      text: text.replaceAll(edit.before, () => edit.after),
    };
  if (places.length > 1) return { is: 'several', count: places.length };
  const end = at + edit.before.length;
  const from = text.lastIndexOf('\n', at - 1) + 1;
  const to = endOfChange(text, edit, end, at === from);
  const above = linesIn(text.slice(0, from));
  const below = linesIn(text.slice(to));
  const lines = [
    ...unchanged(above.slice(Math.max(0, above.length - around))),
    ...diffLines(text.slice(from, to), text.slice(from, at) + edit.after + text.slice(end, to)),
    ...unchanged(below.slice(0, around)),
  ];
  const hidden = Math.max(0, above.length - around);
  return {
    is: 'placed',
    hunk: hunkAt(lines, hidden + 1),
    above: hidden,
    below: Math.max(0, below.length - around),
    text: text.slice(0, at) + edit.after + text.slice(end),
  };
}

/** Where the lines end that the edit changes: with the line that the old text ends in, unless both texts are whole lines. */
function endOfChange(text: string, { before, after }: TextEdit, end: number, isFromStart: boolean): number {
  const areLines = before.endsWith('\n') && (after.endsWith('\n') || (after === '' && isFromStart));
  if (areLines) return end;
  const next = text.indexOf('\n', end);
  return next === -1 ? text.length : next + 1;
}

const unchanged = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));

function linesIn(text: string): string[] {
  if (text === '') return [];
  const lineBreak = /(?<!\r)\n/.test(text) ? '\n' : '\r\n';
  return (text.endsWith(lineBreak) ? text.slice(0, -lineBreak.length) : text).split(lineBreak);
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
