import type { Interaction } from '../../protocol/interaction.ts';
import type { Room } from './room.logic.ts';

type Known = Pick<Room, 'pending' | 'ended'>;

/** The ask that has taken another's place by now: a tool asks again because of what was answered. */
export function latestOf({ pending, ended }: Known, interactionId: string): Interaction | undefined {
  const all = [...pending, ...ended];
  let latest = all.find((each) => each.interactionId === interactionId);
  for (let id: string | undefined = interactionId; id !== undefined; ) {
    const next = all.find(({ tool }) => tool?.replaces === id);
    latest = next ?? latest;
    id = next?.interactionId;
  }
  return latest;
}

/** Where an ask stands: at the place, and with the age, of the first in its row of attempts. */
export function placeOf(
  ended: readonly Interaction[],
  interaction: Interaction,
): { readonly id: string; readonly since: string } {
  let first = interaction;
  for (;;) {
    const before = ended.find(({ interactionId }) => interactionId === first.tool?.replaces);
    if (before === undefined)
      return { id: first.tool?.replaces ?? first.interactionId, since: first.createdAt };
    first = before;
  }
}
