import { z } from 'zod';

/** A grant that is offered because a person has allowed the like often in a directory, and denied it never. */
export const Suggestion = z.object({
  /** The same for the same directory, tool and pattern. */
  id: z.string(),
  /** Where it would hold, and where the like was allowed. */
  directory: z.string(),
  toolName: z.string(),
  subjectKind: z.enum(['command', 'path', 'host', 'input']),
  pattern: z.string(),
  /** Whether the pattern has no wildcard. */
  literal: z.boolean(),
  /** How often a person has allowed what it covers, in how many sessions, and when last. */
  allowed: z.number(),
  sessions: z.number(),
  lastAt: z.string(),
  /** Some of what it would have matched, the newest first. */
  matched: z.array(z.string()),
  /** Near misses: what would still be asked. */
  not: z.array(z.string()),
});
export type Suggestion = z.infer<typeof Suggestion>;
