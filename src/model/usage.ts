import type { NewEventOf } from '../protocol/event.ts';
import type { Usage } from '../protocol/session.ts';

/** What a turn took. */
export const usageOfTurn = ({ usage, costUsd = 0 }: NewEventOf<'turn.ended'>): Usage => ({
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  cacheReadTokens: usage?.cacheReadTokens ?? 0,
  cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
  costUsd,
  turns: 1,
});

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  turns: 0,
};

export const addUsage = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  costUsd: one.costUsd + other.costUsd,
  turns: one.turns + other.turns,
});
