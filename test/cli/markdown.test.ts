import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkdownFlow, markdownLines } from '../../src/cli/render/markdown.ts';
import { type Paint, paintFor, plain } from '../../src/cli/render/paint.ts';
import { stripEscapes } from '../../src/cli/render/safe-text.ts';
import { textWidth } from '../../src/cli/render/text-width.ts';
import { testSeed, times } from '../support/seeded-random.ts';

const seed = testSeed();
const shown = (text: string, width = 60, paint: Paint = plain) => markdownLines(text, { paint, width });
const coloured = paintFor({ stdout: process.stdout, color: 'always' });

describe('markdown in a terminal', () => {
  it('[TERM6] shows lists, code, quotes and links', () => {
    const text =
      '# Plan\n\nDo **this** and `that`, see [the page](https://example.org/a).\n\n- one\n  1. sub\n- [x] done\n\n> said\n\n```sh\nls\t-l\n```\n';
    expect(shown(text, 70)).toEqual([
      '# Plan',
      '',
      'Do **this** and `that`, see the page (https://example.org/a).',
      '',
      '• one',
      '  1. sub',
      '☑ done',
      '',
      '│ said',
      '',
      '  ```sh',
      '  ls    -l',
      '  ```',
    ]);
    expect(shown('**bold** and `code`', 60, coloured)).toEqual([
      '\u001b[1mbold\u001b[22m and \u001b[36mcode\u001b[39m',
    ]);
  });

  it('[TERM6] a table keeps to the width: cells are wrapped, and where that is too narrow rows become lists', () => {
    const table = '| Name | What |\n|---|--:|\n| a | one two three |\n| 漢字 | b |\n';
    expect(shown(table, 16)).toEqual([
      'Name │      What',
      '─────┼──────────',
      'a    │   one two',
      '     │     three',
      '漢字 │         b',
    ]);
    expect(shown(table, 8)).toEqual(['Name: a', 'What:', 'one two', 'three', '', 'Name:', '漢字', 'What: b']);
  });

  it('[TERM6] the address of a link is told with its lookalikes, and nothing in it controls the terminal', () => {
    expect(shown('[bank](https://b\u0430nk.example/)')).toEqual(['bank (https://b\\u{430}nk.example/)']);
    expect(shown('a &#27;[2J &#x202e; &lt;b&gt; &unknown;').join()).toBe('a   <b> &unknown;');
  });

  const piece = fc.constantFrom(
    ...[
      'word ',
      '**bold** ',
      '`code` ',
      '\n',
      '\n\n',
      '- item\n',
      '1. one\n',
      '> quote\n',
      '# head\n',
      '```\n',
      '| a | b |\n|---|---|\n| c | d |\n',
    ],
    ...[
      '[link](http://x.example/) ',
      '漢字漢字漢字',
      '<b>',
      '&#27;',
      '*',
      '_',
      '---\n',
      '    deep\n',
      'averyveryverylongwordthatdoesnotfit',
    ],
  );
  const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

  it(`[TERM6] says the same whether it comes at once or in pieces, each finished block once (seed ${seed})`, () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
        const page = { paint: plain, width: 40 };
        const places = [
          0,
          ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b),
          whole.length,
        ];
        const flow = new MarkdownFlow();
        const lines = places
          .slice(1)
          .flatMap((end, index) => flow.push(whole.slice(places[index], end), page));
        const inPieces = [...lines, ...flow.end(page)];
        const atOnce = new MarkdownFlow();
        const words = (told: readonly string[]) => told.join('').replaceAll(/[\s│•☐☑─┼`]/g, '');
        expect(words(inPieces)).toBe(words([...atOnce.push(whole, page), ...atOnce.end(page)]));
      }),
      { seed, numRuns: times(200) },
    );
  });

  it(`[TERM6] no line is wider than the terminal, code aside, and none holds a control but our colours (seed ${seed})`, () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 80 }), (whole, width) => {
        const clean = stripEscapes(whole);
        const hasCode = /```| {4}/.test(whole);
        for (const line of shown(clean, width, coloured)) {
          if (!hasCode) expect(textWidth(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours are left out
          expect(line.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/\p{Cc}/u);
        }
      }),
      { seed, numRuns: times(200) },
    );
  });
});
