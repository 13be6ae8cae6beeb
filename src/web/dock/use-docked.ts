import { useEffect, useState } from 'react';
import { useRoute } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { routes } from '../routes.ts';
import { type Docked, docked } from './dock.logic.ts';
import { useShownCounts } from './shown.ts';

/** Cards come a moment after their page, and leave while it is scrolled: only what stays out of sight is docked. */
const settleMs = 400;

export interface DockView {
  /** Null when there is nothing to show. */
  readonly docked: Docked | null;
  choose(interactionId: string | null): void;
}

export function useDocked(): DockView {
  const [isInbox] = useRoute(routes.inbox);
  const pending = useRoom((room) => room.pending);
  const leaving = useRoom((room) => room.leaving);
  const counts = useShownCounts();
  const [chosen, choose] = useState<string | null>(null);
  const wanted = isInbox ? undefined : docked({ pending, leaving }, (id) => (counts[id] ?? 0) > 0, chosen);
  const wantedId = wanted?.interaction.interactionId ?? null;
  const isComing = chosen === null && wantedId !== null;
  useEffect(() => {
    if (!isComing) {
      choose(wantedId);
      return;
    }
    const timer = setTimeout(() => choose(wantedId), settleMs);
    return () => clearTimeout(timer);
  }, [wantedId, isComing]);
  return { docked: isComing ? null : (wanted ?? null), choose };
}
