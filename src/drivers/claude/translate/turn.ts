import type { MessageId } from '../../../protocol/ids.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt, textsAt } from '../../fields.ts';
import type { Memory } from './memory.ts';

type TurnEnd = Extract<AgentFact, { type: 'turn-ended' }>;

export function turnStarted(memory: Memory, messageIds?: readonly MessageId[]): readonly AgentFact[] {
  if (memory.isTurnRunning) return [];
  memory.isTurnRunning = true;
  return [{ type: 'turn-started', ...(messageIds && { messageIds }) }];
}

/** The end of a turn. */
export function translateResult(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const ended = turnEnd(memory, line);
  const withdrawn = ended.outcome === 'interrupted' ? withdrawForms(memory) : [];
  const facts = [...takenAtEnd(memory, line), ...turnStarted(memory), ...withdrawn, ended];
  memory.isTurnRunning = false;
  memory.streamed = undefined;
  for (const awaited of memory.awaited.values()) awaited.isMidTurn = false;
  return facts;
}

/** Older versions show no sign of some messages (commands such as `/cost`) but the end of their turn. */
function takenAtEnd(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const uuids = textsAt(line, 'user_message_uuids');
  if (uuids.length > 0) return allTaken(memory, uuids);
  if (objectAt(line, 'origin')) {
    memory.isOwnTurnDue = false;
    return [];
  }
  const due = [...memory.awaited].filter(([, awaited]) => !awaited.isMidTurn);
  return allTaken(
    memory,
    due.map(([uuid]) => uuid),
  );
}

function turnEnd(memory: Memory, line: JsonObject): TurnEnd {
  const outcome = outcomeOf(line);
  const durationMs = numberAt(line, 'duration_ms');
  const usage = usageOf(line);
  return {
    type: 'turn-ended',
    outcome,
    ...(outcome === 'failed' && { error: errorOf(line) }),
    ...(durationMs !== undefined && { durationMs }),
    ...(usage && { usage }),
    costUsd: costOf(memory, line),
    ...(memory.lastLine !== undefined && { reached: memory.lastLine }),
  };
}

/** Older versions do not take a form back when its turn is aborted. */
function withdrawForms(memory: Memory): readonly AgentFact[] {
  const facts = [...memory.openForms].map((agentRequestId) => ({
    type: 'withdrawn' as const,
    agentRequestId,
  }));
  memory.openForms.clear();
  return facts;
}

/** Neither `subtype` nor `is_error` tells an aborted turn: a turn that a newer message cut short counts as a success. */
function outcomeOf(line: JsonObject): TurnEnd['outcome'] {
  const reason = textAt(line, 'terminal_reason');
  if (reason?.startsWith('aborted')) return 'interrupted';
  if (reason === 'tool_deferred') return 'suspended';
  return line.is_error === true ? 'failed' : 'completed';
}

function errorOf(line: JsonObject): string {
  const errors = textsAt(line, 'errors').join('\n');
  return errors || textAt(line, 'result') || textAt(line, 'subtype') || 'The agent gave no reason';
}

function usageOf(line: JsonObject): TurnEnd['usage'] {
  const usage = objectAt(line, 'usage');
  return (
    usage && {
      inputTokens: numberAt(usage, 'input_tokens') ?? 0,
      outputTokens: numberAt(usage, 'output_tokens') ?? 0,
      cacheReadTokens: numberAt(usage, 'cache_read_input_tokens') ?? 0,
      cacheWriteTokens: numberAt(usage, 'cache_creation_input_tokens') ?? 0,
    }
  );
}

/** After a resume the total may go on from the earlier process or start at nothing; newer versions give the turn's share. */
function costOf(memory: Memory, line: JsonObject): number {
  const total = numberAt(line, 'total_cost_usd') ?? memory.costSoFar;
  const difference = total < memory.costSoFar ? total : total - memory.costSoFar;
  memory.costSoFar = total;
  const shares = objectAt(line, 'model_usage_since_last_result');
  if (!shares) return difference;
  return Object.values(shares)
    .filter(isObject)
    .reduce((sum, share) => sum + (numberAt(share, 'costUSD') ?? 0), 0);
}

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
