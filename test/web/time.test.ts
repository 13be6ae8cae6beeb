import { describe, expect, it } from 'vitest';
import { exactDuration, shortDuration } from '../../src/web/ui/time.logic.ts';

describe('a length of time', () => {
  it.each([
    [500, '0 s', '0.5 s'],
    [12_400, '12 s', '12 s'],
    [252_000, '4 min', '4 min 12 s'],
    [3 * 3_600_000 + 60_000, '3 h', '3 h 1 min'],
  ])('says %i ms as %s, exactly %s', (ms, short, exact) => {
    expect([shortDuration(ms), exactDuration(ms, 'en')]).toEqual([short, exact]);
  });

  it('[UI10] is written as the language writes numbers', () => {
    expect(exactDuration(1_840, 'de')).toBe('1,8 s');
  });
});
