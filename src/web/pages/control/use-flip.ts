import { type RefObject, useLayoutEffect, useRef } from 'react';
import { isMedium } from '../../ui/media.ts';

interface Place {
  readonly left: number;
  readonly top: number;
}

/** Lets children glide to their new places when their order changes, so that the eye can follow. */
export function useFlip(container: RefObject<HTMLElement | null>, order: readonly string[]): void {
  const places = useRef(new Map<string, Place>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew exactly when the order changes
  useLayoutEffect(() => {
    const isStill = isMedium('still');
    const next = new Map<string, Place>();
    for (const child of container.current?.children ?? []) {
      if (!(child instanceof HTMLElement) || child.dataset.flip === undefined) continue;
      const place = { left: child.offsetLeft, top: child.offsetTop };
      const before = places.current.get(child.dataset.flip);
      next.set(child.dataset.flip, place);
      if (!isStill && before !== undefined) glide(child, before, place);
    }
    places.current = next;
  }, [container, order]);
}

function glide(element: HTMLElement, from: Place, to: Place): void {
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (x === 0 && y === 0) return;
  element.animate([{ translate: `${x}px ${y}px` }, { translate: '0 0' }], {
    duration: 180,
    easing: 'ease-out',
  });
}
