import { type RefObject, useEffect, useRef } from 'react';
import type { Card } from './use-card.ts';

/** The focus goes to a part that a person opened, and never to one that came with its card. */
export function usePanelFocus<T extends HTMLElement>(card: Pick<Card, 'takeFocus'>): RefObject<T | null> {
  const ref = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the part comes
  useEffect(() => {
    if (card.takeFocus()) ref.current?.focus();
  }, []);
  return ref;
}
