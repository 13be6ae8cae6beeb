import type { Session } from '../../../protocol/session.ts';
import { groupByNeed, type NeedGroup, needs } from '../../session/need.logic.ts';
import { fits, type SessionFilter } from '../../session/session-filter.ts';

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

/** The card that an arrow key leads to; empty columns are passed over. Undefined at the edge. */
export function spotAfter(key: string, { column, row }: Spot, heights: readonly number[]): Spot | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return row + 1 < (heights[column] ?? 0) ? { column, row: row + 1 } : undefined;
    case 'ArrowUp':
    case 'k':
      return row > 0 ? { column, row: row - 1 } : undefined;
    case 'ArrowRight':
    case 'l':
      return beside(heights.findIndex((height, at) => at > column && height > 0));
    case 'ArrowLeft':
    case 'h':
      return beside(heights.findLastIndex((height, at) => at < column && height > 0));
    default:
      return undefined;
  }

  function beside(next: number): Spot | undefined {
    return next === -1 ? undefined : { column: next, row: Math.min(row, (heights[next] ?? 1) - 1) };
  }
}
