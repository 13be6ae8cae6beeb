export interface Cut {
  readonly text: string;
  /** How many lines are in the text, and how many there are. */
  readonly shown: number;
  readonly lines: number;
  /** There is more than a page can show at all. */
  readonly isTooLong: boolean;
}

/** A box of text larger than this would hold up everything else on the page. */
const mostCharacters = 400_000;
/** One endless line is cut like many. */
const charactersPerLine = 400;

/** The beginning of a text, in whole lines. */
export function cutLines(text: string, most: number): Cut {
  const lines = countLines(text);
  const limit = Math.min(mostCharacters, most * charactersPerLine);
  const end = Math.min(endOfLine(text, most), limit);
  const shown = text.slice(0, end);
  const isWhole = end >= text.length;
  return {
    text: shown,
    shown: isWhole ? lines : Math.min(countLines(shown), lines - (end < endOfLine(text, most) ? 0 : 1)),
    lines,
    isTooLong: most === Number.POSITIVE_INFINITY && !isWhole,
  };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where so many lines end. */
function endOfLine(text: string, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return text.length;
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return text.length;
  }
  return at;
}
