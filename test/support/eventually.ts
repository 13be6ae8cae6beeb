import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a fact, for a bounded time. */
export async function eventually<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Never came true: ${what}`);
    await delay(5);
  }
}
