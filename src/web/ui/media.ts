import { useCallback, useSyncExternalStore } from 'react';

const queries = {
  /** The page has its narrow form. */
  phone: '(max-width: 767px)',
  /** There is room for a column beside the conversation. */
  wide: '(min-width: 80rem)',
  dark: '(prefers-color-scheme: dark)',
  /** Nothing should move. */
  still: '(prefers-reduced-motion: reduce)',
} as const;

type Medium = keyof typeof queries;

export const isMedium = (medium: Medium): boolean => matchMedia(queries[medium]).matches;

/** Calls when it changes, until the function that is given back is called. */
export function watchMedium(medium: Medium, changed: () => void): () => void {
  const query = matchMedia(queries[medium]);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

export const useMedium = (medium: Medium): boolean =>
  useSyncExternalStore(
    useCallback((changed) => watchMedium(medium, changed), [medium]),
    () => isMedium(medium),
  );
