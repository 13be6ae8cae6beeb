import { findableText, findWords, hasWords } from '../../../model/find-session.ts';
import type { Session } from '../../../protocol/session.ts';
import { groupByNeed, type NeedGroup, needs } from '../../session/need.logic.ts';

/** Empty means all. */
export interface BoardFilter {
  readonly text: string;
  readonly agent: string;
  readonly labels: readonly string[];
}

export const noFilter: BoardFilter = { text: '', agent: '', labels: [] };

/** Every column, also the empty ones: a board whose columns come and go cannot be known by heart. */
export function columnsOf(sessions: Iterable<Session>, filter: BoardFilter): readonly NeedGroup[] {
  const groups = groupByNeed([...sessions].filter((session) => fits(session, filter)));
  return needs.map((need) => groups.find((group) => group.need === need) ?? { need, sessions: [] });
}

export const isFiltered = ({ text, agent, labels }: BoardFilter): boolean =>
  text.trim() !== '' || agent !== '' || labels.length > 0;

export function fits(session: Session, { text, agent, labels }: BoardFilter): boolean {
  if (agent !== '' && session.agent !== agent) return false;
  if (!labels.every((label) => session.labels.includes(label))) return false;
  return hasWords(findableText(session), findWords(text));
}

/** What the server is asked for: it finds at least what fits. */
export const wordsOf = ({ text, agent, labels }: BoardFilter): string =>
  [text, agent, ...labels].join(' ').trim();

/** What can be filtered by: only what is there. */
export function choicesOf(sessions: Iterable<Session>): {
  readonly agents: readonly string[];
  readonly labels: readonly string[];
} {
  const all = [...sessions];
  const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();
  return {
    agents: sorted(all.map(({ agent }) => agent)),
    labels: sorted(all.flatMap(({ labels }) => labels)),
  };
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
