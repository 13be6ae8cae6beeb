import { useEffect, useRef, useState } from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useRoom } from '../data/room-context.tsx';
import type { CardAction } from './interaction-card.logic.ts';
import type { Card } from './use-card.ts';

/** So long at least, for what a tool says next may be on its way; and no longer than this, whatever it does. */
const leastMs = 400;
const mostMs = 2500;

/**
 * The card as it is shown. A tool may ask again at once because of what was answered: a card that was answered here stays
 * as it was sent until its call is over, or a moment, so that the next attempt takes its place without anything moving.
 * Where the result of the call is seen, none can come any more, unless the ask was left open: then it outlives its call.
 */
export function useHeld(card: Card, isResultSeen = false): Card {
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
