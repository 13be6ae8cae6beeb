import { useCallback, useEffect, useState } from 'react';
import { useRoom } from './room-context.tsx';

export type Listed<T> =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'there'; readonly items: readonly T[] };

/** A list of the server's that is not told by the stream: read anew when the connection or the person comes back. */
export function useList<T>(read: () => Promise<readonly T[]>): readonly [Listed<T>, () => void] {
  const clientId = useRoom((room) => room.clientId);
  const [list, setList] = useState<Listed<T>>({ is: 'loading' });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection or round is the reason to read again
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (items) => isCurrent && setList({ is: 'there', items }),
      (error: unknown) => isCurrent && setList({ is: 'failed', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [read, clientId, round]);
  useEffect(() => {
    window.addEventListener('focus', again);
    return () => window.removeEventListener('focus', again);
  }, [again]);
  return [list, again];
}
