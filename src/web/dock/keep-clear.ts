import { type RefObject, useEffect, useState } from 'react';
import { create } from 'zustand';

/** What the dock must not cover: the composer of the page, however tall it has grown. */
const useKeptClear = create<{ readonly element: HTMLElement | null }>(() => ({ element: null }));

/** Keeps the dock above an element. */
export function useKeepClear(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = element;
    useKeptClear.setState({ element: current });
    return () => {
      if (useKeptClear.getState().element === current) useKeptClear.setState({ element: null });
    };
  }, [element]);
}

export interface Clearance {
  /** How much room there is to leave at the bottom of a container, in pixels. */
  readonly below: number;
  /** How much there is to the right of what must be kept clear, and of the text that stands in line with it. */
  readonly beside: number;
}

const free: Clearance = { below: 0, beside: Number.POSITIVE_INFINITY };

export function useClearance(container: RefObject<HTMLElement | null>): Clearance {
  const { element } = useKeptClear();
  const [clearance, setClearance] = useState(free);
  useEffect(() => {
    const box = container.current;
    if (element === null || box === null) {
      setClearance(free);
      return;
    }
    const measure = (): void => {
      const [around, kept] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
      setClearance({
        below: Math.max(0, Math.ceil(around.bottom - kept.top)),
        beside: Math.floor(around.right - kept.right),
      });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element, container]);
  return clearance;
}
