/**
 * How long a test waits for one thing that must come. A test that passes never waits that long; on a machine with other work a shorter
 * wait is luck. vitest.config.ts reads it from here, too.
 */
export const patienceMs = Number(process.env.BECKON_TEST_PATIENCE_MS ?? 60_000);

/** How long a test, or what prepares one, may take: several such waits. */
export const testTimeoutMs = 3 * patienceMs;
