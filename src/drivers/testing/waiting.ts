import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

// A machine with other work may take this long for what is done in a moment elsewhere.
const longestMs = 60_000;

/** Waits for a fact, for a bounded time. */
export async function eventually<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Never came true: ${what}`);
    await delay(5);
  }
}

/** False also for a process that has ended and only waits to be reaped, which `kill(pid, 0)` takes for a running one. */
export function isRunning(pid: number): boolean {
  try {
    const isEnded = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    // The first thread of one that was killed may be over while others still hold its files and its locks.
    return !isEnded || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}
