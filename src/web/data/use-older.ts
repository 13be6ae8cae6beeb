import { useCallback, useEffect, useRef, useState } from 'react';
import type { SessionPage } from '../../client/transport.ts';
import type { Session } from '../../protocol/session.ts';
import { sessionNamed, unknownCount } from './room.logic.ts';
import { useControlRoom, useRoom } from './room-context.tsx';

export interface Older {
  /** How many sessions the page could still ask for. */
  readonly count: number;
  readonly isReading: boolean;
  readonly more: () => void;
}

/** Long enough that a word typed at ease is asked for once. */
const restMs = 160;

/** The sessions that the page was not told of; with words, those of them that have these, which are asked for by themselves. */
export function useOlder(words = ''): Older {
  const room = useControlRoom();
  const unknown = useRoom((state) => unknownCount(state, false));
  const hasUnknown = useRoom((state) => unknown + unknownCount(state, true) > 0);
  const [isReading, setReading] = useState(false);
  const [found, setFound] = useState<{
    readonly q: string;
    readonly page: SessionPage;
    readonly read: number;
  }>();
  const q = words.trim();

  const read = useCallback((work: () => Promise<void>) => {
    setReading(true);
    // What cannot be read now is offered again; the bar says why when the connection is lost.
    void work()
      .catch(() => {})
      .finally(() => setReading(false));
  }, []);

  useEffect(() => {
    if (q === '' || !hasUnknown) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      room.findSessions(q).then(
        (page) => isCurrent && setFound({ q, page, read: page.sessions.length }),
        () => {},
      );
    }, restMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [room, q, hasUnknown]);

  const current = found?.q === q ? found : undefined;
  const more = useCallback(() => {
    if (q === '') read(() => room.readOlder());
    else if (current?.page.nextCursor !== undefined) {
      const { page, read: before } = current;
      read(async () => {
        const next = await room.findSessions(q, page.nextCursor);
        setFound({ q, page: next, read: before + next.sessions.length });
      });
    }
  }, [room, q, current, read]);

  const left = current?.page.nextCursor === undefined ? 0 : current.page.total - current.read;
  return { count: q === '' ? unknown : left, isReading, more };
}

/** The archived sessions that the page was not told of: the first of them are asked for by themselves when they are wanted. */
export function useArchived(isWanted: boolean): Older {
  const room = useControlRoom();
  const count = useRoom((state) => (isWanted ? unknownCount(state, true) : 0));
  const [isReading, setReading] = useState(false);
  const cursor = useRef<string>(undefined);
  const more = useCallback(() => {
    setReading(true);
    room
      .readArchived(cursor.current)
      .then(({ nextCursor }) => {
        cursor.current = nextCursor;
      })
      .catch(() => {})
      .finally(() => setReading(false));
  }, [room]);
  const isLoaded = useRoom((state) => state.isLoaded);
  useEffect(() => {
    if (isWanted && isLoaded) more();
  }, [isWanted, isLoaded, more]);
  return { count, isReading, more };
}

/** A session by its id or key, asked for if the page was not told of it; undefined while that is not known, null when there is none. */
export function useNamedSession(name: string | undefined): Session | null | undefined {
  const room = useControlRoom();
  const isLoaded = useRoom((state) => state.isLoaded);
  const session = useRoom((state) => (name === undefined ? undefined : sessionNamed(state, name)));
  const [missing, setMissing] = useState<string>();
  const isWanted = name !== undefined && isLoaded && session === undefined && missing !== name;
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    const none = (): void => {
      if (isCurrent) setMissing(name);
    };
    room.lookUp(name).then((isFound) => isFound || none(), none);
    return () => {
      isCurrent = false;
    };
  }, [room, name, isWanted]);
  return session ?? (missing === name ? null : undefined);
}
