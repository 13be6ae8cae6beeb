import type { Session } from '../../../protocol/session.ts';
import { groupByNeed, type NeedGroup, needs } from '../../session/need.logic.ts';
import { fits, type SessionFilter } from '../../session/session-filter.ts';
import type { KeyIn } from '../../ui/keys.ts';

/** Every column, also the empty ones: a board whose columns come and go cannot be known by heart. */
export function columnsOf(sessions: Iterable<Session>, filter: SessionFilter): readonly NeedGroup[] {
  const groups = groupByNeed(
    [...sessions].filter((session) => fits(session, filter)),
    filter.sort,
  );
  return needs.map((need) => groups.find((group) => group.need === need) ?? { need, sessions: [] });
}

export interface Spot {
  readonly column: number;
  readonly row: number;
}

/** The card that a key leads to; empty columns are passed over. Undefined at the edge. */
export function spotAfter(
  key: KeyIn<'board'>,
  { column, row }: Spot,
  heights: readonly number[],
): Spot | undefined {
  switch (key) {
    case 'down':
      return row + 1 < (heights[column] ?? 0) ? { column, row: row + 1 } : undefined;
    case 'up':
      return row > 0 ? { column, row: row - 1 } : undefined;
    case 'right':
      return beside(heights.findIndex((height, at) => at > column && height > 0));
    case 'left':
      return beside(heights.findLastIndex((height, at) => at < column && height > 0));
  }

  function beside(next: number): Spot | undefined {
    return next === -1 ? undefined : { column: next, row: Math.min(row, (heights[next] ?? 1) - 1) };
  }
}
