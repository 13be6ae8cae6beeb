import { useEffect, useState } from 'react';
import { useRoute } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { routes } from '../routes.ts';
import { type Docked, docked } from './dock.logic.ts';
import { useShownCounts } from './shown.ts';

/** Cards come a moment after their page, and leave while it is scrolled: only what stays out of sight is docked. */
const settleMs = 400;
/** How it ended can be read before the next takes its place, and no second press meets that one by chance. */
const lingerMs = 1600;

export interface DockView {
  /** Null when there is nothing to show. */
  readonly docked: Docked | null;
  choose(interactionId: string | null): void;
}

export function useDocked(): DockView {
  const [isInbox] = useRoute(routes.inbox);
  const pending = useRoom((room) => room.pending);
  const ended = useRoom((room) => room.ended);
  const counts = useShownCounts();
  const [chosen, choose] = useState<string | null>(null);
  const [view, setView] = useState<Docked | null>(null);
  const wanted = isInbox ? undefined : docked(pending, (id) => (counts[id] ?? 0) > 0, chosen);
  const shownId = view?.interaction.interactionId ?? null;
  const wantedId = wanted?.interaction.interactionId ?? null;
  const isSame = shownId === wantedId;
  const hasEnded = ended.some(({ interactionId }) => interactionId === shownId);
  // A tool that asks again goes on in the same place at once.
  const isNextAttempt = shownId !== null && wanted?.interaction.tool?.replaces === shownId;
  const isLeaving = !isSame && hasEnded && !isInbox && !isNextAttempt;
  const isComing = !isSame && shownId === null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wanted is made anew with every drawing; its id tells
  useEffect(() => {
    if (isSame) return;
    const show = (): void => {
      setView(wanted ?? null);
      choose(wantedId);
    };
    const wait = isLeaving ? lingerMs : isComing ? settleMs : 0;
    if (wait === 0) {
      show();
      return;
    }
    const timer = setTimeout(show, wait);
    return () => clearTimeout(timer);
  }, [isSame, wantedId, isLeaving, isComing]);

  if (isLeaving) return { docked: view, choose };
  return { docked: isComing ? null : (wanted ?? null), choose };
}
