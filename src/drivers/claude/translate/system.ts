import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { modeChange, modelChange, notice, unknownOnce } from '../../facts.ts';
import { type JsonObject, numberAt, objectAt, textAt, textsAt, wordsAt } from '../../fields.ts';
import { commandsIn } from '../initialized.ts';
import type { Memory, Task, TaskStatus } from './memory.ts';
import { allTaken, turnStarted } from './turn.ts';

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
      return printed(textAt(line, 'content') ?? '');
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

const printed = (text: string): readonly AgentFact[] =>
  text === '' ? [] : [notice('info', 'command-output', text)];

function retrying(line: JsonObject): readonly AgentFact[] {
  const status = numberAt(line, 'error_status');
  const attempt = numberAt(line, 'attempt');
  const most = numberAt(line, 'max_retries');
  const which = attempt === undefined ? '' : ` (try ${attempt}${most === undefined ? '' : ` of ${most}`})`;
  const why = status === undefined ? '' : `: status ${status}`;
  return [notice('warning', 'model-retry', `The model did not answer${why}. Trying again${which}`)];
}

function compacted(line: JsonObject): readonly AgentFact[] {
  const before = numberAt(objectAt(line, 'compact_metadata') ?? {}, 'pre_tokens');
  const size = before === undefined ? '' : ` It had ${before} tokens.`;
  return [notice('info', 'compacted', `The agent has summarised the conversation so far.${size}`)];
}

export function translateRateLimit(line: JsonObject): readonly AgentFact[] {
  const info = objectAt(line, 'rate_limit_info') ?? {};
  const resetsAt = new Date((numberAt(info, 'resetsAt') ?? Number.NaN) * 1000);
  const until = Number.isNaN(resetsAt.getTime()) ? '' : ` until ${resetsAt.toISOString()}`;
  switch (textAt(info, 'status')) {
    case 'rejected':
      return [notice('error', 'rate-limit', `The account's limit is reached${until}`)];
    case 'allowed_warning':
      return [notice('warning', 'rate-limit', `The account's limit is near${until}`)];
    default:
      return [];
  }
}

/** Sub-agents and commands in the background. */
function translateTaskStart(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const taskId = textAt(line, 'task_id');
  if (taskId === undefined) return [];
  const toolCallId = textAt(line, 'tool_use_id');
  const description = textAt(line, 'description');
  const task: Task = { toolCallId, description, status: 'running', isDetached: false };
  memory.tasks.set(taskId, task);
  return [changed(taskId, task)];
}

function translateTaskUpdate(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const status = statusOf(objectAt(line, 'patch') ?? {});
  const { taskId, task } = find(memory, line);
  if (!task || status === undefined || status === task.status) return [];
  task.status = status;
  return [changed(taskId, task)];
}

function translateTaskEnd(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const { taskId, task } = find(memory, line);
  if (!task) return [];
  const summary = textAt(line, 'summary');
  const status = statusOf(line) ?? 'completed';
  if (task.isDetached) memory.isOwnTurnDue = true;
  // Kept while it runs only: a long session starts thousands.
  memory.tasks.delete(taskId);
  if (status === task.status && summary === undefined) return [];
  task.status = status;
  return [changed(taskId, task, summary)];
}

/** A task whose call has returned works in the background from here on. */
export function detachTasks(memory: Memory, toolCallId: string | undefined): void {
  for (const task of memory.tasks.values()) {
    if (toolCallId !== undefined && task.toolCallId === toolCallId && task.status === 'running') {
      task.isDetached = true;
    }
  }
}

function find(memory: Memory, line: JsonObject): { taskId: string; task: Task | undefined } {
  const taskId = textAt(line, 'task_id') ?? '';
  return { taskId, task: memory.tasks.get(taskId) };
}

function changed(taskId: string, task: Task, summary?: string): AgentFact {
  const { toolCallId, status, description } = task;
  return {
    type: 'said',
    event: {
      type: 'task.changed',
      taskId,
      status,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(description !== undefined && { description }),
      ...(summary !== undefined && { summary }),
    },
  };
}

function statusOf(line: JsonObject): TaskStatus | undefined {
  switch (line.status) {
    case 'pending':
    case 'running':
      return 'running';
    case 'completed':
      return 'completed';
    case 'failed':
    case 'error':
      return 'failed';
    case 'killed':
    case 'stopped':
      return 'stopped';
    default:
      return undefined;
  }
}
