import { useEffect } from 'react';
import { create } from 'zustand';
import type { RoomCalls } from '../../client/calls.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';

const useBranches = create<Readonly<Record<string, string | null>>>(() => ({}));

/**
 * The branch that is checked out where a session works. Asked for anew when the session begins or ends something, for its agent may
 * have switched, and when one comes back to the page, for oneself may have.
 */
export function useBranch({ id, since }: Session, isWanted: boolean): string | null {
  const transport = useTransport();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew with every change of the session's state
  useEffect(() => {
    if (!isWanted) return;
    const ask = (): void => {
      if (!document.hidden) askSoon(transport, id);
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => document.removeEventListener('visibilitychange', ask);
  }, [transport, id, since, isWanted]);
  return useBranches((branches) => branches[id] ?? null);
}

/** Monitors come together: one request is enough for all of them. */
const gatherMs = 80;
const wanted = new Set<string>();

function askSoon(transport: RoomCalls, sessionId: string): void {
  const isAsking = wanted.size > 0;
  wanted.add(sessionId);
  if (isAsking) return;
  setTimeout(() => {
    const sessions = [...wanted];
    wanted.clear();
    // Where it cannot be told, what was known is shown; the next change asks again.
    transport.branches({ sessions }).then(
      (branches) => useBranches.setState(branches),
      () => {},
    );
  }, gatherMs);
}
