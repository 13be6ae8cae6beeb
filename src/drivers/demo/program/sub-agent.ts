import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.ts';
import { type ToolUse, usageOf } from './reply.ts';
import { type Part, Stage } from './stage.ts';

export interface Task {
  readonly description: string;
  readonly prompt: string;
  /** Nothing of it is shown but its asks, as with the real program's deeper sub-agents. */
  readonly hidden?: boolean;
}

type Script = (stage: Stage) => Promise<void>;

const AGENT_TYPE = 'general-purpose';

/** A sub-agent whose end the turn waits for. Gives its last words. */
export async function delegate(stage: Stage, task: Task, script: Script): Promise<string> {
  const outcome = await stage.act('Agent', agentInput(task, false), async (use) => {
    const startedAt = performance.now();
    const part = partOf(stage, use, task);
    const inner = new Stage(stage.turn, { part, signal: stage.signal });
    await tellStarted(inner, part, task, stage.part, false);
    await inner.line({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: task.prompt }] },
    });
    const killed = (): void => void tellEnded(inner, part, 'stopped');
    stage.signal.addEventListener('abort', killed, { once: true });
    await script(inner);
    await inner.end();
    stage.signal.removeEventListener('abort', killed);
    await tellEnded(inner, part, 'completed');
    const content = [{ type: 'text', text: inner.lastText }];
    const structured = {
      status: 'completed',
      prompt: task.prompt,
      agentId: part.agentId,
      agentType: AGENT_TYPE,
      content,
      totalDurationMs: Math.round(performance.now() - startedAt),
      totalTokens: 0,
      totalToolUseCount: inner.toolsUsed,
      usage: usageOf(0, 0),
    };
    return { content, structured };
  });
  return outcome.text;
}

/** A sub-agent that outlives the turn. The call has its result at once; the work begins when the turn has ended. */
export async function delegateBehind(stage: Stage, task: Task, script: Script, onEnd: Script): Promise<void> {
  await stage.act('Agent', agentInput(task, true), async (use) => {
    const controller = new AbortController();
    const part = partOf(stage, use, task);
    const inner = new Stage(stage.turn, { part, signal: controller.signal });
    await stage.system('background_tasks_changed', { tasks: [taskOf(part)] });
    await tellStarted(inner, part, task, stage.part, true);
    const noTasks = (): Promise<void> => stage.system('background_tasks_changed', { tasks: [] });
    stage.turn.jobs.push({
      work: async () => {
        await script(inner);
        await inner.end();
        await tellEnded(inner, part, 'completed');
        await noTasks();
      },
      stop: (reason) => {
        stage.session.requests.withdrawAll(controller.signal);
        void tellEnded(inner, part, 'stopped');
        void noTasks();
        controller.abort(reason);
      },
      onEnd,
    });
    const { description, prompt } = task;
    return {
      content: [{ type: 'text', text: 'Async agent launched successfully.' }],
      structured: { isAsync: true, status: 'async_launched', agentId: part.agentId, description, prompt },
    };
  });
}

function partOf(stage: Stage, use: ToolUse, task: Task): Part {
  return {
    agentId: `a${randomUUID().replaceAll('-', '').slice(0, 16)}`,
    toolUseId: use.id,
    type: AGENT_TYPE,
    description: task.description,
    depth: (stage.part?.depth ?? 0) + 1,
    hidden: task.hidden ?? false,
  };
}

async function tellStarted(
  inner: Stage,
  part: Part,
  task: Task,
  parent: Part | undefined,
  behind: boolean,
): Promise<void> {
  await inner.system('task_started', {
    ...taskOf(part),
    tool_use_id: part.toolUseId,
    is_backgrounded: behind,
    spawn_depth: part.depth,
    ...(parent && { parent_task_id: parent.agentId }),
    prompt: task.prompt,
  });
}

/** Both lines are written at once: an interrupt must be answered after them. */
async function tellEnded(inner: Stage, part: Part, status: 'completed' | 'stopped'): Promise<void> {
  const task_id = part.agentId;
  const patch = { status: status === 'completed' ? 'completed' : 'killed', end_time: Date.now() };
  const updated = inner.system('task_updated', { task_id, patch });
  const summary = inner.lastText;
  const told = inner.system('task_notification', { task_id, tool_use_id: part.toolUseId, status, summary });
  await Promise.all([updated, told]);
}

function taskOf(part: Part): JsonObject {
  const { agentId, type, description } = part;
  return { task_id: agentId, task_type: 'local_agent', subagent_type: type, description };
}

function agentInput(task: Task, behind: boolean): JsonObject {
  const { description, prompt } = task;
  return { description, prompt, subagent_type: AGENT_TYPE, run_in_background: behind };
}
