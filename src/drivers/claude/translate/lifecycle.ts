import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, textAt } from '../../fields.ts';
import type { Memory } from './memory.ts';

/** Newer versions tell what becomes of a message; that it was begun with proves that it was taken. */
export function translateLifecycle(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const uuid = textAt(line, 'command_uuid');
  switch (line.state) {
    case 'started':
      return taken(memory, uuid);
    case 'completed':
      return echoed(memory, uuid);
    default:
      return [];
  }
}

/**
 * The echo of a message comes within its turn. Outside of any, it says that the program had the message already:
 * it was killed after it took it, and was sent it again.
 */
export function echoed(memory: Memory, uuid: string | undefined): readonly AgentFact[] {
  const awaited = uuid === undefined ? undefined : memory.awaited.get(uuid);
  const hadIt = awaited !== undefined && !memory.isTurnRunning && !awaited.wasSentMidTurn;
  return taken(memory, uuid).map((fact) => (hadIt ? { ...fact, again: true } : fact));
}

type Taken = Extract<AgentFact, { type: 'message-taken' }>;

/** A message is taken once, however many signs of it come. */
function taken(memory: Memory, uuid: string | undefined): readonly Taken[] {
  const awaited = uuid === undefined ? undefined : memory.awaited.get(uuid);
  if (uuid === undefined || !awaited) return [];
  memory.awaited.delete(uuid);
  return [{ type: 'message-taken', messageId: awaited.messageId }];
}

export function allTaken(memory: Memory, uuids: readonly string[]): readonly AgentFact[] {
  return uuids.flatMap((uuid) => taken(memory, uuid));
}
