import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOfEdit } from '../../src/model/edit-in-file.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');
const edit = (before: string, after: string, isEverywhere = false) => ({
  path: null,
  before,
  after,
  isEverywhere,
});

describe('[CHG39] an edit in its file', () => {
  it('has the numbers of its lines, and what lies around it', () => {
    const place = placeOfEdit(lines(20), edit('line 10\n', 'ten\neleven\n'), 2);
    expect(place).toMatchObject({ is: 'placed', above: 7, below: 8 });
    expect(
      place.is === 'placed' && place.hunk.map(({ sign, before, after, text }) => [sign, before, after, text]),
    ).toEqual([
      [' ', 8, 8, 'line 8'],
      [' ', 9, 9, 'line 9'],
      ['-', 10, null, 'line 10'],
      ['+', null, 10, 'ten'],
      ['+', null, 11, 'eleven'],
      [' ', 11, 12, 'line 11'],
      [' ', 12, 13, 'line 12'],
    ]);
  });

  it('within a line changes that line, with all of it', () => {
    const place = placeOfEdit('let a = 1;\nlet b = 2;\nlet c = 3;', edit('b = 2', 'b = 22'), 3);
    expect(place.is === 'placed' && place.hunk.map(({ sign, text }) => sign + text)).toEqual([
      ' let a = 1;',
      '-let b = 2;',
      '+let b = 22;',
      ' let c = 3;',
    ]);
  });

  it('is found where the file has carriage returns and the agent leaves them out', () => {
    const place = placeOfEdit('one\r\ntwo\r\nthree\r\n', edit('one\ntwo', '1\n2'), 3);
    expect(place.is === 'placed' && place.hunk.map(({ sign, text }) => sign + text)).toEqual([
      '-one',
      '-two',
      '+1',
      '+2',
      ' three',
    ]);
  });

  it('is nowhere when the file has changed since, or when it stands in several places', () => {
    expect(placeOfEdit(lines(3), edit('line 4', 'x'), 3)).toEqual({ is: 'absent' });
    expect(placeOfEdit(lines(3), edit('', 'x'), 3)).toEqual({ is: 'absent' });
    expect(placeOfEdit(lines(3), edit('line', 'x'), 3)).toEqual({ is: 'several', count: 3 });
    expect(placeOfEdit(lines(3), edit('line', 'x$&', true), 3)).toEqual({
      is: 'everywhere',
      count: 3,
      line: 1,
      text: 'x$& 1\nx$& 2\nx$& 3\n',
    });
  });

  it('shows the very lines of the file before and after, whatever they are', () => {
    const word = fc.constantFrom('a', 'b', 'a b', '', '\t', 'äö');
    const text = fc.array(word, { maxLength: 12 }).map((each) => each.join('\n'));
    fc.assert(
      fc.property(text, text, text, text, fc.nat(4), (head, before, after, tail, around) => {
        const mark = '#';
        const old = `${mark}${before}`;
        const file = head + old + tail;
        const place = placeOfEdit(file, edit(old, after), around);
        if (place.is !== 'placed') throw new Error('It is there once');
        expect(place.text).toBe(head + after + tail);
        const [was, is] = [linesOf(file), linesOf(place.text)];
        for (const line of place.hunk) {
          if (line.before !== null) expect(was[line.before - 1] ?? '').toBe(line.text);
          if (line.after !== null) expect(is[line.after - 1] ?? '').toBe(line.text);
        }
        const kept = place.hunk.filter(({ sign }) => sign !== '+').length;
        expect(Math.abs(kept + place.above + place.below - was.length)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
