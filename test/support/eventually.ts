import { vi } from 'vitest';

export { eventually } from '../../src/drivers/testing/waiting.ts';

import { patienceMs } from './patience.ts';

/** Waits until an assertion holds, for as long as a machine with other work may take: the second that is usual is luck. */
export const holds: typeof vi.waitFor = (assertion, options = patienceMs) => vi.waitFor(assertion, options);
