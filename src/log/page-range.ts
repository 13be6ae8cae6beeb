import type { EventPage, PageQuery } from '../engine/ports/event-log.ts';
import type { Event } from '../protocol/event.ts';

export interface PageRange {
  readonly from: number;
  readonly to: number;
  readonly hasMore: boolean;
}

/**
 * Which numbers a page holds. A stream has no gaps, so this is arithmetic: the reader need not look for more.
 * With `after` one reads forwards from there (up to `before`, if given), else backwards from `before` or the end.
 */
export function pageRange({ after, before, limit }: PageQuery, logLastSeq: number): PageRange {
  const first = Math.max(1, (after ?? 0) + 1);
  const last = Math.min(logLastSeq, (before ?? Number.POSITIVE_INFINITY) - 1);
  if (after === undefined) {
    const from = Math.max(first, last - limit + 1);
    return { from, to: last, hasMore: from > first && last >= first };
  }
  const to = Math.min(last, first + limit - 1);
  return { from: first, to, hasMore: to < last };
}

export const pageOf = (events: readonly Event[], range: PageRange, logLastSeq: number): EventPage => ({
  events,
  firstSeq: events.at(0)?.seq ?? 0,
  lastSeq: events.at(-1)?.seq ?? 0,
  hasMore: range.hasMore,
  logLastSeq,
});
