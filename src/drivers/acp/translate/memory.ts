import { z } from 'zod';
import { TurnUsage } from '../../../protocol/event.ts';
import { ContextUse } from '../../../protocol/session.ts';
import type { JsonObject } from '../../fields.ts';
import { keptAs, keptMap, keptSet } from '../../kept.ts';

const Place = z.object({ agentMessageId: z.string(), block: z.number() });
type Place = z.infer<typeof Place>;

const Speech = Place.extend({
  kind: z.enum(['text', 'thinking']),
  given: z.string().optional(),
  text: z.string(),
});
export type Speech = z.infer<typeof Speech>;

/** A call as far as it is known: later updates replace what they name. */
const Call = z.object({
  toolCallId: z.string(),
  fields: z.record(z.string(), z.unknown()),
  parentToolCallId: z.string().optional(),
  place: Place,
  isTold: z.boolean(),
  /** What its command has printed so far, where the agent tells it piece by piece. */
  printed: z.string().default(''),
  /** A person said no. Some agents do not say that it is over then. */
  isDenied: z.boolean().default(false),
});
export type Call = z.infer<typeof Call>;

/** What must be remembered from update to update to understand the next one, as it is kept for the next server. */
export const Remembered = z.object({
  /** What the agent's program calls itself. */
  agentName: z.string().default(''),
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  /** What is being said, by the call of the sub-agent that says it ('' for the agent itself). */
  speech: keptMap(Speech),
  /** Calls that have no result yet. */
  calls: z
    .array(Call)
    .default([])
    .transform((calls) => new Map(calls.map((call) => [call.toolCallId, call]))),
  /** The message that the agent speaks in, and the number of the last block of each recent one. */
  agentMessageId: z.string().optional(),
  lastBlocks: keptMap(z.number()),
  /** The text file that was written last, whole: a plan may be one, of which no more is said than its name. */
  lastFile: z.object({ path: z.string(), text: z.string() }).optional(),
  /** Tokens of the turn so far, where the agent tells them request by request. */
  usage: TurnUsage.optional(),
  /** The list of steps as it was told last. */
  lastPlan: z.string().default(''),
  /** The agent tells the cost of its whole life; a turn's is the difference. */
  costSoFar: z.number().default(0),
  costTold: z.number().default(0),
  /** Of an agent that counts its tokens over all turns, those that are told already. */
  tokensTold: TurnUsage.optional(),
  context: ContextUse.optional(),
  reported: keptSet(),
  count: z.number().default(0),
});

export type Memory = z.output<typeof Remembered> & Surroundings;

interface Surroundings {
  readonly cwd: string;
  /** Names what the agent leaves unnamed; unique for each run of its program. */
  readonly prefix: string;
  /** What a terminal of ours has printed; undefined when there is none of that id. */
  outputOf(terminalId: string): string | undefined;
}

export const newMemory = ({
  permissionMode,
  model,
  ...around
}: Surroundings & Pick<Memory, 'permissionMode' | 'model'>): Memory => ({
  ...Remembered.parse({ permissionMode, model }),
  ...around,
});

export function keepMemory({ cwd, prefix, outputOf, calls, ...memory }: Memory): JsonObject {
  return keptAs({ ...memory, calls: [...calls.values()].map((call) => ({ ...call })) });
}

export function newName(memory: Memory, kind: string): string {
  memory.count += 1;
  return `${memory.prefix}-${kind}-${memory.count}`;
}

const recentMessages = 50;

/** The next free block of a message: of the one named, or of the one the agent speaks in. */
export function nextPlace(memory: Memory, named?: string): Place {
  const agentMessageId = named ?? memory.agentMessageId ?? newName(memory, 'message');
  memory.agentMessageId = agentMessageId;
  const block = (memory.lastBlocks.get(agentMessageId) ?? -1) + 1;
  memory.lastBlocks.delete(agentMessageId);
  memory.lastBlocks.set(agentMessageId, block);
  for (const oldest of memory.lastBlocks.keys()) {
    if (memory.lastBlocks.size <= recentMessages) break;
    memory.lastBlocks.delete(oldest);
  }
  return { agentMessageId, block };
}

/** An agent that names no messages begins another one after its tools have run. */
export function leaveMessage(memory: Memory): void {
  memory.agentMessageId = undefined;
}
