/** How much of a long text is shown at each end of it. */
export interface Room {
  readonly headLines: number;
  readonly tailLines: number;
  readonly charactersPerLine: number;
}

export const fullRoom: Room = { headLines: 10, tailLines: 6, charactersPerLine: 120 };
export const compactRoom: Room = { headLines: 2, tailLines: 2, charactersPerLine: 40 };

export interface BothEnds {
  readonly head: string;
  readonly tail: string;
  readonly hidden: { readonly lines: number } | { readonly characters: number };
}

/** So little is not worth a press: it is shown. */
const fewLines = 3;

/** Both ends of a text that is too long to be shown at once; null for one that is not. */
export function bothEnds(text: string, { headLines, tailLines, charactersPerLine }: Room): BothEnds | null {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const most = headLines + tailLines + fewLines;
  if (breaks.length < most && text.length <= most * charactersPerLine) return null;
  const headEnd = Math.min(breaks[headLines - 1] ?? text.length, headLines * charactersPerLine);
  const tailStart = Math.max(
    (breaks.at(-tailLines) ?? -1) + 1,
    text.length - tailLines * charactersPerLine,
    headEnd,
  );
  // Blank lines at the cut tell nothing: they are among what is counted.
  const head = text.slice(0, headEnd).trimEnd();
  const tail = text.slice(tailStart).replace(/^(?:[^\S\n]*\n)+/, '');
  const between = text.slice(head.length, text.length - tail.length);
  const hiddenBreaks = between.split('\n').length - 1;
  const hidden = hiddenBreaks > 1 ? { lines: hiddenBreaks - 1 } : { characters: between.length };
  return { head, tail, hidden };
}
