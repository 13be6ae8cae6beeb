import { useEffect } from 'react';
import { create } from 'zustand';
import type { Session } from '../../protocol/session.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { readStored, writeStored } from '../data/stored.ts';

const name = 'read';

/** What of each session was looked at in this browser; the server does not know. */
const useReadMarks = create<ReadMarks>(() => readMarks(readStored(name)));

/** Whether it did something since its end was last on the screen here. */
export const useIsUnread = (session: Session): boolean => useReadMarks((marks) => isUnread(marks, session));

/** Marks a session as looked at, now and at each change, while its end is on the screen. */
export function useLooksAt(session: Session | undefined, isEndShown: boolean): void {
  const isUnreadHere = useReadMarks((marks) => session !== undefined && isUnread(marks, session));
  useEffect(() => {
    if (session === undefined || !isEndShown || !isUnreadHere) return;
    const look = (): void => {
      if (!document.hidden) change((marks) => withRead(marks, session));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [session, isEndShown, isUnreadHere]);
}

/** Begins with what is known when this browser first comes, and takes over what other tabs looked at. */
export function useReadMarksKept(): void {
  const room = useControlRoom();
  const isLoaded = useRoom((state) => state.isLoaded);
  useEffect(() => {
    if (isLoaded) change((marks) => withBaseline(marks, Object.values(room.store.getState().sessions)));
  }, [room, isLoaded]);
  useEffect(() => {
    const heard = ({ key }: StorageEvent): void => {
      if (key === `beckon.${name}`) useReadMarks.setState(readMarks(readStored(name)), true);
    };
    window.addEventListener('storage', heard);
    return () => window.removeEventListener('storage', heard);
  }, []);
}

function change(by: (marks: ReadMarks) => ReadMarks): void {
  const before = useReadMarks.getState();
  const after = by(before);
  if (after === before) return;
  useReadMarks.setState(after, true);
  writeStored(name, JSON.stringify(after));
}

/** What of a session is news: a turn that ended, an ask, a failure. */
interface ReadMark {
  readonly turns: number;
  readonly asked: string | null;
  readonly failedAt: string | null;
}

export interface ReadMarks {
  /** What did not change since, and was never looked at, is no news; null before the first sessions were told of. */
  readonly baseline: string | null;
  /** By session, the one looked at last at the end. */
  readonly marks: Readonly<Record<string, ReadMark>>;
}

const mostMarks = 2_000;

export function isUnread({ baseline, marks }: ReadMarks, session: Session): boolean {
  const now = markOf(session);
  const mark = marks[session.id];
  if (mark === undefined)
    return baseline !== null && session.updatedAt > baseline && !isSame(now, nothingYet);
  return (
    now.turns > mark.turns ||
    (now.asked !== null && now.asked !== mark.asked) ||
    (now.failedAt !== null && now.failedAt !== mark.failedAt)
  );
}

export function withRead(marks: ReadMarks, session: Session): ReadMarks {
  const { [session.id]: _, ...others } = marks.marks;
  const kept = Object.entries(others).slice(1 - mostMarks);
  return { ...marks, marks: { ...Object.fromEntries(kept), [session.id]: markOf(session) } };
}

/** All that is known is no news. The time is the server's, as its sessions tell it: the browser's clock may be another. */
export function withBaseline(marks: ReadMarks, sessions: readonly Session[]): ReadMarks {
  if (marks.baseline !== null) return marks;
  const baseline =
    sessions
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? '';
  return { baseline, marks: Object.fromEntries(sessions.map((session) => [session.id, markOf(session)])) };
}

/** What was stored; nothing of it where it cannot be read. */
export function readMarks(stored: string | null): ReadMarks {
  try {
    const { baseline, marks }: Partial<ReadMarks> = JSON.parse(stored ?? '{}');
    return {
      baseline: typeof baseline === 'string' ? baseline : null,
      marks: typeof marks === 'object' && marks !== null ? marks : {},
    };
  } catch {
    return { baseline: null, marks: {} };
  }
}

const nothingYet: ReadMark = { turns: 0, asked: null, failedAt: null };

const markOf = ({ usage, status, awaited, since }: Session): ReadMark => ({
  turns: usage.turns,
  asked: status === 'waiting' ? (awaited?.id ?? since) : null,
  failedAt: status === 'failed' ? since : null,
});

const isSame = (a: ReadMark, b: ReadMark): boolean =>
  a.turns === b.turns && a.asked === b.asked && a.failedAt === b.failedAt;
