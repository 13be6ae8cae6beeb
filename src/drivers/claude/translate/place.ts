import type { Memory } from './memory.ts';

const recentMessages = 20;

/**
 * The number of the block that an `assistant` line completes. Such a line does not say it; it comes while its block
 * is the one being streamed, and where nothing is streamed (sub-agents) blocks come in order.
 */
export function nextBlock(memory: Memory, agentMessageId: string): number {
  const last = memory.lastBlocks.get(agentMessageId) ?? -1;
  const streamed = memory.streamed?.agentMessageId === agentMessageId ? memory.streamed.block : -1;
  const block = Math.max(last + 1, streamed);
  memory.lastBlocks.delete(agentMessageId);
  memory.lastBlocks.set(agentMessageId, block);
  for (const oldest of memory.lastBlocks.keys()) {
    if (memory.lastBlocks.size <= recentMessages) break;
    memory.lastBlocks.delete(oldest);
  }
  return block;
}
