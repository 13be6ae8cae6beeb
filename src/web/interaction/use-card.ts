import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { Transport } from '../../client/transport.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { cardsOf, draftIn, endOf, stateWith } from './cards.ts';
import type { CardDraft, Panel } from './draft.logic.ts';
import { type CardAction, type CardState, isAnswerable } from './interaction-card.logic.ts';

export interface Card {
  readonly interaction: Interaction;
  readonly state: CardState;
  readonly draft: CardDraft;
  /** Whether this page may answer at all. */
  readonly isEnabled: boolean;
  setDraft(changes: Partial<CardDraft>): void;
  openPanel(panel: Panel): void;
  /** Whether the panel that has just come should take the focus. */
  takeFocus(): boolean;
  /** Whether it has just come in place of one that was answered here. */
  takesOver(): boolean;
  press(action: CardAction, send: (transport: Transport) => Promise<Interaction>): void;
  stepBack(): void;
}

export function useCard(interaction: Interaction): Card {
  const cards = cardsOf(useControlRoom());
  const { interactionId } = interaction;
  const known = useStore(cards.store, ({ states }) => states[interactionId]);
  const draft = useStore(cards.store, (state) => draftIn(state, interaction));
  const ended = useRoom((room) => endOf(room.ended, interactionId));
  const isEnabled = useRoom((room) => room.interaction === 'enabled');
  const state = useMemo(() => stateWith(known, interaction, ended), [known, interaction, ended]);
  return useMemo(
    () => ({
      interaction,
      state,
      draft,
      isEnabled,
      setDraft: (changes) => cards.setDraft(interaction, changes),
      openPanel: (panel) => cards.openPanel(interaction, panel),
      takeFocus: () => cards.takeFocus(interactionId),
      takesOver: () => cards.takesOver(interaction),
      press: (action, send) => void cards.press(interaction, action, send),
      stepBack: () => cards.stepBack(interaction),
    }),
    [cards, interaction, interactionId, state, draft, isEnabled],
  );
}

/** How a button looks while the card is in this state: the one that was pressed shows that it is under way. */
export const buttonState = (
  { state }: Pick<Card, 'state'>,
  action: CardAction,
): { disabled: boolean; isBusy: boolean } => ({
  disabled: !isAnswerable(state),
  isBusy: state.is === 'submitting' && state.action === action,
});
