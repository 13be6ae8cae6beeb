import type { BeckonError } from '../../client/beckon-error.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import {
  type CardAction,
  type Doubt,
  type EndedBy,
  type KnownInteraction,
  newerOf,
  type Press,
} from '../data/interactions.ts';
import { quietMs } from './stillness.ts';

/**
 * A card's state. It ends only on the server's word, by whatever way that comes. A request that failed leaves it answerable.
 */
export type CardState =
  | { readonly is: 'pending'; readonly confirming: Extract<Press, { is: 'confirming' }> | null }
  | { readonly is: 'submitting'; readonly action: CardAction }
  | { readonly is: 'failed'; readonly action: CardAction; readonly error: Error }
  | { readonly is: 'submitted'; readonly interaction: Interaction; readonly endedBy: EndedBy };

/** How the card of an interaction stands, by what is known of it and what was pressed in it. */
export function cardOf(
  interaction: Interaction,
  known: KnownInteraction | undefined,
  press: Press | undefined,
): CardState {
  const latest = newerOf(known?.interaction, interaction);
  if (latest.status === 'resolved')
    return { is: 'submitted', interaction: latest, endedBy: known?.end?.by ?? 'unknown' };
  return press?.is === 'submitting' || press?.is === 'failed'
    ? press
    : { is: 'pending', confirming: press ?? null };
}

/**
 * The same as it is shown: what a tool asked and was answered here stays as it was sent while it may be asked again, so that the
 * next attempt takes its place without anything moving. Where the result of the call is seen, none can come any more, unless the
 * ask was left open: then it outlives its call.
 */
export function shownCardOf(
  state: CardState,
  known: KnownInteraction | undefined,
  isResultSeen: boolean,
): CardState {
  if (state.is !== 'submitted' || known?.end?.phase !== 'sent' || known.end.action === null) return state;
  const isLast = isResultSeen && state.interaction.leftOpen === undefined;
  return isLast ? state : { is: 'submitting', action: known.end.action };
}

/** What a press makes of a card that can be answered; null where it is none: a double click is no second press, nor is one on what has just become another button. */
export function pressOn(
  state: CardState,
  { action, doubt, at }: { readonly action: CardAction; readonly doubt: Doubt | null; readonly at: number },
): Press | null {
  if (!isAnswerable(state)) return null;
  const confirming = state.is === 'pending' && state.confirming?.action === action ? state.confirming : null;
  if (confirming !== null && at - confirming.since < quietMs) return null;
  if (doubt !== null && confirming === null) return { is: 'confirming', action, doubt, since: at };
  return { is: 'submitting', action };
}

export const isAnswerable = (state: CardState): boolean => state.is === 'pending' || state.is === 'failed';

/** The field of the answer that the server named as wrong, if it named one. */
export function fieldRefused(state: CardState): { readonly field: string; readonly message: string } | null {
  if (state.is !== 'failed') return null;
  const field = (state.error as Partial<BeckonError>).details?.field;
  return typeof field === 'string' ? { field, message: state.error.message } : null;
}

/** How it had ended, where an answer was refused because it came too late: that is no failure. */
export function endIn(error: unknown): Interaction | undefined {
  const { code, details } = error as Partial<BeckonError>;
  if (code !== 'interaction_already_resolved' && code !== 'interaction_gone') return undefined;
  const interaction = details?.interaction as Interaction | undefined;
  return interaction?.status === 'resolved' ? interaction : undefined;
}
