import type { Interaction } from '../../protocol/interaction.ts';
import type { Interactions } from '../data/interactions.ts';

export interface Docked {
  readonly interaction: Interaction;
  /** Its place among those that could be shown, from 1. */
  readonly at: number;
  readonly count: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * What the dock shows: of the open interactions that are not on the screen already the one chosen, else the oldest.
 * A session that shows one of its own there shows the next one in the same place.
 * It stays where it is when others come: what is about to be pressed must not change under the pointer. One that ends there stays as
 * long as it can be read how, so that no second press meets the next by chance.
 */
export function docked(
  { pending, leaving }: Pick<Interactions, 'pending' | 'leaving'>,
  isShown: (interactionId: string) => boolean,
  chosen: string | null,
): Docked | undefined {
  const onScreen = new Set<string>(
    pending.filter(({ interactionId }) => isShown(interactionId)).map(({ sessionId }) => sessionId),
  );
  const away = pending.filter(({ sessionId }) => !onScreen.has(sessionId));
  // What an agent waits for comes before what was left open.
  const hidden = [
    ...leaving.filter(({ interactionId }) => interactionId === chosen),
    ...away.filter(({ leftOpen }) => leftOpen === undefined),
    ...away.filter(({ leftOpen }) => leftOpen !== undefined),
  ];
  const found = hidden.findIndex(
    ({ interactionId, tool }) => chosen !== null && (interactionId === chosen || tool?.replaces === chosen),
  );
  const index = Math.max(0, found);
  const interaction = hidden[index];
  if (interaction === undefined) return undefined;
  return {
    interaction,
    at: index + 1,
    count: hidden.length,
    previous: hidden[index - 1]?.interactionId ?? null,
    next: hidden[index + 1]?.interactionId ?? null,
  };
}
