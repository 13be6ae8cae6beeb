import { type RefObject, useEffect } from 'react';
import { create } from 'zustand';

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

/** The interactions whose cards are on the screen. */
export const useShownCounts = (): Readonly<Record<string, number>> => useCounts();

function changed(
  counts: Readonly<Record<string, number>>,
  id: string,
  by: number,
): Readonly<Record<string, number>> {
  const { [id]: before = 0, ...others } = counts;
  return before + by <= 0 ? others : { ...others, [id]: before + by };
}
