import { plainText } from '../text/plain-text.ts';

const known = new Map<string, string>();

/**
 * Named character references as the characters they stand for; the numbered ones are read before. They end up in a text
 * node, where nothing can come of them but that they turn the text around, so that is taken out once more.
 */
export const decodeEntities = (text: string): string =>
  plainText(text.replace(/&[a-z][a-z\d]{1,31};/gi, characterOf));

/** The browser knows all two thousand names. One that it does not know stays as it was written. */
function characterOf(reference: string): string {
  const before = known.get(reference);
  if (before !== undefined) return before;
  const field = document.createElement('textarea');
  field.innerHTML = reference;
  known.set(reference, field.value);
  return field.value;
}
