import { type RefObject, useEffect, useState } from 'react';
import { useRoute } from 'wouter';
import { create } from 'zustand';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Interactions } from '../data/interactions.ts';
import { useRoom } from '../data/room-context.tsx';
import { routes } from '../routes.ts';

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
  const counts = useCounts();
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

export interface Docked {
  readonly interaction: Interaction;
  /** Its place among those that could be shown, from 1. */
  readonly at: number;
  readonly count: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * What the dock shows: of the open interactions that are not on the screen already the one chosen, else the oldest.
 * A session that shows one of its own there shows the next one in the same place.
 * It stays where it is when others come: what is about to be pressed must not change under the pointer. One that ends there stays as
 * long as it can be read how, so that no second press meets the next by chance.
 */
export function docked(
  { pending, leaving }: Pick<Interactions, 'pending' | 'leaving'>,
  isShown: (interactionId: string) => boolean,
  chosen: string | null,
): Docked | undefined {
  const onScreen = new Set<string>(
    pending.filter(({ interactionId }) => isShown(interactionId)).map(({ sessionId }) => sessionId),
  );
  const away = pending.filter(({ sessionId }) => !onScreen.has(sessionId));
  // What an agent waits for comes before what was left open.
  const hidden = [
    ...leaving.filter(({ interactionId }) => interactionId === chosen),
    ...away.filter(({ leftOpen }) => leftOpen === undefined),
    ...away.filter(({ leftOpen }) => leftOpen !== undefined),
  ];
  const found = hidden.findIndex(
    ({ interactionId, tool }) => chosen !== null && (interactionId === chosen || tool?.replaces === chosen),
  );
  const index = Math.max(0, found);
  const interaction = hidden[index];
  if (interaction === undefined) return undefined;
  return {
    interaction,
    at: index + 1,
    count: hidden.length,
    previous: hidden[index - 1]?.interactionId ?? null,
    next: hidden[index + 1]?.interactionId ?? null,
  };
}

/** Which interactions have their card on the screen, and how often. */
const useCounts = create<Readonly<Record<string, number>>>(() => ({}));

/** At the edge of the screen a card can neither be read nor pressed. */
const edge = '-48px';

/** Tells as long as the element is on the screen. */
export function useShown(
  element: RefObject<HTMLElement | null>,
  interactionId: string,
  isTold: boolean,
): void {
  useEffect(() => {
    if (!isTold || element.current === null) return;
    let isOn = false;
    const tell = (next: boolean): void => {
      if (next === isOn) return;
      isOn = next;
      useCounts.setState((counts) => changed(counts, interactionId, next ? 1 : -1), true);
    };
    const observer = new IntersectionObserver((entries) => tell(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: edge,
    });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
      tell(false);
    };
  }, [element, interactionId, isTold]);
}

function changed(
  counts: Readonly<Record<string, number>>,
  id: string,
  by: number,
): Readonly<Record<string, number>> {
  const { [id]: before = 0, ...others } = counts;
  return before + by <= 0 ? others : { ...others, [id]: before + by };
}
