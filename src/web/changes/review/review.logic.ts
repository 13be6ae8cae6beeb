import type { ChangedFile, SessionChanges } from '../../../protocol/changes.ts';
import type { ReviewComment } from '../../../protocol/review.ts';
import { longestQuote } from '../../../protocol/review-limit.ts';

/** Lines of one side of a file. */
export type CommentRange = Pick<ReviewComment, 'path' | 'side' | 'from' | 'to'>;
/** The lines that a comment is about, as they were when it was made. */
export type CommentPlace = CommentRange & Pick<ReviewComment, 'point' | 'quote' | 'isQuoteCut'>;

/** The lines of a file; a break at its end begins no further one. */
export function linesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** So much of these lines as is kept with a comment: whole ones, unless the first alone is too long. */
export function quoteOf(lines: readonly string[]): Pick<ReviewComment, 'quote' | 'isQuoteCut'> {
  const whole = lines.join('\n');
  if (whole.length <= longestQuote) return { quote: whole };
  const cut = whole.slice(0, longestQuote);
  const end = whole[longestQuote] === '\n' ? longestQuote : cut.lastIndexOf('\n');
  return { quote: end > 0 ? cut.slice(0, end) : wellFormed(cut), isQuoteCut: true };
}

/** Without half of a character at its end. */
const wellFormed = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text);

/** The first line at which what a comment quotes is now: at the same place, or at the only other; null where it is not, or at several. */
export function lineNow(
  { from, quote, isQuoteCut }: Pick<CommentPlace, 'from' | 'quote' | 'isQuoteCut'>,
  lines: readonly string[],
): number | null {
  const quoted = quote.split('\n');
  const isAt = (first: number): boolean =>
    quoted.every((line, at) => {
      const now = lines[first - 1 + at];
      const isLast = at === quoted.length - 1;
      return now === line || (isQuoteCut === true && isLast && now?.startsWith(line) === true);
    });
  if (isAt(from)) return from;
  // A blank line, or a brace, is everywhere: only what says something is looked for elsewhere.
  if (!quoted.some((line) => /\w{2}/.test(line))) return null;
  let found: number | null = null;
  for (let first = 1; first <= lines.length - quoted.length + 1; first += 1) {
    if (!isAt(first)) continue;
    if (found !== null) return null;
    found = first;
  }
  return found;
}

/** Where a comment's lines are in the changes that are shown. */
export type Anchor =
  /** The lines are there: from this one on, in this file of the list. */
  | { readonly is: 'there'; readonly file: ChangedFile; readonly from: number }
  /** The lines are there, and the file is not among the changes shown. */
  | { readonly is: 'elsewhere'; readonly from: number }
  | { readonly is: 'outdated' }
  | { readonly is: 'unknown' };

export const isOutdated = (anchor: Anchor, { from }: Pick<CommentPlace, 'from'>): boolean =>
  anchor.is === 'outdated' || ((anchor.is === 'there' || anchor.is === 'elsewhere') && anchor.from !== from);

/** The name that a file has on one side of its change. */
export const pathOn = (side: CommentPlace['side'], file: ChangedFile): string =>
  side === 'before' ? (file.movedFrom ?? file.path) : file.path;

const fileOf = (
  { path, side }: Pick<CommentPlace, 'path' | 'side'>,
  files: readonly ChangedFile[],
): ChangedFile | undefined => files.find((file) => pathOn(side, file) === path);

/** A file as it is on one side of the changes shown: where it is read, and a name that stays as long as it holds the same. */
export interface FileNow {
  readonly name: string;
  readonly at: string;
  readonly path: string;
}

export function fileNow(
  { path, side }: Pick<CommentPlace, 'path' | 'side'>,
  { before, after, files }: Pick<SessionChanges, 'before' | 'after' | 'files'>,
): FileNow {
  if (side === 'before') return { name: `${before}:${path}`, at: before, path };
  const file = fileOf({ path, side }, files);
  // What is not among the changes is as it was before.
  return { name: file === undefined ? `${before}:${path}` : `${file.content}:${path}`, at: after, path };
}

export function anchorOf(
  comment: CommentPlace,
  changes: Pick<SessionChanges, 'before' | 'after' | 'files'>,
  linesOf: (file: FileNow) => readonly string[] | null | undefined,
): Anchor {
  const isAsMade = comment.point === (comment.side === 'before' ? changes.before : changes.after);
  const lines = isAsMade ? undefined : linesOf(fileNow(comment, changes));
  if (!isAsMade && lines === undefined) return { is: 'unknown' };
  const from = isAsMade ? comment.from : lineNow(comment, lines ?? []);
  if (from === null) return { is: 'outdated' };
  const file = fileOf(comment, changes.files);
  return file === undefined ? { is: 'elsewhere', from } : { is: 'there', file, from };
}

/** Whether somebody has seen a file as it is. */
export const isSeen = (
  seen: ReadonlyMap<string, string | null>,
  { path, content }: Pick<ChangedFile, 'path' | 'content'>,
): boolean => seen.get(path) === content;
