import { useEffect } from 'react';
import { create } from 'zustand';
import type { Session } from '../../protocol/session.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { readStored, writeStored } from '../data/stored.ts';
import { isUnread, type ReadMarks, readMarks, withBaseline, withRead } from './read-marks.logic.ts';

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
