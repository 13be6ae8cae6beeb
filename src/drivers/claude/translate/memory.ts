import type { MessageId } from '../../../protocol/ids.ts';

/** What must be remembered from line to line to understand the next one. */
export interface Memory {
  readonly cwd: string;
  agentSessionId: string | null;
  permissionMode: string | null;
  model: string | null;
  isTurnRunning: boolean;
  /** The program counts the cost of its whole life; a turn's is the difference. */
  costSoFar: number;
  /** Messages written and not yet shown to be taken, by the uuid they were sent with. */
  readonly awaited: Map<string, AwaitedMessage>;
  /** The messages sent of late, by the same uuids: a turn names those it works on, also when they were taken before. */
  readonly sent: Map<string, MessageId>;
  /** Forms of MCP servers that wait for a person. */
  readonly openForms: Set<string>;
  /** Questions that wait for a person before the program has asked for permission, by their call. */
  readonly held: Map<string, HeldQuestion>;
  /** The calls of the last message that had any: those of one message stand and fall together. */
  lastCalls: { readonly agentMessageId: string; readonly ids: readonly string[] } | undefined;
  /** A task that went on after its call had returned has ended: the program may start a turn to tell of it. */
  isOwnTurnDue: boolean;
  readonly tasks: Map<string, Task>;
  /** The block that is being streamed. */
  streamed: StreamedBlock | undefined;
  /** The number of the last block of each recent message. */
  readonly lastBlocks: Map<string, number>;
  /** What was reported as unknown already. */
  readonly reported: Set<string>;
}

export interface HeldQuestion {
  /** The hook that is not answered yet: the question is known by its id. */
  readonly hookId: string;
  /** The request for permission that followed it, where the hook was answered. */
  requestId: string | undefined;
}

export interface AwaitedMessage {
  readonly messageId: MessageId;
  /** Sent into a running turn: that turn's end says nothing about it. */
  isMidTurn: boolean;
  readonly wasSentMidTurn: boolean;
}

export interface Task {
  readonly toolCallId: string | undefined;
  readonly description: string | undefined;
  status: TaskStatus;
  /** Its call has returned, and it works on by itself. */
  isDetached: boolean;
}

export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

export interface StreamedBlock {
  readonly agentMessageId: string;
  block: number;
  toolCallId: string | undefined;
  toolName: string | undefined;
}

export function newMemory(
  start: Pick<Memory, 'cwd' | 'agentSessionId' | 'permissionMode' | 'model'>,
): Memory {
  return {
    ...start,
    isTurnRunning: false,
    costSoFar: 0,
    awaited: new Map(),
    sent: new Map(),
    openForms: new Set(),
    held: new Map(),
    lastCalls: undefined,
    isOwnTurnDue: false,
    tasks: new Map(),
    streamed: undefined,
    lastBlocks: new Map(),
    reported: new Set(),
  };
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
