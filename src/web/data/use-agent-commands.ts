import { useEffect } from 'react';
import type { AgentCommand } from '../../protocol/session.ts';
import { useControlRoom, useRoom } from './room-context.tsx';

const none: readonly AgentCommand[] = [];

/** What the session's agent offers by `/name`. Asked for only while it is wanted: most people type no slash. */
export function useAgentCommands(sessionId: string, isWanted: boolean): readonly AgentCommand[] {
  const room = useControlRoom();
  const clientId = useRoom((state) => state.clientId);
  useEffect(() => {
    // Where it cannot be asked, there is nothing to offer, and typing goes on.
    if (isWanted && clientId !== null) room.readCommands(sessionId).catch(() => {});
  }, [room, sessionId, isWanted, clientId]);
  return useRoom((state) => state.commands[sessionId]) ?? none;
}
