import { type RefObject, useEffect, useState } from 'react';

/** Whether an element is on the screen, or nearly: as far from it as the margin. */
export function useOnScreen(element: RefObject<HTMLElement | null>, margin = '160px'): boolean {
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: margin },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, margin]);
  return isOnScreen;
}
