import { z } from 'zod';
import { MessageId } from '../../../protocol/ids.ts';
import { type Memory, newMemory, type StreamedBlock } from './memory.ts';

/** The memory as plain data, to be stored beside what it led to. */
const KeptMemory = z.object({
  agentSessionId: z.string().nullable(),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  isTurnRunning: z.boolean(),
  costSoFar: z.number(),
  awaited: z.array(
    z.tuple([
      z.string(),
      z.object({ messageId: MessageId, isMidTurn: z.boolean(), wasSentMidTurn: z.boolean() }),
    ]),
  ),
  sent: z.array(z.tuple([z.string(), MessageId])),
  openForms: z.array(z.string()),
  held: z.array(z.tuple([z.string(), z.object({ hookId: z.string(), requestId: z.string().optional() })])),
  lastCalls: z.object({ agentMessageId: z.string(), ids: z.array(z.string()) }).optional(),
  isOwnTurnDue: z.boolean(),
  tasks: z.array(
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
  lastBlocks: z.array(z.tuple([z.string(), z.number()])),
  reported: z.array(z.string()),
});
type KeptMemory = z.infer<typeof KeptMemory>;

/** `streamed` is the block that was being streamed at the mark: fragments after it are read again. */
export function keepMemory(memory: Memory, streamed: StreamedBlock | undefined): KeptMemory {
  const { cwd: _, awaited, sent, openForms, held, tasks, lastBlocks, reported, ...plain } = memory;
  return {
    ...plain,
    streamed: streamed && { ...streamed },
    lastCalls: plain.lastCalls && { ...plain.lastCalls, ids: [...plain.lastCalls.ids] },
    awaited: [...awaited].map(([uuid, message]) => [uuid, { ...message }]),
    sent: [...sent],
    openForms: [...openForms],
    held: [...held].map(([toolCallId, question]) => [toolCallId, { ...question }]),
    tasks: [...tasks].map(([taskId, task]) => [taskId, { ...task }]),
    lastBlocks: [...lastBlocks],
    reported: [...reported],
  };
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
