import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Session } from '../../protocol/session.ts';
import type { SessionFeed } from '../data/session-feed.ts';
import { routes } from '../routes.ts';
import { useMedium } from '../ui/media.ts';
import { type Asked, sinces, type Totals, totalsOf } from './changes.logic.ts';
import { setChangesPreferences, useChangesPreferences } from './changes-preferences.ts';
import { type FollowedChanges, useChanges } from './use-changes.ts';

/** Where a session's changes stand on its page, and what of them is asked for: both are in the address. */
export interface ChangesPlace {
  readonly isOpen: boolean;
  /** They have the place of the conversation: there is no room beside it, or they were given it all. */
  readonly isAlone: boolean;
  readonly canBeBeside: boolean;
  readonly asked: Asked;
  /** The file that the address names. */
  readonly file: string | null;
  readonly followed: FollowedChanges;
  /** Null as long as they are not known. */
  readonly totals: Totals | null;
  toggle(): void;
  setAlone(isAlone: boolean): void;
  ask(asked: Asked): void;
  show(path: string): void;
}

/** Both of them. */
export function useChangesView(session: Session, feed: SessionFeed | null): ChangesPlace {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const isWide = useMedium('wide');
  const preferred = useChangesPreferences(({ since }) => since);
  const [isAloneByChoice, setAlone] = useState(false);
  const isOpen = path.endsWith('/changes');
  const page = isOpen ? path.slice(0, -'/changes'.length) : path;
  const { asked, file } = useMemo(() => {
    const query = new URLSearchParams(isOpen ? search : '');
    const turnId = query.get('turn');
    const named = sinces.find((since) => since === query.get('since'));
    return {
      asked: { since: turnId === null ? (named ?? preferred) : 'turn', turnId } as const,
      file: query.get('file'),
    };
  }, [isOpen, search, preferred]);
  const followed = useChanges(session, feed, asked, isOpen);
  const { changes } = followed;
  const totals = useMemo(() => (changes === null ? null : totalsOf(changes.files)), [changes]);
  const toggle = useCallback(() => {
    navigate(isOpen ? page : `${page}${routes.changesIn}`);
    if (isOpen) requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-changes]')?.focus());
  }, [navigate, isOpen, page]);
  const go = useCallback(
    (query: Readonly<Record<string, string>>) =>
      navigate(`${page}${routes.changesIn}?${new URLSearchParams(query)}`, { replace: true }),
    [navigate, page],
  );
  const ask = useCallback(
    ({ since, turnId }: Asked) => {
      if (turnId === null) setChangesPreferences({ since });
      go(turnId === null ? { since } : { turn: turnId });
    },
    [go],
  );
  const show = useCallback(
    (shown: string) =>
      go({ ...(asked.turnId === null ? { since: asked.since } : { turn: asked.turnId }), file: shown }),
    [go, asked],
  );
  return {
    isOpen,
    isAlone: isOpen && (!isWide || isAloneByChoice),
    canBeBeside: isWide,
    asked,
    file,
    followed,
    totals,
    toggle,
    setAlone,
    ask,
    show,
  };
}
