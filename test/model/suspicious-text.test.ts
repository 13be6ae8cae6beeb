import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuspicious, showInvisible, showSuspicious, showValue } from '../../src/model/suspicious-text.ts';

/** Every character as its code point, so that the cases can be read. */
const of = (...codes: number[]): string => String.fromCodePoint(...codes);

describe('[UI12] what a person decides on', () => {
  it.each([
    ['controls', of(0x1b), '\\u{1b}'],
    ['a carriage return', of(0x0d), '\\u{d}'],
    ['a turned direction', of(0x202e), '\\u{202e}'],
    ['zero width', of(0x200b), '\\u{200b}'],
    ['Hangul fillers', of(0x115f, 0x1160, 0x3164, 0xffa0), '\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}'],
    ['tags', of(0xe0041), '\\u{e0041}'],
    ['a blank Braille cell', of(0x2800), '\\u{2800}'],
    ['a joiner that joins nothing', of(0x34f), '\\u{34f}'],
    ['private characters', of(0xe000), '\\u{e000}'],
    ['half a character', '\ud800', '\\u{d800}'],
    ['a variation selector behind a letter', of(0x61, 0xfe0f), 'a\\u{fe0f}'],
  ])('shows %s, in prose as well', (_, text, shown) => {
    expect(showInvisible(`x ${text} y`)).toBe(`x ${shown} y`);
    expect(showSuspicious(`x ${text} y`)).toBe(`x ${shown} y`);
    expect(isSuspicious(`x ${text} y`)).toBe(true);
  });

  it.each([
    ['Cyrillic letters in a Latin word', `g${of(0x43e)}ogle.com`, 'g\\u{43e}ogle.com'],
    [
      'a word of Cyrillic lookalikes alone',
      of(0x441, 0x43e, 0x440, 0x443),
      '\\u{441}\\u{43e}\\u{440}\\u{443}',
    ],
    ['a Greek letter in a Latin word', `npm p${of(0x3bf)}st`, 'npm p\\u{3bf}st'],
    [
      'Cherokee, Armenian, Coptic',
      `${of(0x13aa)}b ${of(0x585)}c ${of(0x2c9f)}d`,
      '\\u{13aa}b \\u{585}c \\u{2c9f}d',
    ],
    ['full width', of(0xff52, 0xff4d), '\\u{ff52}\\u{ff4d}'],
    ['mathematical letters', of(0x1d5ff, 0x1d5fa), '\\u{1d5ff}\\u{1d5fa}'],
    ['Latin letters made small, or without their dot', of(0x280, 0x1d0d, 0x131), '\\u{280}\\u{1d0d}\\u{131}'],
    ['the sign for Kelvin', `.${of(0x212a)}ube`, '.\\u{212a}ube'],
    ['ligatures', `${of(0xfb01)}le`, '\\u{fb01}le'],
    [
      'other slashes, dots, hyphens, quotes',
      `a${of(0x2215)}b${of(0x2024)}c ${of(0x2013)}d ${of(0x2019)}`,
      'a\\u{2215}b\\u{2024}c \\u{2013}d \\u{2019}',
    ],
    ['a Greek question mark', `a${of(0x37e)} b`, 'a\\u{37e} b'],
    ['other spaces', `rm${of(0xa0)}-rf${of(0x2003)}x${of(0x3000)}`, 'rm\\u{a0}-rf\\u{2003}x\\u{3000}'],
    ['a stroke through a letter', `e${of(0x338)}`, 'e\\u{338}'],
    ['a wide stop that is no part of a sentence', `example${of(0x3002)}com`, 'example\\u{3002}com'],
  ])('shows %s in a command, and leaves prose alone', (_, text, shown) => {
    expect(showSuspicious(text)).toBe(shown);
    expect(showInvisible(text)).toBe(text);
    expect(isSuspicious(text)).toBe(true);
  });

  it.each([
    'rm -rf "für/Ärger/naïve café"',
    'cat Отчёт-2024.pdf новости/привет.txt IT-компания',
    'Ελλάδα/αρχείο.txt',
    '日本語ファイル.txt Tシャツ 修复：登录，好。',
    '한국어 파일',
    'שלום مرحبا',
    'ไทย',
    'wait… 5 € — ½ ™ ❤️ ⚠️',
    of(0x61, 0x308),
    'line 1\n\tline 2',
  ])('leaves words of every language as they are: %s', (text) => {
    expect(showSuspicious(text)).toBe(text);
    expect(isSuspicious(text)).toBe(false);
  });

  it('takes a single word of a field for a name, and several for prose', () => {
    const fake = `p${of(0x430)}ypal.com`;
    expect(showValue(fake)).toBe('p\\u{430}ypal.com');
    expect(showValue(`It is ${of(0x201c)}fine${of(0x201d)}`)).toBe(`It is ${of(0x201c)}fine${of(0x201d)}`);
    expect(showValue(JSON.stringify({ host: fake, say: `a ${of(0x2013)} b` }, null, 2))).toBe(
      `{\n  "host": "p\\u{430}ypal.com",\n  "say": "a ${of(0x2013)} b"\n}`,
    );
  });

  it('is told in full: what is shown differs wherever the text does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        fc.pre(one !== other && !`${one}${other}`.includes('\\u{'));
        expect(showSuspicious(one)).not.toBe(showSuspicious(other));
        expect(showSuspicious(one)).not.toMatch(
          /[\p{Cf}\p{Default_Ignorable_Code_Point}](?<![\ufe0e\ufe0f])/u,
        );
      }),
    );
  });
});
