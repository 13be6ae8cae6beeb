import { addUsage, noUsage } from '../../../model/usage.ts';
import type { DayUsage } from '../../../protocol/reply.ts';
import type { Usage } from '../../../protocol/session.ts';

export const dimensions = ['day', 'agent', 'project'] as const;
export type Dimension = (typeof dimensions)[number];

export interface UsageSum {
  readonly name: string;
  readonly usage: Usage;
}

/** What was taken by each day, the latest first, or by each agent or project, the dearest first. */
export function sumsBy(dimension: Dimension, days: readonly DayUsage[]): UsageSum[] {
  const sums = new Map<string, Usage>();
  for (const each of days) {
    const name = each[dimension];
    sums.set(name, addUsage(sums.get(name) ?? noUsage, each));
  }
  const named = [...sums].map(([name, usage]) => ({ name, usage }));
  return dimension === 'day'
    ? named.sort((a, b) => (a.name < b.name ? 1 : -1))
    : named.sort((a, b) => b.usage.costUsd - a.usage.costUsd || b.usage.turns - a.usage.turns);
}

/** Each of the last days, also those on which nothing was done, oldest first. */
export function lastDays(days: readonly DayUsage[], count: number, now: number): UsageSum[] {
  const known = new Map(sumsBy('day', days).map(({ name, usage }) => [name, usage]));
  return Array.from({ length: count }, (_, at) => {
    const name = new Date(now - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10);
    return { name, usage: known.get(name) ?? noUsage };
  });
}
