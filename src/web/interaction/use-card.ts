import { type KeyboardEvent, type RefObject, useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { RoomCalls } from '../../client/calls.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { CardAction } from '../data/interactions.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { isKey } from '../ui/keys.ts';
import { faceOf } from './answers-to.ts';
import { cardsOf, draftIn } from './cards.ts';
import type { CardDraft, Panel } from './draft.logic.ts';
import { type CardState, cardOf, isAnswerable, shownCardOf } from './interaction-card.logic.ts';
import { useStill } from './stillness.ts';

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
  press(action: CardAction, send: (transport: RoomCalls) => Promise<Interaction>): void;
  stepBack(): void;
}

/** The card of an interaction. `isResultSeen`: the result of the call that asks stands beside it. */
export function useCard(interaction: Interaction, isResultSeen = false): Card {
  const room = useControlRoom();
  const cards = cardsOf(room);
  const { interactionId } = interaction;
  useEffect(() => room.keepWhileDrawn(interactionId), [room, interactionId]);
  const known = useRoom((state) => state.known[interactionId]);
  const press = useRoom((state) => state.presses[interactionId]);
  const draft = useStore(cards.drafts, (drafts) => draftIn(drafts, interaction));
  const isEnabled = useRoom((state) => state.interaction === 'enabled');
  const state = useMemo(
    () => shownCardOf(cardOf(interaction, known, press), known, isResultSeen),
    [known, press, interaction, isResultSeen],
  );
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

/** Ctrl or ⌘ with Enter sends an answer from any field; Enter alone never does. */
export const isSubmitKey = (event: KeyboardEvent): boolean => isKey('field.submit', event) && !event.repeat;
