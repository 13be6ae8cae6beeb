import type { AgentFact } from '../../../engine/ports/agent-driver.ts';
import { type JsonObject, textAt } from '../fields.ts';
import type { Memory } from './memory.ts';

/** Newer versions tell what becomes of a message; that it was begun with proves that it was taken. */
export function translateLifecycle(memory: Memory, line: JsonObject): readonly AgentFact[] {
  return line.state === 'queued' || line.state === 'cancelled'
    ? []
    : taken(memory, textAt(line, 'command_uuid'));
}

/** A message is taken once, however many signs of it come. */
export function taken(memory: Memory, uuid: string | undefined): readonly AgentFact[] {
  const awaited = uuid === undefined ? undefined : memory.awaited.get(uuid);
  if (uuid === undefined || !awaited) return [];
  memory.awaited.delete(uuid);
  return [{ type: 'message-taken', messageId: awaited.messageId }];
}

export function allTaken(memory: Memory, uuids: readonly string[]): readonly AgentFact[] {
  return uuids.flatMap((uuid) => taken(memory, uuid));
}
