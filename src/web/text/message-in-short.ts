import { lineCount, messageParts } from '../../model/pasted-text.ts';
import type { Translate } from '../i18n/i18n.ts';

/** A message where there is little room: of what was pasted as a whole only that it is there. */
export function messageInShort(t: Translate, message: string): string {
  const { typed, pasted } = messageParts(message);
  const named = pasted.map((text) => `[${t('pasted.lines', { count: lineCount(text) })}]`);
  return [typed, ...named].filter((part) => part !== '').join(' ');
}
