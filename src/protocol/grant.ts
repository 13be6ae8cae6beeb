import { z } from 'zod';
import { GrantId, SessionId } from './ids.ts';
import { Actor } from './interaction.ts';

export const Grant = z.object({
  id: GrantId,
  toolName: z.string(),
  /** The subject, with `*` for any run of characters. */
  pattern: z.string(),
  /** Whether `*` in the pattern is a wildcard; a pattern taken from a subject as it stands is literal. */
  literal: z.boolean(),
  /** `key`: an interactive tool's own word for what was approved; only that tool asks for it. */
  subjectKind: z.enum(['command', 'path', 'host', 'input', 'key']),
  scope: z.enum(['session', 'always']),
  sessionId: SessionId.optional(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  by: Actor,
});
export type Grant = z.infer<typeof Grant>;
