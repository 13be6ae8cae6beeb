import { z } from 'zod';
import { Capabilities } from '../../protocol/session.ts';
import type { JsonObject } from '../fields.ts';
import { OpenAsk } from './asking.ts';
import { WantedMode } from './mode-after-plan.ts';
import { KeptServices } from './services.ts';
import { SessionSettings } from './settings.ts';
import { Remembered } from './translate/memory.ts';
import { Turn } from './turns.ts';

/** What a connection knows at a place of its agent's output, as plain data, to be stored beside what was said up to there. */
const KeptState = z.object({
  session: z.object({ id: z.string(), settings: SessionSettings }),
  capabilities: Capabilities,
  nextId: z.number(),
  memory: Remembered,
  turn: Turn.optional(),
  untoldId: z.string().optional(),
  asks: z.array(OpenAsk),
  services: KeptServices,
  /** Modes and models that were asked for and not confirmed yet. */
  choosing: z.array(
    z.object({ kind: z.enum(['mode', 'model', 'option']), id: z.number(), value: z.string() }),
  ),
  wantedMode: WantedMode.optional(),
});
export type KeptState = z.output<typeof KeptState>;
export type StoredState = Omit<z.input<typeof KeptState>, 'memory'> & { readonly memory: JsonObject };

/** Undefined when it was kept by a version that remembered otherwise. */
export const readState = (kept: unknown): KeptState | undefined => KeptState.safeParse(kept).data;
