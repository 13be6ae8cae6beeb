import { expect, it } from 'vitest';
import { noUsage } from '../../src/model/usage.ts';
import type { DayUsage } from '../../src/protocol/reply.ts';
import { lastDays, sumsBy } from '../../src/web/pages/settings/usage.logic.ts';

const took = (day: string, agent: string, project: string, turns: number, costUsd: number): DayUsage => ({
  ...noUsage,
  day,
  agent,
  project,
  turns,
  costUsd,
});

const days = [
  took('2026-03-01', 'claude', '/a', 2, 1),
  took('2026-03-01', 'demo', '/b', 3, 0),
  took('2026-03-03', 'claude', '/b', 4, 0.5),
];

const figures = (sums: ReturnType<typeof sumsBy>) =>
  sums.map(({ name, usage }) => [name, usage.turns, usage.costUsd]);

it('[UI27] adds up by day, the latest first, and by agent and project, the dearest first', () => {
  expect(figures(sumsBy('day', days))).toEqual([
    ['2026-03-03', 4, 0.5],
    ['2026-03-01', 5, 1],
  ]);
  expect(figures(sumsBy('agent', days))).toEqual([
    ['claude', 6, 1.5],
    ['demo', 3, 0],
  ]);
  expect(figures(sumsBy('project', days))).toEqual([
    ['/a', 2, 1],
    ['/b', 7, 0.5],
  ]);
});

it('[UI27] has each of the last days, also those without work, the latest last', () => {
  expect(figures(lastDays(days, 4, Date.parse('2026-03-03T12:00:00Z')))).toEqual([
    ['2026-02-28', 0, 0],
    ['2026-03-01', 5, 1],
    ['2026-03-02', 0, 0],
    ['2026-03-03', 4, 0.5],
  ]);
});
