import { z } from 'zod';
import { InteractionKind } from './interaction.ts';

/** How long asks waited until somebody decided or they ended otherwise; of none, null. */
export const Waits = z.object({
  count: z.number(),
  medianMs: z.number().nullable(),
  p90Ms: z.number().nullable(),
  totalMs: z.number(),
});
export type Waits = z.infer<typeof Waits>;

/** Who decided: what is known for certain, with the name of a device or a terminal. */
export const DecidedBy = z.object({ who: z.string(), name: z.string().optional(), count: z.number() });
export type DecidedBy = z.infer<typeof DecidedBy>;

export const AskedMost = z.object({
  toolName: z.string(),
  /** The widest that would be offered for what was asked. */
  pattern: z.string(),
  count: z.number(),
  allowed: z.number(),
  denied: z.number(),
  /** Answered without a person. */
  byItself: z.number(),
});
export type AskedMost = z.infer<typeof AskedMost>;

/** What was asked in some days, how long it waited for a person, and who decided. */
export const Insights = z.object({
  /** The first and the last day, in the time zone that was asked for. */
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
  asked: z.number(),
  /** Of them, those that still wait. */
  open: z.number(),
  /** Of those that a person was asked and that are over. */
  waits: Waits,
  byKind: z.array(Waits.extend({ kind: InteractionKind })),
  /** The 24 hours of a day, by the hour in which it was asked. */
  byHour: z.array(Waits.extend({ hour: z.number() })),
  /** Every day, the oldest first; `asked` counts what a grant answered, too. */
  byDay: z.array(Waits.extend({ day: z.string(), asked: z.number() })),
  askedMost: z.array(AskedMost),
  decidedBy: z.array(DecidedBy),
  /** The directories in which something was asked then, whatever was chosen of them. */
  projects: z.array(z.string()),
});
export type Insights = z.infer<typeof Insights>;
