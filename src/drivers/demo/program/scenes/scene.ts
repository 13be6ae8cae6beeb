import type { JsonObject } from '../../../fields.ts';
import type { Message, PermissionMode } from '../session.ts';
import type { Stage } from '../stage.ts';

/** A small play, chosen by the words of a message. */
export interface Scene {
  readonly name: string;
  /** One line for the list of things to try. */
  readonly about: string;
  /** Whether it changes anything: in plan mode, such a scene becomes a plan first. */
  readonly changes?: boolean;
  matches(text: string, message: Message): boolean;
  play(stage: Stage): Promise<void>;
}

export interface Cast {
  /** In the order in which they are offered; the first that matches is played. */
  readonly scenes: readonly Scene[];
  /** Played in plan mode instead of what would change something. */
  readonly plan: Scene;
  /** Played when nothing else fits. */
  readonly help: Scene;
}

export function pickScene({ scenes, plan, help }: Cast, message: Message, mode: PermissionMode): Scene {
  const text = message.text.replace(/^\//, '');
  const scene = scenes.find((one) => one.matches(text, message)) ?? help;
  return mode === 'plan' && scene.changes === true ? plan : scene;
}

/** What a host may offer behind a slash: the scenes that are known by one word, with what may follow it. */
export function commandsOf({ scenes, help }: Cast): readonly JsonObject[] {
  return [...scenes, help].flatMap(({ name, about }) => {
    const [, word, argumentHint = ''] = /^([a-z]+)(?: ([A-Z].*))?$/.exec(name) ?? [];
    return word === undefined ? [] : [{ name: word, description: about, argumentHint }];
  });
}
