import { styleText } from 'node:util';

export type Tone = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text, or leaves it as it is where colours are not wanted. */
export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Honours NO_COLOR, FORCE_COLOR and whether anyone looks. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (tone, text) =>
    text === '' ? '' : styleText(tone, text, { stream });
