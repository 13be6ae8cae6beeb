import type { Interaction, InteractionKind } from '../../../protocol/interaction.ts';
import { type Interactions, phaseOf, placeOf } from '../../data/interactions.ts';
import { isGrantable } from '../../interaction/answers-to.ts';

export interface InboxItem {
  readonly interaction: Interaction;
  /** It has ended, and is shown a moment longer. */
  readonly isLeaving: boolean;
}

export interface InboxFilter {
  readonly sessionId: string | null;
  readonly kind: InteractionKind | null;
}

export const noFilter: InboxFilter = { sessionId: null, kind: null };

/** What waits and what has just ended, oldest first, each in the place it had; a tool that asks again keeps its place. */
export function inboxItems(
  room: Pick<Interactions, 'known' | 'pending' | 'leaving'>,
  { sessionId, kind }: InboxFilter,
): InboxItem[] {
  return [...room.pending, ...room.leaving]
    .filter((each) => sessionId === null || each.sessionId === sessionId)
    .filter((each) => kind === null || each.kind === kind)
    .map((interaction) => ({ interaction, since: placeOf(room, interaction).since }))
    .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
    .map(({ interaction }) => ({
      interaction,
      isLeaving: phaseOf(room.known, interaction) === 'leaving',
    }));
}

/** Where one is: the item chosen, or the one that took its place when it left, or the first. */
export function currentIn(
  items: readonly InboxItem[],
  chosen: string | null,
  before: readonly string[],
): string | null {
  const ids = idsOf(items);
  if (chosen !== null && ids.includes(chosen)) return chosen;
  const next = items.find(({ interaction }) => chosen !== null && interaction.tool?.replaces === chosen);
  if (next !== undefined) return next.interaction.interactionId;
  const at = chosen === null ? -1 : before.indexOf(chosen);
  const after = before.slice(at + 1).find((id) => ids.includes(id));
  const ahead = before.slice(0, Math.max(0, at)).findLast((id) => ids.includes(id));
  return (at === -1 ? undefined : (after ?? ahead)) ?? ids[0] ?? null;
}

/** The next that still waits, looking down first, for when one was answered. */
export function nextOpen(items: readonly InboxItem[], from: string | null): string | null {
  const at = idsOf(items).indexOf(from ?? '');
  const around = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at)).reverse()];
  return around.find(({ isLeaving }) => !isLeaving)?.interaction.interactionId ?? null;
}

export function stepFrom(items: readonly InboxItem[], from: string | null, by: 1 | -1): string | null {
  const ids = idsOf(items);
  const at = ids.indexOf(from ?? '');
  return ids[Math.min(ids.length - 1, Math.max(0, at + by))] ?? null;
}

export const idsOf = (items: readonly InboxItem[]): string[] =>
  items.map(({ interaction }) => interaction.interactionId);

/** Whether it may be allowed together with others: not where each wants a look of its own. */
export const isBatchable = (interaction: Interaction): boolean =>
  isGrantable(interaction) && interaction.defaultToNo !== true;

/** Those that ask for the use of the same tool. */
export const likeOnes = (pending: readonly Interaction[], one: Interaction): Interaction[] =>
  isBatchable(one) ? pending.filter((each) => isBatchable(each) && each.toolName === one.toolName) : [];
