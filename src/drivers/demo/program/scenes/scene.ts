import type { Message } from '../message.ts';
import type { Stage } from '../stage.ts';

/** A small play, chosen by the words of a message. */
export interface Scene {
  readonly name: string;
  /** One line for the list of things to try; rehearsals of misbehaviour have none. */
  readonly about?: string;
  /** Whether it changes anything: in plan mode, such a scene becomes a plan first. */
  readonly changes?: boolean;
  matches(text: string, message: Message): boolean;
  play(stage: Stage): Promise<void>;
}

/** A scene for tests: its first word is exact, the rest are its arguments. */
export function drill(word: string, play: (stage: Stage, args: readonly string[]) => Promise<void>): Scene {
  return {
    name: word,
    matches: (text) => text.split(/\s+/, 1)[0] === word,
    play: (stage) => play(stage, stage.text.split(/\s+/).slice(1)),
  };
}

export function numberIn(args: readonly string[], at: number, otherwise: number): number {
  const value = Number(args[at]);
  return args[at] !== undefined && Number.isFinite(value) && value >= 0 ? value : otherwise;
}
