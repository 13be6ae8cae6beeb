import { type Memory, newName, type Place } from './memory.ts';

const recentMessages = 50;

/** The next free block of a message: of the one named, or of the one the agent speaks in. */
export function nextPlace(memory: Memory, named?: string): Place {
  const agentMessageId = named ?? memory.agentMessageId ?? newName(memory, 'message');
  memory.agentMessageId = agentMessageId;
  const block = (memory.lastBlocks.get(agentMessageId) ?? -1) + 1;
  memory.lastBlocks.delete(agentMessageId);
  memory.lastBlocks.set(agentMessageId, block);
  for (const oldest of memory.lastBlocks.keys()) {
    if (memory.lastBlocks.size <= recentMessages) break;
    memory.lastBlocks.delete(oldest);
  }
  return { agentMessageId, block };
}

/** An agent that names no messages begins another one after its tools have run. */
export function leaveMessage(memory: Memory): void {
  memory.agentMessageId = undefined;
}
