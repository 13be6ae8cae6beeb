import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain } from '../../src/cli/render/paint.ts';
import { textWidth, wrapped } from '../../src/cli/render/text-width.ts';
import {
  type Edit,
  type Editing,
  type EditWord,
  edit,
  emptyEditing,
  layOut,
  rowBeside,
} from '../../src/cli/terminal/edit-text.ts';
import { historyInMemory } from '../../src/cli/terminal/history.ts';
import { type KeyPress, KeyReader } from '../../src/cli/terminal/key-reader.ts';
import { LineEditor } from '../../src/cli/terminal/line-editor.ts';
import { testSeed, times } from '../support/seeded-random.ts';

const seed = testSeed();
const later = 1_000;

describe('the bytes of a keyboard', () => {
  const keysOf = (...chunks: (string | Buffer)[]): KeyPress[] => {
    const reader = new KeyReader();
    return [...chunks.flatMap((chunk, index) => reader.push(chunk, index * later)), ...reader.flush()];
  };
  const key = (name: string) => ({ type: 'key', key: name });

  it.each([
    ['\r', 'Enter'],
    ['\u001b\r', 'Alt+Enter'],
    ['\u001b[13;2u', 'Shift+Enter'],
    ['\u001b[27;2;13~', 'Shift+Enter'],
    ['\u001b[99;5u', 'Ctrl+C'],
    ['\n', 'Ctrl+J'],
    ['\u0003', 'Ctrl+C'],
    ['\u001f', 'Ctrl+_'],
    ['\u007f', 'Backspace'],
    ['\u001b\u007f', 'Alt+Backspace'],
    ['\u001b[A', 'ArrowUp'],
    ['\u001bOA', 'ArrowUp'],
    ['\u001b[1;5C', 'Ctrl+ArrowRight'],
    ['\u001b[1;3D', 'Alt+ArrowLeft'],
    ['\u001bb', 'Alt+b'],
    ['\u001b[H', 'Home'],
    ['\u001b[4~', 'End'],
    ['\u001b[3~', 'Delete'],
    ['\u001b[6~', 'PageDown'],
    ['\u001b[Z', 'Shift+Tab'],
    ['\u001b', 'Escape'],
  ])('[TERM1] %j is %s', (bytes, name) => {
    expect(keysOf(bytes)).toEqual([key(name)]);
  });

  it('[TERM1] what a terminal answers by itself is no key', () => {
    expect(keysOf('\u001b[?62;c\u001b]11;rgb:0/0/0\u0007\u001b[I\u001b[12;40Rx')).toEqual([
      { type: 'text', text: 'x' },
    ]);
  });

  it(`[TERM1] the same keys are read wherever the bytes are cut (seed ${seed})`, () => {
    const piece = fc.constantFrom(
      'a',
      'ü',
      '漢',
      '👩‍👩‍👧',
      '\r',
      '\u001b[A',
      '\u001b[1;5D',
      '\u001bf',
      '\u0001',
      '\u001b[3~',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (pieces, cuts) => {
          const bytes = Buffer.from(`${pieces.join('')}\u001b[200~two\r\nlines\u001b[201~`);
          const places = [...new Set(cuts.filter((cut) => cut < bytes.length))].toSorted((a, b) => a - b);
          const chunks = [...places, bytes.length].map((end, index) =>
            bytes.subarray(places[index - 1] ?? 0, end),
          );
          const joined = (presses: KeyPress[]) => {
            const all: KeyPress[] = [];
            for (const press of presses) {
              const last = all.at(-1);
              if (press.type === 'text' && last?.type === 'text')
                all.splice(-1, 1, { type: 'text', text: last.text + press.text });
              else all.push(press);
            }
            return all;
          };
          expect(joined(keysOf(...chunks))).toEqual(joined(keysOf(bytes)));
        },
      ),
      { seed, numRuns: times(300) },
    );
  });

  it('[TERM2] what is pasted is one text without anything that could control a terminal', () => {
    const paste = (text: string) => keysOf(`\u001b[200~${text}\u001b[201~`);
    expect(paste('one\r\ntwo\rthree')).toEqual([{ type: 'paste', text: 'one\ntwo\nthree' }]);
    expect(paste('a\u001b[2Jb\u001b]0;title\u0007c\u0003d\u202ee')).toEqual([
      { type: 'paste', text: 'abcde' },
    ]);
  });

  it('[TERM2] a text that holds the mark for the end of a paste does not press Enter', () => {
    const reader = new KeyReader();
    const presses = [
      ...reader.push('\u001b[200~ls\u001b[201~\rrm -rf .\r', 0),
      ...reader.push('more\r\u001b[201~', 5),
    ];
    expect(presses.every(({ type }) => type === 'paste')).toBe(true);
    expect(reader.push('\r', later)).toEqual([key('Enter')]);
  });
});

