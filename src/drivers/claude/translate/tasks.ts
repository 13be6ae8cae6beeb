import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, objectAt, textAt } from '../../fields.ts';
import type { Memory, Task, TaskStatus } from './memory.ts';

/** Sub-agents and commands in the background. */
export function translateTaskStart(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const taskId = textAt(line, 'task_id');
  if (taskId === undefined) return [];
  const toolCallId = textAt(line, 'tool_use_id');
  const description = textAt(line, 'description');
  const task: Task = { toolCallId, description, status: 'running', isDetached: false };
  memory.tasks.set(taskId, task);
  return [changed(taskId, task)];
}

export function translateTaskUpdate(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const status = statusOf(objectAt(line, 'patch') ?? {});
  const { taskId, task } = find(memory, line);
  if (!task || status === undefined || status === task.status) return [];
  task.status = status;
  return [changed(taskId, task)];
}

export function translateTaskEnd(memory: Memory, line: JsonObject): readonly AgentFact[] {
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
