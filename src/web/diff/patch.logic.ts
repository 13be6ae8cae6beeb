import type { Hunk, HunkLine } from '../../model/diff-lines.ts';
import type { Line } from '../markdown/highlight/pieces.ts';

/** The texts before and after a change, as far as it shows them: what colours code must see whole lines in their order. */
export function sidesOf(hunks: readonly Hunk[]): { readonly before: string; readonly after: string } {
  const lines = hunks.flat();
  const without = (sign: HunkLine['sign']): string =>
    lines.flatMap((line) => (line.sign === sign ? [] : [line.text])).join('\n');
  return { before: without('+'), after: without('-') };
}

/** A line of a change in its colours. */
export interface ColouredLine extends HunkLine {
  /** Its pieces, unless they are not known. */
  readonly pieces: Line | undefined;
}

/** The lines with the pieces that their texts were found to have. */
export function coloured(
  hunks: readonly Hunk[],
  before: readonly Line[],
  after: readonly Line[],
): readonly (readonly ColouredLine[])[] {
  let [old, fresh] = [0, 0];
  return hunks.map((hunk) =>
    hunk.map((line) => {
      const pieces = line.sign === '-' ? before[old] : after[fresh];
      if (line.sign !== '+') old += 1;
      if (line.sign !== '-') fresh += 1;
      const isOfLine = pieces?.map(([, text]) => text).join('') === line.text;
      return { ...line, pieces: isOfLine ? pieces : undefined };
    }),
  );
}

/** A part of a line that looks the same throughout. */
export interface LinePart {
  readonly text: string;
  readonly kind: string;
  readonly isMarked: boolean;
}

/** A line cut wherever its colour changes, or whether it differs. */
export function partsOf({ text, pieces, marks }: ColouredLine): LinePart[] {
  let at = 0;
  return (pieces ?? [['', text] as const]).flatMap(([kind, piece]) => {
    const [from, to] = [at, at + piece.length];
    at = to;
    const inside = marks.flat().filter((cut) => cut > from && cut < to);
    const cuts = [...new Set([from, ...inside, to])].sort((a, b) => a - b);
    return cuts.slice(0, -1).map((start, part) => ({
      text: text.slice(start, cuts[part + 1]),
      kind,
      isMarked: marks.some(([first, end]) => first <= start && start < end),
    }));
  });
}

/** Two lines beside each other; where one side has none, it is empty. */
export type LinePair = readonly [before: ColouredLine | null, after: ColouredLine | null];

/** A change with what goes on the left and what comes on the right: the first that goes beside the first that comes. */
export function pairsOf(hunk: readonly ColouredLine[]): LinePair[] {
  const pairs: LinePair[] = [];
  let [gone, come]: [ColouredLine[], ColouredLine[]] = [[], []];
  const endRun = (): void => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1)
      pairs.push([gone[at] ?? null, come[at] ?? null]);
    [gone, come] = [[], []];
  };
  for (const line of hunk) {
    if (line.sign === '-' && come.length > 0) endRun();
    if (line.sign === '-') gone.push(line);
    else if (line.sign === '+') come.push(line);
    else {
      endRun();
      pairs.push([line, line]);
    }
  }
  endRun();
  return pairs;
}
