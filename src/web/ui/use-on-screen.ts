import { type RefObject, useEffect, useState } from 'react';

/** Whether an element is on the screen, or nearly. */
export function useOnScreen(element: RefObject<HTMLElement | null>): boolean {
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: '160px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isOnScreen;
}
