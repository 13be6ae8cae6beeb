import type { TurnUsage } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { unknownOnce } from '../../facts.ts';
import { type JsonObject, numberAt, objectAt, wordsAt } from '../../fields.ts';
import type { Memory } from './memory.ts';
import { closeTurn, costOfTurn, tokensIn } from './update.ts';
import { vendorOf } from './vendors.ts';

type TurnEnd = Extract<AgentFact, { type: 'turn-ended' }>;

/** The reply to a prompt is the end of its turn. */
export function translateReply(memory: Memory, reply: JsonObject, durationMs: number): readonly AgentFact[] {
  const { outcome, error, unknown } = endingOf(reply);
  const usage = usageOf(memory, reply);
  const costUsd = costOfTurn(memory);
  return [
    ...closeTurn(memory),
    ...(unknown ? unknownOnce(memory, `reason to stop ${wordsAt(reply, 'stopReason')}`, reply) : []),
    {
      type: 'turn-ended',
      outcome,
      durationMs,
      ...(error !== undefined && { error }),
      ...(usage && { usage }),
      ...(costUsd !== undefined && { costUsd }),
      ...(memory.context && { context: memory.context }),
    },
  ];
}

export function translateFailure(
  memory: Memory,
  error: string,
  durationMs: number,
  wasCancelled: boolean,
): readonly AgentFact[] {
  const how = wasCancelled ? { outcome: 'interrupted' as const } : { outcome: 'failed' as const, error };
  return [...closeTurn(memory), { type: 'turn-ended', ...how, durationMs }];
}

interface Ending {
  readonly outcome: TurnEnd['outcome'];
  readonly error?: string;
  readonly unknown?: boolean;
}

function endingOf({ stopReason }: JsonObject): Ending {
  switch (stopReason) {
    case 'end_turn':
      return { outcome: 'completed' };
    case 'cancelled':
      return { outcome: 'interrupted' };
    case 'max_tokens':
      return { outcome: 'failed', error: 'The agent stopped: its limit of tokens is reached' };
    case 'max_turn_requests':
      return { outcome: 'failed', error: 'The agent stopped: its limit of requests for one turn is reached' };
    case 'refusal':
      return { outcome: 'failed', error: 'The agent refuses to go on' };
    default:
      return { outcome: 'completed', unknown: true };
  }
}

/** In the reply; or beside the protocol, in the reply (Gemini CLI) or with each answer of the model (Qwen Code). */
function usageOf(memory: Memory, reply: JsonObject): TurnEnd['usage'] {
  const counted = memory.usage;
  memory.usage = undefined;
  const usage = objectAt(reply, 'usage');
  if (usage) {
    const told = tokensIn(usage);
    return vendorOf(memory.agentName).countsAllTurns ? sinceLastTurn(memory, told) : told;
  }
  const quota = objectAt(objectAt(objectAt(reply, '_meta') ?? {}, 'quota') ?? {}, 'token_count');
  if (!quota) return counted;
  return {
    inputTokens: numberAt(quota, 'input_tokens') ?? 0,
    outputTokens: numberAt(quota, 'output_tokens') ?? 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}

/** Of tokens that are counted over all turns, those of the last one. */
function sinceLastTurn(memory: Memory, all: TurnUsage): TurnUsage {
  const before = memory.tokensTold;
  memory.tokensTold = all;
  // The count may begin again.
  if (!before || all.inputTokens < before.inputTokens) return all;
  return {
    inputTokens: all.inputTokens - before.inputTokens,
    outputTokens: all.outputTokens - before.outputTokens,
    cacheReadTokens: all.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: all.cacheWriteTokens - before.cacheWriteTokens,
  };
}
