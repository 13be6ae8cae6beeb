import { z } from 'zod';
import { Capabilities } from '../../protocol/session.ts';
import { OpenAsk } from './asking.ts';
import { WantedMode } from './mode-after-plan.ts';
import { KeptServices } from './services.ts';
import { SessionSettings } from './settings.ts';
import { type Memory, newMemory } from './translate/memory.ts';
import { Turn } from './turns.ts';

const Place = { agentMessageId: z.string(), block: z.number() };

const KeptMemory = z.object({
  permissionMode: z.string().nullable(),
  model: z.string().nullable(),
  speech: z.array(
    z.tuple([
      z.string(),
      z.object({
        ...Place,
        kind: z.enum(['text', 'thinking']),
        given: z.string().optional(),
        text: z.string(),
      }),
    ]),
  ),
  calls: z.array(
    z.object({
      toolCallId: z.string(),
      fields: z.record(z.string(), z.unknown()),
      parentToolCallId: z.string().optional(),
      place: z.object(Place),
      isTold: z.boolean(),
    }),
  ),
  agentMessageId: z.string().optional(),
  lastBlocks: z.array(z.tuple([z.string(), z.number()])),
  lastPlan: z.string(),
  costSoFar: z.number(),
  costTold: z.number(),
  reported: z.array(z.string()),
  count: z.number(),
});

/** What a connection knows at a place of its agent's output, as plain data, to be stored beside what was said up to there. */
const KeptState = z.object({
  session: z.object({ id: z.string(), settings: SessionSettings }),
  capabilities: Capabilities,
  nextId: z.number(),
  memory: KeptMemory,
  turn: Turn.optional(),
  untoldId: z.string().optional(),
  asks: z.array(OpenAsk),
  services: KeptServices,
  /** Modes and models that were asked for and not confirmed yet. */
  choosing: z.array(z.object({ kind: z.enum(['mode', 'model']), id: z.number(), value: z.string() })),
  wantedMode: WantedMode.optional(),
});
export type KeptState = z.infer<typeof KeptState>;

/** Undefined when it was kept by a version that remembered otherwise. */
export const readState = (kept: unknown): KeptState | undefined => KeptState.safeParse(kept).data;

export function keepMemory(memory: Memory): KeptState['memory'] {
  const { permissionMode, model, agentMessageId, lastPlan, costSoFar, costTold, count } = memory;
  return {
    ...{ permissionMode, model, agentMessageId, lastPlan, costSoFar, costTold, count },
    speech: [...memory.speech].map(([speaker, speech]) => [speaker, { ...speech }]),
    calls: [...memory.calls.values()].map((call) => ({ ...call })),
    lastBlocks: [...memory.lastBlocks],
    reported: [...memory.reported],
  };
}

export function restoreMemory(
  { speech, calls, lastBlocks, reported, ...plain }: KeptState['memory'],
  start: Parameters<typeof newMemory>[0],
): Memory {
  return {
    ...newMemory(start),
    ...plain,
    agentMessageId: plain.agentMessageId,
    speech: new Map(speech.map(([speaker, said]) => [speaker, { ...said, given: said.given }])),
    calls: new Map(
      calls.map((call) => [call.toolCallId, { ...call, parentToolCallId: call.parentToolCallId }]),
    ),
    lastBlocks: new Map(lastBlocks),
    reported: new Set(reported),
  };
}
