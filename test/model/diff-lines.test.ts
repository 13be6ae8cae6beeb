import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffLines, hunksBetween } from '../../src/model/diff-lines.ts';

const shown = (lines: readonly DiffLine[]): string[] => lines.map(({ sign, text }) => sign + text);
const side = (lines: readonly DiffLine[], left: '-' | '+'): string =>
  lines
    .filter(({ sign }) => sign === ' ' || sign === left)
    .map(({ text }) => text)
    .join('\n');

describe('a change, line by line', () => {
  it('[UI5] keeps what is the same and puts what goes before what comes', () => {
    expect(shown(diffLines('a\nb\nc\n', 'a\nB\nc\nd\n'))).toEqual([' a', '-b', '+B', ' c', '+d']);
  });

  it('shows a new file as added, and an emptied one as removed', () => {
    expect(shown(diffLines('', 'a\n\nb'))).toEqual(['+a', '+', '+b']);
    expect(shown(diffLines('a', ''))).toEqual(['-a']);
  });

  it('gives back both texts, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { minLength: 1, maxLength: 12 });
    const body = lines.map((each) => `${each.join('\n')}x`);
    fc.assert(
      fc.property(body, body, (before, after) => {
        const diff = diffLines(before, after);
        expect(side(diff, '-')).toBe(before);
        expect(side(diff, '+')).toBe(after);
      }),
    );
  });

  it('stands two large texts that have nothing in common', () => {
    const text = (word: string) => Array.from({ length: 5000 }, (_, at) => `${word}${at}`).join('\n');
    const lines = diffLines(text('a'), text('b'));
    expect(lines.map(({ sign }) => sign).join('')).toBe('-'.repeat(5000) + '+'.repeat(5000));
  });

  it('[ASK1] shows a line break at the end, and carriage returns, where they are what changes', () => {
    expect(shown(diffLines('a', 'a\n'))).toEqual([' a', '+']);
    expect(shown(diffLines('a\r\nb\r\n', 'a\nb\n'))).toEqual(['-a\r', '-b\r', '+a', '+b']);
    expect(shown(diffLines('a\r\nb\r\n', 'a\r\nc\r\n'))).toEqual([' a', '-b', '+c']);
  });

  it('leaves out what is far from a change, and marks what differs within a line', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const after = lines.with(3, 'line three').with(16, 'line sixteen');
    const hunks = hunksBetween(lines.join('\n'), after.join('\n'));
    expect(hunks.map((hunk) => shown(hunk)[0])).toEqual([' line 0', ' line 13']);
    const added = hunks.flat().filter(({ sign }) => sign === '+');
    expect(added.flatMap(({ text, marks }) => marks.map((mark) => text.slice(...mark)))).toEqual([
      'three',
      'sixteen',
    ]);
  });
});
