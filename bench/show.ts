import type { Goal, PartResult } from './part.ts';

/** Prints what was measured as a table. */
export function show(name: string, { columns, rows }: PartResult): void {
  const all = [{ what: name, values: columns }, ...rows];
  const width = Math.max(...all.map(({ what }) => what.length), 44);
  process.stdout.write('\n');
  for (const { what, values } of all) {
    process.stdout.write(`${what.padEnd(width)} ${values.map((value) => value.padStart(13)).join(' ')}\n`);
  }
}

export function showGoals(goals: readonly Goal[]): void {
  if (goals.length === 0) return;
  process.stdout.write('\ngoals\n');
  const width = Math.max(...goals.map(({ goal }) => goal.length));
  for (const { rule, goal, figure, holds } of goals) {
    process.stdout.write(`${holds ? 'holds ' : 'MISSED'} ${rule} ${goal.padEnd(width)} ${figure}\n`);
  }
}
