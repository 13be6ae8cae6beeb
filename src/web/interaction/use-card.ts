import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { RoomCalls } from '../../client/calls.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { isKey } from '../ui/keys.ts';
import { faceOf } from './answers-to.ts';
import { cardsOf, draftIn, endOf, stateWith } from './cards.ts';
import type { CardDraft, Panel } from './draft.logic.ts';
import { type CardAction, type CardState, isAnswerable } from './interaction-card.logic.ts';
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

/** So long at least, for what a tool says next may be on its way; and no longer than this, whatever it does. */
const leastMs = 400;
const mostMs = 2500;

/**
 * The card as it is shown. A tool may ask again at once because of what was answered: a card that was answered here stays
 * as it was sent until its call is over, or a moment, so that the next attempt takes its place without anything moving.
 * Where the result of the call is seen, none can come any more, unless the ask was left open: then it outlives its call.
 */
export function useSentCard(card: Card, isResultSeen = false): Card {
  const { state, interaction } = card;
  const { interactionId, tool, leftOpen } = interaction;
  const sent = useRef<{ readonly id: string; readonly action: CardAction } | null>(null);
  if (state.is === 'submitting' && tool !== undefined && mayBeAskedAgain(state.action))
    sent.current = { id: interactionId, action: state.action };
  const action = sent.current?.id === interactionId ? sent.current.action : null;
  const isOurs = state.is === 'submitted' && state.endedBy === 'us' && action !== null;
  const isCalling = useIsCalling(interaction);
  const passed = usePassed(isOurs ? interactionId : null);
  const isLast = isResultSeen && leftOpen === undefined;
  const isHeld = isOurs && !isLast && passed !== 'most' && (passed !== 'least' || isCalling);
  return isHeld ? { ...card, state: { is: 'submitting', action } } : card;
}

const mayBeAskedAgain = (action: CardAction): boolean => action === 'submit' || action.startsWith('allow');

/** Whether the agent still waits for the call that asked. */
const useIsCalling = ({ sessionId, toolCallId }: Interaction): boolean =>
  useRoom(({ sessions }) => toolCallId !== undefined && sessions[sessionId]?.awaited?.id === toolCallId);

/** Which of the two times has passed since the ask was answered. */
function usePassed(answered: string | null): 'least' | 'most' | null {
  const [passed, setPassed] = useState<{ readonly of: string; readonly time: 'least' | 'most' } | null>(null);
  useEffect(() => {
    if (answered === null) return;
    const timers = [
      setTimeout(() => setPassed({ of: answered, time: 'least' }), leastMs),
      setTimeout(() => setPassed({ of: answered, time: 'most' }), mostMs),
    ];
    return () => timers.forEach(clearTimeout);
  }, [answered]);
  return passed?.of === answered ? passed.time : null;
}

/** Ctrl or ⌘ with Enter sends an answer from any field; Enter alone never does. */
export const isSubmitKey = (event: KeyboardEvent): boolean => isKey('field.submit', event) && !event.repeat;
