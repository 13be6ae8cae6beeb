import { setImmediate as nextTurn } from 'node:timers/promises';

const mostMs = 5;

/** Does a long piece of work step by step, and lets everything else go on in between: a hundred thousand files keep nobody waiting. */
export async function inTurns(work: () => Generator<void>): Promise<void> {
  let begun = performance.now();
  for (const _ of work()) {
    if (performance.now() - begun < mostMs) continue;
    await nextTurn();
    begun = performance.now();
  }
}
