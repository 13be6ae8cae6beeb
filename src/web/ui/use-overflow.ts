import { type RefObject, useLayoutEffect, useState } from 'react';

export interface Overflow {
  /** There is more than there is room for. */
  readonly isLonger: boolean;
  /** How much of it lies below what is seen, in pixels. */
  readonly below: number;
  /** False while all of it is hidden, as on a narrow page that shows something else. */
  readonly isVisible: boolean;
}

/** How much of what is in a box cannot be seen; null until that is known. */
export function useOverflow(box: RefObject<HTMLElement | null>): Overflow | null {
  const [overflow, setOverflow] = useState<Overflow | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth, scrollTop } = element;
      const isLonger = scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1;
      const below = Math.max(0, scrollHeight - scrollTop - clientHeight);
      const isVisible = element.checkVisibility?.() ?? true;
      setOverflow({ isLonger, below, isVisible });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [box]);
  return overflow;
}
