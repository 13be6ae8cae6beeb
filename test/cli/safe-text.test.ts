import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEscapeStripper, oneLine, safeJson, stripEscapes } from '../../src/cli/render/safe-text.ts';

describe('what an agent says', () => {
  it.each([
    ['colours', 'a\u001b[31mred\u001b[0mb', 'aredb'],
    ['cursor movement and clearing', '\u001b[2J\u001b[1;1Hhello\u001b[K', 'hello'],
    ['the window title, ended by BEL or ST', 'x\u001b]0;owned\u0007y\u001b]2;owned\u001b\\z', 'xyz'],
    ['hyperlinks', '\u001b]8;;http://evil\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['device control strings', 'a\u001bP1$r0m\u001b\\b', 'ab'],
    ['single-byte controls', 'a\u009b31mb\u009d0;t\u009cc\u0008d\u0000e', 'abcde'],
    ['two-character escapes and charsets', 'a\u001bcb\u001b(0c', 'abc'],
    ['a carriage return that would overwrite the line', 'good\rbad\r\nnext', 'good\nbad\nnext'],
    ['marks that turn the reading direction', 'a\u202eb\u2066c\u200fd', 'abcd'],
  ])('[UI12] loses %s', (_, text, safe) => {
    expect(stripEscapes(text)).toBe(safe);
  });

  it('[UI12] keeps words of every script, tabs, line breaks and joined emoji', () => {
    const text = 'für 日本 עברית\n\t👩‍💻 [31m is not an escape';
    expect(stripEscapes(text)).toBe(text);
  });

  it('[UI12] an escape string that never ends hides one line at most', () => {
    expect(stripEscapes('a\u001b]0;hidden\nseen')).toBe('a\nseen');
    expect(stripEscapes(`a\u001b]0;${'x'.repeat(3_000)}`)).toMatch(/^ax{900,}$/);
  });

  it('[UI12] nothing that could control a terminal is left, wherever the text is cut', () => {
    const piece = fc.oneof(
      fc.constantFrom('\u001b', '[', ']', '0;', '31m', '\u0007', '\u009b', '\\', 'P', '\r', 'ab'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const whole = stripEscapes(pieces.join(''));
        const stripper = createEscapeStripper();
        expect(pieces.map((each) => stripper.push(each)).join('')).toBe(whole);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be left
        expect(whole).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it('[UI12] fits on one line when it is a title', () => {
    expect(oneLine('  a\n\tb\u001b[1m  c ')).toBe('a b c');
  });
});

describe('what machines read', () => {
  it('[UI12] is JSON of the same value, without a character that could control a terminal or hide others', () => {
    const harmful = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
    expect(
      safeJson({ text: '\u001b]0;x\u0007 \u009b2J \u007f \u202e \u200b \u2028 \u3164 \u{e0041} ä' }),
    ).toBe(
      '{"text":"\\u001b]0;x\\u0007 \\u009b2J \\u007f \\u202e \\u200b \\u2028 \\u3164 \\udb40\\udc41 ä"}',
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = safeJson({ [text]: [text] });
        expect(written).not.toMatch(harmful);
        expect(JSON.parse(written)).toEqual({ [text]: [text] });
      }),
    );
  });
});
