import { expect, test } from 'vitest';
import { skippedText } from './support/skipped-reporter.ts';

test('tests that were skipped are named at the end, by file, with where they are skipped', () => {
  expect(skippedText([])).toBeUndefined();
  expect(
    skippedText([
      { file: 'test/a.test.ts', title: 'walls (skipped where there are none) > one' },
      { file: 'test/b.test.ts', title: 'a disk' },
      { file: 'test/a.test.ts', title: 'two' },
    ]),
  ).toBe(
    [
      '3 tests were skipped:',
      'test/a.test.ts',
      '  walls (skipped where there are none) > one',
      '  two',
      'test/b.test.ts',
      '  a disk',
    ].join('\n'),
  );
});
