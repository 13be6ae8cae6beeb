import type { Place, PositionRange } from './ports/event-log.ts';

/**
 * How far a listener was told of what is stored: all but some positions. The last of these ranges has no end. Others lie before it
 * because an event that waits for the disk is told after those behind it that need not.
 */
export interface AnnouncementCursor {
  readonly run: string;
  readonly untold: readonly Untold[];
}

export interface Untold extends PositionRange {
  /** So many announcements of the first position were told. */
  readonly skip: number;
}

const endless = Number.POSITIVE_INFINITY;

/** Everything up to this position was told. */
export const untoldAfter = (position: number): Untold[] => [{ from: position + 1, to: endless, skip: 0 }];

/** Everything was told that is acknowledged by then, but for some of this append's own. */
export function untoldAt({ newest, unacknowledged }: Place, own: readonly PositionRange[] = []): Untold[] {
  const ranges = [...unacknowledged, ...own].sort((a, b) => a.from - b.from);
  return joined([...ranges.map((range) => ({ ...range, skip: 0 })), ...untoldAfter(newest)]);
}

/** Ascending ranges, those that touch made into one: a cursor is to stay short. */
export function joined(ranges: readonly Untold[]): Untold[] {
  const result: Untold[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    if (last !== undefined && last.to + 1 === range.from && range.skip === 0)
      result[result.length - 1] = { ...last, to: range.to };
    else result.push(range);
  }
  return result;
}

/** What of the one is not in the other. */
export function minus(ranges: readonly Untold[], others: readonly PositionRange[]): Untold[] {
  let left = [...ranges];
  for (const other of others) {
    left = left.flatMap((range) => [
      ...within(range, { from: 0, to: other.from - 1 }),
      ...within(range, { from: other.to + 1, to: endless }),
    ]);
  }
  return left;
}

export function within({ from, to, skip }: Untold, bounds: PositionRange): Untold[] {
  const cut = { from: Math.max(from, bounds.from), to: Math.min(to, bounds.to) };
  if (cut.from > cut.to || cut.from === endless) return [];
  return [{ ...cut, skip: cut.from === from ? skip : 0 }];
}

/** The name of the run and the ranges to base 36: `k3x9qz:2p-2q,2t`. */
export function cursorText({ run, untold }: AnnouncementCursor): string {
  const texts = untold.map(({ from, to, skip }) => {
    const begin = skip === 0 ? from.toString(36) : `${from.toString(36)}+${skip.toString(36)}`;
    return to === endless ? begin : `${begin}-${to.toString(36)}`;
  });
  return `${run}:${texts.join(',')}`;
}

/** Undefined for what is no cursor of ours. */
export function readCursor(text: string): AnnouncementCursor | undefined {
  const [, run, list] = /^([\w-]{1,20}):([0-9a-z+,-]{1,8000})$/.exec(text) ?? [];
  if (run === undefined || list === undefined) return undefined;
  const untold: Untold[] = [];
  for (const part of list.split(',')) {
    const [, from, skip = '0', to] =
      /^([0-9a-z]{1,10})(?:\+([0-9a-z]{1,4}))?(?:-([0-9a-z]{1,10}))?$/.exec(part) ?? [];
    if (from === undefined) return undefined;
    const range = { from: number(from), to: to === undefined ? endless : number(to), skip: number(skip) };
    if (range.from <= (untold.at(-1)?.to ?? 0) || range.from > range.to) return undefined;
    untold.push(range);
  }
  return untold.at(-1)?.to === endless ? { run, untold } : undefined;
}

const number = (text: string): number => Number.parseInt(text, 36);
