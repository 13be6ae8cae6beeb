import { useEffect } from 'react';
import { create } from 'zustand';
import { BeckonError } from '../../client/beckon-error.ts';
import type { RoomCalls } from '../../client/calls.ts';
import type { SessionChanges } from '../../protocol/changes.ts';
import { useTransport } from '../data/room-context.tsx';

/** What a turn changed, by session and turn; null where it cannot be told. A turn that has ended changes no more. */
const useKnown = create<Readonly<Record<string, SessionChanges | null>>>(() => ({}));
const asked = new Set<string>();
/** Rows come and go while one scrolls; what is far away is asked for again. */
const mostKnown = 200;

/** What a turn that has ended changed in the files; undefined until that is known. */
export function useTurnChanges(
  sessionId: string,
  turnId: string,
  isWanted: boolean,
): SessionChanges | null | undefined {
  const transport = useTransport();
  useEffect(() => {
    if (isWanted) ask(transport, sessionId, turnId);
  }, [transport, sessionId, turnId, isWanted]);
  return useKnown((known) => known[keyOf(sessionId, turnId)]);
}

const keyOf = (sessionId: string, turnId: string): string => `${sessionId} ${turnId}`;

function ask(transport: RoomCalls, sessionId: string, turnId: string): void {
  const key = keyOf(sessionId, turnId);
  if (asked.has(key)) return;
  asked.add(key);
  transport.changes(sessionId, { since: 'turn', turn: turnId }).then(
    (changes) => keep(key, changes),
    (error: unknown) => {
      const code = error instanceof BeckonError ? error.code : '';
      // What may be otherwise in a while is asked for when the row comes back.
      if (code === 'recording_not_found') keep(key, null);
      else asked.delete(key);
    },
  );
}

function keep(key: string, changes: SessionChanges | null): void {
  const known = Object.entries(useKnown.getState());
  const dropped = known.slice(0, Math.max(0, known.length + 1 - mostKnown));
  for (const [old] of dropped) asked.delete(old);
  useKnown.setState(Object.fromEntries([...known.slice(dropped.length), [key, changes]]), true);
}
