import { plainText } from '../plain-text.ts';

export const oneLineOf = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim();
