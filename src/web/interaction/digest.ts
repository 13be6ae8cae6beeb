import { shownDigest } from '../../model/shown-digest.ts';
import type { Interaction } from '../../protocol/interaction.ts';

const known = new WeakMap<Interaction, string>();

/** What an answer names as having been shown. An interaction is told anew with every connection, and drawn more often than that. */
export function digestOf(interaction: Interaction): string {
  const digest = known.get(interaction) ?? shownDigest(interaction);
  known.set(interaction, digest);
  return digest;
}

/** Which ask it is, and what it shows. */
export const faceOf = (interaction: Interaction): string =>
  `${interaction.interactionId} ${digestOf(interaction)}`;
