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

/** How much room there is to leave at the bottom of a container, in pixels. */
export function useClearance(container: RefObject<HTMLElement | null>): number {
  const { element } = useKeptClear();
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const box = container.current;
    if (element === null || box === null) {
      setHeight(0);
      return;
    }
    const measure = (): void =>
      setHeight(
        Math.max(0, Math.ceil(box.getBoundingClientRect().bottom - element.getBoundingClientRect().top)),
      );
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element, container]);
  return height;
}
