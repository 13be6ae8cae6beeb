import { type RefObject, useMemo } from 'react';
import { useStore } from 'zustand';
import type { Transport } from '../../client/transport.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { cardsOf, draftIn, endOf, stateWith } from './cards.ts';
import { faceOf } from './digest.ts';
import type { CardDraft, Panel } from './draft.logic.ts';
import { type CardAction, type CardState, isAnswerable } from './interaction-card.logic.ts';
import { useStill } from './use-still.ts';

export interface Card {
  readonly interaction: Interaction;
  readonly state: CardState;
  readonly draft: CardDraft;
  /** Whether this page may answer at all. */
  readonly isEnabled: boolean;
  /** Whether a press would be taken now: not right after the card came, moved or changed. */
  readonly isStill: boolean;
  setDraft(changes: Partial<CardDraft>): void;
  openPanel(panel: Panel): void;
  /** Whether the panel that has just come should take the focus. */
  takeFocus(): boolean;
  /** Whether it has just come in place of one that was answered here. */
  takesOver(): boolean;
  /** Whether a person has begun to fill it in, or opened a part of it. */
  readonly isWorkedOn: boolean;
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
      isStill: true,
      isWorkedOn: cards.isWorkedOn(interaction),
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

/** The card with its presses guarded: what is pressed within `area` decides only what was there when the press began. */
export function useGuarded(card: Card, area: RefObject<HTMLElement | null>): Card {
  const { isStill, takePress } = useStill(area, faceOf(card.interaction), card.isWorkedOn);
  return {
    ...card,
    isStill,
    press: (action, send) => takePress() && card.press(action, send),
    openPanel: (panel) => takePress() && card.openPanel(panel),
  };
}

/** How a button looks while the card is in this state: the one that was pressed shows that it is under way. */
export const buttonState = (
  { state, isStill }: Pick<Card, 'state' | 'isStill'>,
  action?: CardAction,
): { disabled: boolean; isBusy: boolean; 'aria-disabled': boolean | undefined } => ({
  disabled: !isAnswerable(state),
  isBusy: state.is === 'submitting' && state.action === action,
  'aria-disabled': isStill ? undefined : true,
});
