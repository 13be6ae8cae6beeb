import { type RefObject, useEffect, useRef } from 'react';

/** Gives the focus to a part when it comes. A dialog is open by then: before, nothing in it can have the focus. */
export function useFocusOnMount<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useEffect(() => ref.current?.focus(), []);
  return ref;
}