/** The same as plainly as it can be said: a list of characters and a place in it. */
class Naive {
  characters: string[] = [];
  place = 0;
  cut = '';
  last = 'other';
  readonly before: { characters: string[]; place: number }[] = [];

  take({ do: word, ...more }: Edit): unknown {
    const [left, right] = [
      this.characters.slice(0, this.place).join(''),
      this.characters.slice(this.place).join(''),
    ];
    const text = 'text' in more ? more.text : '';
    const isLetter = (character: string) => /[\p{L}\p{M}\p{N}_]/u.test(character);
    const wordBefore = () => {
      const letters = [...left];
      while (letters.length > 0 && !isLetter(letters.at(-1) ?? '')) letters.pop();
      while (letters.length > 0 && isLetter(letters.at(-1) ?? '')) letters.pop();
      return this.snapped(left + right, letters.join('').length);
    };
    const wordBehind = () => {
      const letters = [...right];
      while (letters.length > 0 && !isLetter(letters[0] ?? '')) letters.shift();
      while (letters.length > 0 && isLetter(letters[0] ?? '')) letters.shift();
      return this.snapped(left + right, left.length + right.length - letters.join('').length);
    };
    const start = left.lastIndexOf('\n') + 1;
    const toBreak = right.indexOf('\n');
    const end = left.length + (toBreak === -1 ? right.length : toBreak);
    const behind = left.length + (this.characters[this.place]?.length ?? 0);
    switch (word) {
      case 'type':
        return this.set(left + text + right, left.length + text.length, 'typed');
      case 'put':
        return this.set(left + text + right, left.length + text.length, 'other');
      case 'left':
        return this.move(left.length - (this.characters[this.place - 1]?.length ?? 0));
      case 'right':
        return this.move(behind);
      case 'word-left':
        return this.move(wordBefore());
      case 'word-right':
        return this.move(wordBehind());
      case 'line-start':
        return this.move(start);
      case 'line-end':
        return this.move(end);
      case 'delete-left':
        return this.drop(left.length - (this.characters[this.place - 1]?.length ?? 0), left.length, false);
      case 'delete-right':
        return this.drop(left.length, behind, false);
      case 'cut-word-left':
        return this.drop(wordBefore(), left.length, true);
      case 'cut-word-right':
        return this.drop(left.length, wordBehind(), true);
      case 'cut-line-start':
        return this.drop(start, left.length, true);
      case 'cut-line-end':
        return this.drop(left.length, end === left.length ? behind : end, true);
      case 'put-back':
        if (this.cut !== '') this.set(left + this.cut + right, left.length + this.cut.length, 'other');
        return undefined;
      case 'clear':
        return this.set('', 0, 'other');
      case 'undo': {
        const then = this.before.pop();
        if (then !== undefined) Object.assign(this, then, { last: 'other' });
        return undefined;
      }
    }
  }

  get text(): string {
    return this.characters.join('');
  }

  get at(): number {
    return this.characters.slice(0, this.place).join('').length;
  }

  snapped(text: string, at: number): number {
    let end = 0;
    for (const { segment } of new Intl.Segmenter('en').segment(text)) {
      if (end >= at) return end;
      end += segment.length;
    }
    return end;
  }

  move(at: number): void {
    this.place = [...new Intl.Segmenter('en').segment(this.text.slice(0, at))].length;
    this.last = 'other';
  }

  set(text: string, at: number, kind: string): void {
    if (text !== this.text && !(kind === 'typed' && this.last === 'typed'))
      this.before.push({ characters: this.characters, place: this.place });
    if (text !== this.text) {
      const end = this.snapped(text, at);
      this.characters = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
      this.place = [...new Intl.Segmenter('en').segment(text.slice(0, end))].length;
    }
    this.last = kind;
  }

