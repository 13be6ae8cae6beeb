import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bothEnds, compactRoom, fullRoom } from '../../src/web/interaction/reading.tsx';

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');

describe('[UI14] both ends of a long text', () => {
  it('shows what stands after a run of blank lines', () => {
    expect(bothEnds(`npm test${'\n'.repeat(120)}rm -rf ~`, fullRoom)).toEqual({
      head: 'npm test',
      tail: 'rm -rf ~',
      hidden: { lines: 119 },
    });
    expect(bothEnds(`npm test${' \t\n'.repeat(120)}rm -rf ~`, compactRoom)).toMatchObject({
      head: 'npm test',
      tail: 'rm -rf ~',
    });
  });

  it('counts what is between them', () => {
    const ends = bothEnds(lines(100), fullRoom);
    expect(ends?.head.split('\n')).toHaveLength(10);
    expect(ends?.tail.split('\n').at(-1)).toBe('line 100');
    expect(ends?.hidden).toEqual({ lines: 84 });
  });

  it('cuts one endless line, and says how many characters it leaves out', () => {
    const ends = bothEnds(`echo ${'x'.repeat(10_000)} && rm -rf ~`, fullRoom);
    expect(ends?.tail.endsWith('&& rm -rf ~')).toBe(true);
    expect(ends?.hidden).toEqual({ characters: 10_017 - 16 * 120 });
  });

  it('leaves what has room as it is', () => {
    expect(bothEnds(lines(19), fullRoom)).toBeNull();
    expect(bothEnds(lines(20), fullRoom)).not.toBeNull();
    expect(bothEnds('', compactRoom)).toBeNull();
  });

  it('shows a true beginning and a true end of any text, and hides something', () => {
    const text = fc.array(fc.oneof(fc.constant('\n'), fc.constant(' '), fc.string()), { maxLength: 300 });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('');
        const ends = bothEnds(whole, compactRoom);
        if (ends === null) return;
        const { head, tail, hidden } = ends;
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThan(whole.length);
        expect(Object.values(hidden)[0]).toBeGreaterThan(0);
      }),
    );
  });
});
