import { z } from 'zod';
import { MessageId } from '../../../protocol/ids.ts';
import { type Memory, newMemory, type StreamedBlock } from './memory.ts';

const listOf = <T extends z.ZodType>(item: T) => z.array(item).default([]);

/** The memory as plain data, to be stored beside what it led to, with nearly every line: what is empty is left out. */
const KeptMemory = z.object({
  agentSessionId: z.string().nullable(),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  isTurnRunning: z.boolean().default(false),
  costSoFar: z.number().default(0),
  awaited: listOf(
    z.tuple([
      z.string(),
      z.object({ messageId: MessageId, isMidTurn: z.boolean(), wasSentMidTurn: z.boolean() }),
    ]),
  ),
  sent: listOf(z.tuple([z.string(), MessageId])),
  openForms: listOf(z.string()),
  held: listOf(z.tuple([z.string(), z.object({ hookId: z.string(), requestId: z.string().optional() })])),
  lastCalls: z.object({ agentMessageId: z.string(), ids: z.array(z.string()) }).optional(),
  isOwnTurnDue: z.boolean().default(false),
  tasks: listOf(
    z.tuple([
      z.string(),
      z.object({
        toolCallId: z.string().optional(),
        description: z.string().optional(),
        status: z.enum(['running', 'completed', 'failed', 'stopped']),
        isDetached: z.boolean(),
      }),
    ]),
  ),
  streamed: z
    .object({
      agentMessageId: z.string(),
      block: z.number(),
      toolCallId: z.string().optional(),
      toolName: z.string().optional(),
    })
    .optional(),
  lastBlocks: listOf(z.tuple([z.string(), z.number()])),
  reported: listOf(z.string()),
});
type KeptMemory = z.input<typeof KeptMemory>;

/** `streamed` is the block that was being streamed at the mark: fragments after it are read again. */
export function keepMemory(memory: Memory, streamed: StreamedBlock | undefined): KeptMemory {
  const { agentSessionId, permissionMode, model, isTurnRunning, costSoFar, isOwnTurnDue, lastCalls } = memory;
  const { awaited, sent, openForms, held, tasks, lastBlocks, reported } = memory;
  const kept: KeptMemory = { agentSessionId, permissionMode, model, isTurnRunning, costSoFar };
  if (isOwnTurnDue) kept.isOwnTurnDue = true;
  if (streamed !== undefined) kept.streamed = { ...streamed };
  if (lastCalls !== undefined) kept.lastCalls = { ...lastCalls, ids: [...lastCalls.ids] };
  if (awaited.size > 0) kept.awaited = [...awaited].map(([uuid, message]) => [uuid, { ...message }]);
  if (sent.size > 0) kept.sent = [...sent];
  if (openForms.size > 0) kept.openForms = [...openForms];
  if (held.size > 0) kept.held = [...held].map(([callId, question]) => [callId, { ...question }]);
  if (tasks.size > 0) kept.tasks = [...tasks].map(([taskId, task]) => [taskId, { ...task }]);
  if (lastBlocks.size > 0) kept.lastBlocks = [...lastBlocks];
  if (reported.size > 0) kept.reported = [...reported];
  return kept;
}

/** Undefined when it was kept by a version that remembered otherwise. */
export function restoreMemory(kept: unknown, cwd: string): Memory | undefined {
  const { data } = KeptMemory.safeParse(kept);
  if (data === undefined) return undefined;
  const { agentSessionId, permissionMode, model, isTurnRunning, costSoFar, isOwnTurnDue } = data;
  return {
    ...newMemory({ cwd, agentSessionId, permissionMode, model }),
    isTurnRunning,
    costSoFar,
    isOwnTurnDue,
    lastCalls: data.lastCalls,
    streamed: data.streamed && { toolCallId: undefined, toolName: undefined, ...data.streamed },
    awaited: new Map(data.awaited),
    sent: new Map(data.sent),
    openForms: new Set(data.openForms),
    held: new Map(
      data.held.map(([toolCallId, question]) => [toolCallId, { requestId: undefined, ...question }]),
    ),
    tasks: new Map(
      data.tasks.map(([taskId, task]) => [
        taskId,
        { toolCallId: undefined, description: undefined, ...task },
      ]),
    ),
    lastBlocks: new Map(data.lastBlocks),
    reported: new Set(data.reported),
  };
}
