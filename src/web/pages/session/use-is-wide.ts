import { useSyncExternalStore } from 'react';

const query = '(min-width: 80rem)';

/** Whether there is room for a column beside the conversation. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches);

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}
