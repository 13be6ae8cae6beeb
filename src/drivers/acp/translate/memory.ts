import type { JsonObject } from '../../fields.ts';

/** What must be remembered from update to update to understand the next one. */
export interface Memory {
  readonly cwd: string;
  /** Names what the agent leaves unnamed; unique for each run of its program. */
  readonly prefix: string;
  permissionMode: string | null;
  model: string | null;
  /** What is being said, by the call of the sub-agent that says it ('' for the agent itself). */
  readonly speech: Map<string, Speech>;
  /** Calls that have no result yet. */
  readonly calls: Map<string, Call>;
  /** The message that the agent speaks in, and the number of the last block of each recent one. */
  agentMessageId: string | undefined;
  readonly lastBlocks: Map<string, number>;
  /** The list of steps as it was told last. */
  lastPlan: string;
  /** The agent tells the cost of its whole life; a turn's is the difference. */
  costSoFar: number;
  costTold: number;
  readonly reported: Set<string>;
  count: number;
  /** What a terminal of ours has printed; undefined when there is none of that id. */
  outputOf(terminalId: string): string | undefined;
}

export interface Speech {
  readonly kind: 'text' | 'thinking';
  readonly agentMessageId: string;
  readonly block: number;
  readonly given: string | undefined;
  text: string;
}

/** A call as far as it is known: later updates replace what they name. */
export interface Call {
  readonly toolCallId: string;
  readonly fields: JsonObject;
  readonly parentToolCallId: string | undefined;
  readonly place: Place;
  isTold: boolean;
}

export interface Place {
  readonly agentMessageId: string;
  readonly block: number;
}

export function newMemory(
  start: Pick<Memory, 'cwd' | 'prefix' | 'permissionMode' | 'model' | 'outputOf'>,
): Memory {
  return {
    ...start,
    speech: new Map(),
    calls: new Map(),
    agentMessageId: undefined,
    lastBlocks: new Map(),
    lastPlan: '',
    costSoFar: 0,
    costTold: 0,
    reported: new Set(),
    count: 0,
  };
}

export function newName(memory: Memory, kind: string): string {
  memory.count += 1;
  return `${memory.prefix}-${kind}-${memory.count}`;
}