  drop(from: number, to: number, isCut: boolean): void {
    if (from === to) return;
    const { text, at } = this;
    if (isCut) {
      const piece = text.slice(from, to);
      this.cut = this.last !== 'cut' ? piece : to === at ? piece + this.cut : this.cut + piece;
    }
    this.set(text.slice(0, from) + text.slice(to), from, isCut ? 'cut' : 'other');
  }
}

describe('a text that is edited', () => {
  const words: EditWord[] = [
    'left',
    'right',
    'word-left',
    'word-right',
    'line-start',
    'line-end',
    'delete-left',
    'delete-right',
    'cut-word-left',
    'cut-word-right',
    'cut-line-start',
    'cut-line-end',
    'put-back',
    'clear',
    'undo',
  ];
  const text = fc
    .array(
      fc.constantFrom(
        'a',
        'b c',
        ' ',
        '\n',
        '_',
        'é',
        'e\u0301',
        '\u0301',
        '漢字',
        '👍🏽',
        '👩‍👩‍👧',
        '🇩🇪',
        '🇩',
        '\ufe0f',
        '\u200d',
        '-',
        '\t',
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join(''));
  const edits: fc.Arbitrary<Edit[]> = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: text.map((each): Edit => ({ do: 'type', text: each })) },
      { weight: 1, arbitrary: text.map((each): Edit => ({ do: 'put', text: each })) },
      { weight: 6, arbitrary: fc.constantFrom(...words).map((word): Edit => ({ do: word })) },
    ),
    { maxLength: 40 },
  );

  it(`[TERM1] is what a list of characters would be (seed ${seed})`, () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const naive = new Naive();
        let now: Editing = emptyEditing;
        for (const step of steps) {
          naive.take(step);
          now = edit(now, step);
          expect({ text: now.text, at: now.at, cut: now.cut }).toEqual({
            text: naive.text,
            at: naive.at,
            cut: naive.cut,
          });
        }
      }),
      { seed, numRuns: times(500) },
    );
  });

  it(`[TERM3] fits the terminal in every row, with the cursor where the next letter goes (seed ${seed})`, () => {
    fc.assert(
      fc.property(edits, fc.integer({ min: 5, max: 40 }), (steps, width) => {
        const now = steps.reduce(edit, emptyEditing);
        const { rows, row, column } = layOut(now, { width, prompt: '› ' });
        for (const { shown } of rows) expect(textWidth(shown)).toBeLessThan(width + 1);
        expect(column).toBeLessThan(width);
        expect(rows[row]).toBeDefined();
        const near = layOut(now, { width, prompt: '› ', around: 1 });
        const whole = { rows, row, column };
        for (const step of [-1, 1] as const) expect(rowBeside(near, step)).toBe(rowBeside(whole, step));
        const bare = (line: string) => line.replaceAll(/[\s›]/g, '');
        expect(bare(rows.map(({ shown }) => shown).join(''))).toBe(bare(now.text));
        const before = rows.slice(0, row).map(({ shown }) => shown);
        expect(bare(now.text.slice(0, now.at)).startsWith(bare(before.join('')))).toBe(true);
      }),
      { seed, numRuns: times(300) },
    );
  });

  it('[TERM3] wide characters take two columns, marks none', () => {
    const widths = [
      'a',
      '漢',
      'e\u0301',
      '👍🏽',
      '👩‍👩‍👧',
      '🇩🇪',
      '\u200b',
      'ﾊ',
      '！',
      '\u001b[31mred\u001b[39m',
    ].map(textWidth);
    expect(widths).toEqual([1, 2, 1, 2, 2, 2, 0, 1, 2, 3]);
    const { rows, row, column } = layOut({ text: '漢字漢字', at: 3 }, { width: 8, prompt: '› ' });
    expect(rows.map(({ shown }) => shown)).toEqual(['› 漢字', '  漢字']);
    expect([row, column]).toEqual([1, 4]);
  });

  it('[TERM3] up and down keep to the column, and end at the edges', () => {
    const layout = layOut({ text: 'long line\nx\nanother', at: 8 }, { width: 40, prompt: '› ' });
    expect(rowBeside(layout, -1)).toBeUndefined();
    expect(rowBeside(layout, 1)).toBe(11);
  });

  it('[TERM6] words are wrapped, and long ones cut', () => {
    expect(wrapped('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapped('abcdefgh ij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapped('漢字漢字', 5)).toEqual(['漢字', '漢字']);
  });
});

