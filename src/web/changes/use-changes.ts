import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useRoom, useTransport } from '../data/room-context.tsx';
import type { SessionFeed } from '../data/session-feed.ts';
import type { Asked } from './changes.logic.ts';
import { ChangesReader, type ChangesState } from './changes-reader.ts';

export interface FollowedChanges extends ChangesState {
  readonly again: () => void;
}

/**
 * What changed in a session's files, asked for again when the session tells that something may have, and when the connection is back.
 * While nobody looks at them it is enough to know how many there are, and that with every recording.
 */
export function useChanges(
  session: Session,
  feed: SessionFeed | null,
  { since, turnId }: Asked,
  isOpen: boolean,
): FollowedChanges {
  const calls = useTransport();
  const clientId = useRoom((room) => room.clientId);
  const reader = useMemo(
    () =>
      new ChangesReader(() =>
        calls.changes(session.id, { since, ...(turnId === null ? {} : { turn: turnId }) }),
      ),
    [calls, session.id, since, turnId],
  );
  useEffect(() => {
    reader.open();
    return () => reader.close();
  }, [reader]);
  const news = (isOpen ? feed?.fileNews : feed?.recordings) ?? 0;
  const isWanted = isOpen || news > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: news, a new connection and the end of a turn are reasons to ask again
  useEffect(() => {
    if (isWanted) reader.news();
  }, [reader, isWanted, news, clientId, session.status === 'running']);
  const state = useSyncExternalStore(reader.subscribe, () => reader.state);
  return useMemo(() => ({ ...state, again: () => reader.again() }), [state, reader]);
}
