import { plainText } from '../text/plain-text.ts';

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
};

/**
 * Named character references as the characters they stand for; the numbered ones are read before. They end up in a text
 * node, where nothing can come of them but that they turn the text around, so that is taken out once more.
 */
export const decodeEntities = (text: string): string =>
  plainText(
    text.replace(/&(\w{2,8});/g, (whole, name: string) =>
      Object.hasOwn(named, name) ? (named[name] ?? whole) : whole,
    ),
  );
