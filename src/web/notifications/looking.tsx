import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useControlRoom } from '../data/room-context.tsx';
import { gazeAt } from './gaze.ts';

/** The server forgets what it was told after 30 seconds: a machine that fell asleep says nothing any more. */
const againMs = 20_000;

/** Tells the server what the person looks at, so that nobody is notified of what they see. */
export function Looking() {
  const room = useControlRoom();
  const [location] = useLocation();
  useEffect(() => {
    let told: string | null | undefined;
    let again: ReturnType<typeof setInterval> | undefined;
    const tell = (): void => {
      const at = lookedAt();
      if (at === told) return;
      told = at;
      room.look(at);
      clearInterval(again);
      if (at !== null) again = setInterval(() => room.look(at), againMs);
    };
    const lookedAt = () => {
      const { isHere, session } = gazeAt(location, room.store.getState());
      return !isHere || session === undefined ? null : (session ?? 'all');
    };
    const stop = room.store.subscribe((after, before) => {
      // A new connection has been told nothing yet.
      if (after.clientId !== before.clientId) told = undefined;
      if (told === undefined || after.sessions !== before.sessions) tell();
    });
    const events = [
      [document, 'visibilitychange'],
      [window, 'focus'],
      [window, 'blur'],
    ] as const;
    for (const [target, type] of events) target.addEventListener(type, tell);
    tell();
    return () => {
      stop();
      clearInterval(again);
      for (const [target, type] of events) target.removeEventListener(type, tell);
    };
  }, [room, location]);
  return null;
}
