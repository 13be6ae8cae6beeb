import type { Interaction } from '../../protocol/interaction.ts';

export interface Docked {
  readonly interaction: Interaction;
  /** Its place among those that could be shown, from 1. */
  readonly place: number;
  readonly count: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * What the dock shows: of the open interactions that are not on the screen already the one chosen, else the oldest.
 * A session that shows one of its own there shows the next one in the same place.
 * It stays where it is when others come: what is about to be pressed must not change under the pointer.
 */
export function docked(
  pending: readonly Interaction[],
  isShown: (interactionId: string) => boolean,
  chosen: string | null,
): Docked | undefined {
  const onScreen = new Set<string>(
    pending.filter(({ interactionId }) => isShown(interactionId)).map(({ sessionId }) => sessionId),
  );
  const away = pending.filter(({ sessionId }) => !onScreen.has(sessionId));
  // What an agent waits for comes before what was left open.
  const hidden = [
    ...away.filter(({ leftOpen }) => leftOpen === undefined),
    ...away.filter(({ leftOpen }) => leftOpen !== undefined),
  ];
  const found = hidden.findIndex(
    ({ interactionId, tool }) => chosen !== null && (interactionId === chosen || tool?.replaces === chosen),
  );
  const at = Math.max(0, found);
  const interaction = hidden[at];
  if (interaction === undefined) return undefined;
  return {
    interaction,
    place: at + 1,
    count: hidden.length,
    previous: hidden[at - 1]?.interactionId ?? null,
    next: hidden[at + 1]?.interactionId ?? null,
  };
}
