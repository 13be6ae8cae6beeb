import { type RefObject, useEffect, useRef, useState } from 'react';

/** So long after the pointer last moved over them, things may change their places. */
const restMs = 1200;

/**
 * The order to show: the wanted one, but not while someone types in a monitor or is about to press something in one.
 * New ones are shown at once, at the end, and gone ones leave, unless someone types in them.
 */
export function useCalmOrder(
  wanted: readonly string[],
  area: RefObject<HTMLElement | null>,
): readonly string[] {
  const [shown, setShown] = useState(wanted);
  const movedAt = useRef(0);

  useEffect(() => {
    const element = area.current;
    const moved = (): void => {
      movedAt.current = performance.now();
    };
    element?.addEventListener('pointermove', moved, { passive: true });
    return () => element?.removeEventListener('pointermove', moved);
  });

  useEffect(() => {
    if (isSame(shown, wanted)) return;
    const settle = (): void => {
      const wait = waitFor(area.current, movedAt.current);
      if (wait === 0) setShown(wanted);
      else timer = setTimeout(settle, wait);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    settle();
    return () => clearTimeout(timer);
  }, [wanted, shown, area]);

  return isSame(shown, wanted) ? wanted : withoutMoving(shown, wanted, typedIn(area.current));
}

/** Those that are still there in their places, then what is new. */
export function withoutMoving(
  shown: readonly string[],
  wanted: readonly string[],
  typedIn?: string,
): readonly string[] {
  const there = new Set([...wanted, typedIn]);
  const known = new Set(shown);
  return [...shown.filter((id) => there.has(id)), ...wanted.filter((id) => !known.has(id))];
}

function waitFor(area: HTMLElement | null, movedAt: number): number {
  if (typedIn(area) !== undefined) return restMs;
  return Math.max(0, Math.ceil(movedAt + restMs - performance.now())) * (movedAt === 0 ? 0 : 1);
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at]);

/** The monitor in which someone types. */
function typedIn(area: HTMLElement | null): string | undefined {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLTextAreaElement) || area?.contains(activeElement) !== true)
    return undefined;
  return activeElement.closest<HTMLElement>('[data-flip]')?.dataset.flip;
}
