import { isObject } from '../../json.ts';
import type { ToolOutcome } from '../../tool-call.ts';
import { drill, numberIn } from '../scene.ts';

/** N asks, one every MS milliseconds whether or not the earlier ones are answered; tells how long answers took. */
export const pace = drill('!pace', async (stage, args) => {
  const count = numberIn(args, 0, 10);
  const everyMs = numberIn(args, 1, 200);
  const startedAt = performance.now();
  const pings: Promise<ToolOutcome>[] = [];
  for (let number = 1; number <= count; number++) {
    // Held against the clock, not the last ask: a late timer must not slow the pace.
    await stage.pause(startedAt + (number - 1) * everyMs - performance.now());
    pings.push((await stage.start({ name: 'DemoPing', input: { number } })).outcome);
  }
  await stage.say(summary(await Promise.all(pings)), 0);
});

function summary(outcomes: readonly ToolOutcome[]): string {
  const times = outcomes
    .map(({ structured }) => (isObject(structured) ? structured.milliseconds : undefined))
    .filter((time) => typeof time === 'number')
    .sort((one, other) => one - other);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(3);
  const allowed = outcomes.filter((outcome) => !outcome.isError).length;
  return `pings ${outcomes.length} allowed ${allowed} p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)}`;
}
