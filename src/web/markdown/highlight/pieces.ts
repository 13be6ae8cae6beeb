import type { Language } from './language.logic.ts';

/** A piece of a line and what it is in its language; empty for plain. */
export type Piece = readonly [kind: string, text: string];
export type Line = readonly Piece[];

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly language: Language;
}

/** Without lines, the code stays as it is. */
export interface HighlightReply {
  readonly id: number;
  readonly lines: readonly Line[] | null;
}
