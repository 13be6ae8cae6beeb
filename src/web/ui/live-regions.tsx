import { useEffect } from 'react';
import { create } from 'zustand';
import { Announcer } from './announcer.tsx';
import { Toaster } from './toast.tsx';

/** The modal dialogs that are open, the one in front last. */
const useModals = create<readonly HTMLElement[]>(() => []);

export function useModal(element: HTMLElement | null): void {
  useEffect(() => {
    if (element === null) return;
    useModals.setState((open) => [...open, element], true);
    return () => useModals.setState((open) => open.filter((each) => each !== element), true);
  }, [element]);
}

/**
 * What is told in passing. A modal dialog covers the rest of the document and makes it inert, so that nothing there is seen or
 * heard: the regions are in the dialog in front, and on the page (`null`) when there is none.
 */
export function LiveRegions({ within }: { readonly within: HTMLElement | null }) {
  const isInFront = useModals((open) => (open.at(-1) ?? null) === within);
  if (!isInFront) return null;
  return (
    <>
      <Toaster />
      <Announcer />
    </>
  );
}
