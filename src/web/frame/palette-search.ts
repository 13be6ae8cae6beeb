import { useEffect, useState } from 'react';
import { useTransport } from '../data/room-context.tsx';
import { useOlder } from '../data/use-older.ts';
import { bySession, type FoundIn } from './palette.logic.ts';

export interface SearchState {
  /** The words that `found` belongs to. */
  readonly query: string;
  readonly found: readonly FoundIn[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

const nothing: SearchState = { query: '', found: [], isSearching: false, hasFailed: false };
const shortest = 2;
/** Long enough that a word typed at ease is asked for once. */
const restMs = 160;

/** Looks through what was said and done in all sessions; what an older query found never replaces a newer one's. */
export function usePaletteSearch(query: string): SearchState {
  const transport = useTransport();
  // Those that the page was not told of join the others by their names.
  useOlder(query.trim().length < shortest ? '' : query);
  const [state, setState] = useState<SearchState>(nothing);
  const q = query.trim();
  useEffect(() => {
    if (q.length < shortest) {
      setState(nothing);
      return;
    }
    let isCurrent = true;
    setState((before) => ({ ...before, isSearching: true }));
    const timer = setTimeout(() => {
      transport.search({ q, limit: 30 }).then(
        (hits) =>
          isCurrent && setState({ query: q, found: bySession(hits), isSearching: false, hasFailed: false }),
        () => isCurrent && setState({ query: q, found: [], isSearching: false, hasFailed: true }),
      );
    }, restMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [q, transport]);
  return state;
}
