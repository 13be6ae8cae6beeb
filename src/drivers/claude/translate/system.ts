import type { MessageId } from '../../../protocol/ids.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, textAt, textsAt, wordsAt } from '../../fields.ts';
import { modeChange, modelChange } from '../../mode-and-model.ts';
import { unknownOnce } from '../../unknown-once.ts';
import { commandsIn } from '../commands.ts';
import { allTaken } from './lifecycle.ts';
import type { Memory } from './memory.ts';
import { compacted, notice, retrying } from './notices.ts';
import { translateTaskEnd, translateTaskStart, translateTaskUpdate } from './tasks.ts';

export function translateSystem(memory: Memory, line: JsonObject): readonly AgentFact[] {
  switch (line.subtype) {
    case 'init':
      return beginTurn(memory, line);
    case 'status':
      return modeChange(memory, textAt(line, 'permissionMode'));
    case 'commands_changed':
      return commandsIn(line);
    case 'task_started':
      return translateTaskStart(memory, line);
    case 'task_updated':
      return translateTaskUpdate(memory, line);
    case 'task_notification':
      return translateTaskEnd(memory, line);
    case 'api_retry':
      return retrying(line);
    case 'compact_boundary':
      return compacted(line);
    case 'local_command_output':
      return notice('info', 'command-output', textAt(line, 'content') ?? '');
    case 'background_tasks_changed':
    case 'elicitation_complete':
    case 'files_persisted':
    case 'hook_progress':
    case 'hook_response':
    case 'hook_started':
    case 'post_turn_summary':
    case 'session_state_changed':
    case 'task_progress':
    case 'thinking_tokens':
      return [];
    default:
      return unknownOnce(memory, `system line ${wordsAt(line, 'subtype')}`, line);
  }
}

/** It is the first line of every turn, also of one that the program starts by itself. */
function beginTurn(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const facts: AgentFact[] = [];
  const agentSessionId = textAt(line, 'session_id');
  if (agentSessionId !== undefined && agentSessionId !== memory.agentSessionId) {
    memory.agentSessionId = agentSessionId;
    facts.push({ type: 'identified', agentSessionId });
  }
  facts.push(
    ...modeChange(memory, textAt(line, 'permissionMode')),
    ...modelChange(memory, textAt(line, 'model')),
  );
  facts.push(...startOf(memory, line));
  return facts;
}

/**
 * Newer versions name the messages of a turn; one they begin by themselves has none. Older ones do not, and echo a
 * message only after the first block of the reply: there the start itself is the sign that what was sent is taken,
 * unless it may be a turn that the program began by itself.
 */
function startOf(memory: Memory, line: JsonObject): readonly AgentFact[] {
  if (textsAt(line, 'capabilities').includes('msg_lifecycle_v1')) {
    const uuids = textsAt(line, 'user_message_uuids');
    const messageIds = uuids.flatMap((uuid) => memory.sent.get(uuid) ?? []);
    return [...allTaken(memory, uuids), ...turnStarted(memory, messageIds)];
  }
  if (memory.isOwnTurnDue) return turnStarted(memory, []);
  return [...allTaken(memory, [...memory.awaited.keys()]), ...turnStarted(memory)];
}

export function turnStarted(memory: Memory, messageIds?: readonly MessageId[]): readonly AgentFact[] {
  if (memory.isTurnRunning) return [];
  memory.isTurnRunning = true;
  return [{ type: 'turn-started', ...(messageIds && { messageIds }) }];
}
