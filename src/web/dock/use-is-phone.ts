import { useSyncExternalStore } from 'react';

const narrow = '(max-width: 767px)';

/** Whether the page has its narrow form. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);

function subscribe(changed: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}
