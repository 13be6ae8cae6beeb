import { text } from 'node:stream/consumers';
import type { Console } from '../console.ts';

/** The words of a command line as one text; a single "-" stands for the input. */
export async function textOf(words: readonly string[], { stdin }: Console): Promise<string> {
  return words.length === 1 && words[0] === '-' ? text(stdin) : words.join(' ');
}