describe('the place to type', () => {
  const press = (editor: LineEditor, ...keys: string[]) =>
    keys.map((name) => editor.press({ type: 'key', key: name })).at(-1);
  const open = (said: readonly string[] = []) => {
    const history = historyInMemory();
    for (const each of said) history.add(each);
    const editor = new LineEditor({ paint: plain, history, redraw() {} });
    const type = (text: string) => editor.press({ type: 'text', text });
    return { editor, type };
  };

  it('[TERM1] Enter sends; with a backslash before it, Alt, or Shift where the terminal tells, it breaks the line', () => {
    const { editor, type } = open();
    type('one\\');
    expect(press(editor, 'Enter')).toEqual({ is: 'changed' });
    type('two');
    press(editor, 'Alt+Enter');
    type('three');
    press(editor, 'Shift+Enter');
    type('C:\\\\');
    expect(press(editor, 'Enter')).toEqual({ is: 'submit', text: 'one\ntwo\nthree\nC:\\\\' });
  });

  it('[TERM4] goes through what was said before from the first and the last row, and back to what was typed', () => {
    const { editor, type } = open(['first', 'second\nof two']);
    type('draft');
    press(editor, 'ArrowUp');
    expect(editor.text).toBe('second\nof two');
    press(editor, 'ArrowUp');
    expect(editor.text).toBe('second\nof two');
    press(editor, 'ArrowUp');
    expect(editor.text).toBe('first');
    expect(press(editor, 'ArrowUp')).toEqual({ is: 'nothing' });
    press(editor, 'ArrowDown', 'ArrowDown');
    expect(editor.text).toBe('draft');
  });

  it('[TERM1] Ctrl-C clears and then leaves, Ctrl-D leaves when nothing is typed; what was cleared can be brought back', () => {
    const { editor, type } = open();
    type('words');
    expect(press(editor, 'Ctrl+C')).toEqual({ is: 'changed' });
    expect(editor.text).toBe('');
    expect(press(editor, 'Ctrl+C')).toEqual({ is: 'interrupt' });
    press(editor, 'Ctrl+_');
    expect(editor.text).toBe('words');
    press(editor, 'Home');
    expect(press(editor, 'Ctrl+D')).toEqual({ is: 'changed' });
    expect(editor.text).toBe('ords');
    press(editor, 'Ctrl+C');
    expect(press(editor, 'Ctrl+D')).toEqual({ is: 'leave' });
  });

  const offering = (...texts: string[]) => {
    const drawn = Promise.withResolvers<void>();
    const editor = new LineEditor({
      paint: plain,
      history: historyInMemory(),
      complete: async (text, at) => ({
        from: at - (/\S*$/.exec(text.slice(0, at))?.[0].length ?? 0),
        candidates: texts.map((each) => ({ text: each, hint: `about ${each}` })),
      }),
      redraw: () => drawn.resolve(),
    });
    return { editor, drawn: drawn.promise };
  };

  it('[TERM5] Tab completes what is sure, then goes through what may be meant; Enter takes it, Escape goes back', async () => {
    const { editor, drawn } = offering('alpha ', 'alpine ');
    editor.press({ type: 'text', text: 'see a' });
    press(editor, 'Tab');
    await drawn;
    expect(editor.text).toBe('see alp');
    expect(editor.view(40, 10).rows).toEqual(['› see alp', '  alpha  about alpha', '  alpine  about alpine']);
    press(editor, 'Tab');
    expect(editor.text).toBe('see alpha ');
    press(editor, 'Tab');
    expect(editor.text).toBe('see alpine ');
    press(editor, 'Escape');
    expect(editor.text).toBe('see alp');
    press(editor, 'Ctrl+_');
    expect(editor.text).toBe('see a');
  });

  it('[TERM5] Enter on a chosen one sends nothing yet; what could control the terminal is not offered', async () => {
    const { editor, drawn } = offering('a\u001b[2Jb', 'ab', 'ac', 'a\nb');
    press(editor, 'Tab');
    await drawn;
    expect(editor.view(40, 10).rows).toHaveLength(3);
    press(editor, 'Tab');
    expect(press(editor, 'Enter')).toEqual({ is: 'changed' });
    expect(press(editor, 'Enter')).toEqual({ is: 'submit', text: 'ab' });
  });
});
