import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunksBetween } from '../../src/model/diff-lines.ts';
import { coloured, pairsOf, partsOf, sidesOf } from '../../src/web/diff/patch.logic.ts';
import type { Line } from '../../src/web/markdown/highlight/pieces.ts';

/** Each word a piece of its own. */
const inWords = (code: string): Line[] =>
  code
    .split('\n')
    .map((line) => (line.match(/\s+|\S+/g) ?? []).map((word, at) => [at % 2 ? 'keyword' : '', word]));

const text = fc
  .array(fc.constantFrom('const a = 1;', 'const b = 1;', 'return a;', '', '  x y'), { maxLength: 12 })
  .map((lines) => lines.join('\n'));

describe('a change that is shown', () => {
  it('[UI26] has every line whole, in its own pieces, whatever its colours and marks are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = hunksBetween(before, after);
        const sides = sidesOf(hunks);
        const lines = coloured(hunks, inWords(sides.before), inWords(sides.after)).flat();
        for (const line of lines) {
          expect(
            partsOf(line)
              .map((part) => part.text)
              .join(''),
          ).toBe(line.text);
          if (line.text !== '') expect(line.pieces).toBeDefined();
          const marked = partsOf(line).filter(({ isMarked }) => isMarked);
          const wanted = line.marks.map(([from, to]) => line.text.slice(from, to)).join('');
          expect(marked.map((part) => part.text).join('')).toBe(wanted);
        }
      }),
    );
  });

  it('[UI26] has each line once on its side, what goes left of what comes', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const hunk of coloured(hunksBetween(before, after), [], [])) {
          const pairs = pairsOf(hunk);
          expect(pairs.flatMap(([line]) => line ?? [])).toEqual(hunk.filter(({ sign }) => sign !== '+'));
          expect(pairs.flatMap(([, line]) => line ?? [])).toEqual(hunk.filter(({ sign }) => sign !== '-'));
        }
      }),
    );
  });

  it('[UI26] is shown as it is where the colours are those of another text', () => {
    const [line] = coloured(hunksBetween('', 'const a = 1;'), [], [[['keyword', 'const b']]]).flat();
    expect(line && partsOf(line)).toEqual([{ text: 'const a = 1;', kind: '', isMarked: false }]);
  });
});
