import { setImmediate as nextTurn } from 'node:timers/promises';
import { patienceMs } from '../support/patience.ts';

/** Resolves as soon as it holds; looks once per turn of the event loop, and gives up after the deadline. */
export async function waitUntil(holds: () => boolean, deadlineMs = patienceMs): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`did not come true within ${deadlineMs} ms: ${holds}`);
    await nextTurn();
  }
}
