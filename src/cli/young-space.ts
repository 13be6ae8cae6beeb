import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** As much as V8 used to take for new objects. It takes up to 128 MB on large machines, and does not give them back. */
const mostBytes = 32 * 1_048_576;

/** What a start leaves behind would make V8 set 32 MB aside for new objects, and keep them: until it is over, 2 MB must do. */
export const keepYoungSpaceSmall = (): void => grow(false);

/** From now on it grows with the work, up to a limit. */
export function letYoungSpaceGrow(): void {
  grow(true);
  new PerformanceObserver(() => grow(youngBytes() < mostBytes)).observe({ entryTypes: ['gc'] });
}

/** Read by V8 at each collection, which is when the space grows. */
const grow = (may: boolean): void => setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
