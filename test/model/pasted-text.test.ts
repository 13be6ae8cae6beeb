import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageParts, withPastedTexts } from '../../src/model/pasted-text.ts';

const line = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ' ', '<', '"') }),
  fc.constantFrom('', '</pasted-text>', '<pasted-text lines="1">', '<pasted-text lines="3">'),
);
const text = fc
  .array(line, { minLength: 1, maxLength: 8 })
  .map((lines) => lines.join('\n'))
  .filter((all) => all !== '');

describe('what was pasted as a whole', () => {
  it('[MSG8] stands behind what was typed, between lines that say what it is', () => {
    expect(withPastedTexts('Look:', ['one\ntwo', 'three'])).toBe(
      'Look:\n\n<pasted-text lines="2">\none\ntwo\n</pasted-text>\n\n<pasted-text lines="1">\nthree\n</pasted-text>',
    );
    expect(messageParts(withPastedTexts('', ['one\ntwo']))).toEqual({ typed: '', pasted: ['one\ntwo'] });
  });

  it('[MSG8] is read again as it was, whatever is in it', () => {
    const typed = fc.string().map((all) => all.replaceAll('<', '').trim());
    fc.assert(
      fc.property(typed, fc.array(text, { maxLength: 4 }), (said, pasted) => {
        expect(messageParts(withPastedTexts(said, pasted))).toEqual({ typed: said, pasted });
      }),
    );
  });

  it('[MSG8] is not made of what only looks so, and nothing of a message is lost', () => {
    for (const message of [
      '<pasted-text lines="2">\none\n</pasted-text>',
      'a\n</pasted-text>',
      '</pasted-text>',
    ])
      expect(messageParts(message)).toEqual({ typed: message, pasted: [] });
    fc.assert(
      fc.property(text, (message) => {
        const { typed, pasted } = messageParts(message.trim());
        expect(withPastedTexts(typed, pasted)).toBe(message.trim());
      }),
    );
  });
});
