import { styleText } from 'node:util';
import type { Console } from '../console.ts';

export type Tone =
  | 'dim'
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'red'
  | 'green'
  | 'yellow'
  | 'cyan'
  | 'inverse';

/** Colours a text, or leaves it as it is where colours are not wanted. */
export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Whether marks have to say what colours would. */
export const paintsNothing = (paint: Paint): boolean => paint('bold', 'x') === 'x';

/** As `--color` says; else it honours NO_COLOR, FORCE_COLOR and whether anyone looks. */
export function paintFor({ stdout, color = 'auto' }: Pick<Console, 'stdout' | 'color'>): Paint {
  if (color === 'never') return plain;
  const how = color === 'always' ? { validateStream: false } : { stream: stdout };
  return (tone, text) => (text === '' ? '' : styleText(tone, text, how));
}
