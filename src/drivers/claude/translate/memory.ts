import { z } from 'zod';
import { MessageId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../fields.ts';
import { keptAs, keptMap, keptSet } from '../../kept.ts';

const AwaitedMessage = z.object({
  messageId: MessageId,
  /** Sent into a running turn: that turn's end says nothing about it. */
  isMidTurn: z.boolean(),
  wasSentMidTurn: z.boolean(),
});

const HeldQuestion = z.object({
  /** The hook that is not answered yet: the question is known by its id. */
  hookId: z.string(),
  /** The request for permission that followed it, where the hook was answered. */
  requestId: z.string().optional(),
});
export type HeldQuestion = z.infer<typeof HeldQuestion>;

const TaskStatus = z.enum(['running', 'completed', 'failed', 'stopped']);
export type TaskStatus = z.infer<typeof TaskStatus>;

const Task = z.object({
  toolCallId: z.string().optional(),
  description: z.string().optional(),
  status: TaskStatus,
  /** Its call has returned, and it works on by itself. */
  isDetached: z.boolean(),
});
export type Task = z.infer<typeof Task>;

const StreamedBlock = z.object({
  agentMessageId: z.string(),
  block: z.number(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
});
export type StreamedBlock = z.infer<typeof StreamedBlock>;

/** What must be remembered from line to line to understand the next one, as it is kept for the next server. */
const Remembered = z.object({
  agentSessionId: z.string().nullable(),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  isTurnRunning: z.boolean().default(false),
  /** The program counts the cost of its whole life; a turn's is the difference. */
  costSoFar: z.number().default(0),
  /** Messages written and not yet shown to be taken, by the uuid they were sent with. */
  awaited: keptMap(AwaitedMessage),
  /** The messages sent of late, by the same uuids: a turn names those it works on, also when they were taken before. */
  sent: keptMap(MessageId),
  /** Forms of MCP servers that wait for a person. */
  openForms: keptSet(),
  /** Questions that wait for a person before the program has asked for permission, by their call. */
  held: keptMap(HeldQuestion),
  /** The calls of the last message that had any: those of one message stand and fall together. */
  lastCalls: z.object({ agentMessageId: z.string(), ids: z.array(z.string()) }).optional(),
  /** The last line of the conversation itself, of no sub-agent: it can be forked there. */
  lastLine: z.string().optional(),
  /** A task that went on after its call had returned has ended: the program may start a turn to tell of it. */
  isOwnTurnDue: z.boolean().default(false),
  tasks: keptMap(Task),
  /** The block that is being streamed. */
  streamed: StreamedBlock.optional(),
  /** The number of the last block of each recent message. */
  lastBlocks: keptMap(z.number()),
  /** What was reported as unknown already. */
  reported: keptSet(),
});

export type Memory = z.output<typeof Remembered> & { readonly cwd: string };

export const newMemory = ({
  cwd,
  ...start
}: Pick<Memory, 'cwd' | 'agentSessionId' | 'permissionMode' | 'model'>): Memory => ({
  cwd,
  ...Remembered.parse(start),
});

/** `streamed` is the block that was being streamed at the mark: fragments after it are read again. */
export const keepMemory = ({ cwd: _, ...memory }: Memory, streamed: StreamedBlock | undefined): JsonObject =>
  keptAs({ ...memory, streamed });

/** Undefined when it was kept by a version that remembered otherwise. */
export function restoreMemory(kept: unknown, cwd: string): Memory | undefined {
  const { data } = Remembered.safeParse(kept);
  return data && { cwd, ...data };
}

const recentlySent = 20;

export function noteSent(
  memory: Memory,
  uuid: string,
  messageId: MessageId,
  isMidTurn = memory.isTurnRunning,
): void {
  memory.awaited.set(uuid, { messageId, isMidTurn, wasSentMidTurn: isMidTurn });
  memory.sent.set(uuid, messageId);
  for (const oldest of memory.sent.keys()) {
    if (memory.sent.size <= recentlySent) break;
    memory.sent.delete(oldest);
  }
}
