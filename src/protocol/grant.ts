import { z } from 'zod';
import { GrantId, SessionId } from './ids.ts';
import { Actor, Interaction } from './interaction.ts';

export const Grant = z.object({
  id: GrantId,
  toolName: z.string(),
  /** The subject, with `*` for any run of characters. */
  pattern: z.string(),
  /** Whether `*` in the pattern is a wildcard; a pattern taken from a subject as it stands is literal. */
  literal: z.boolean(),
  /**
   * `key`: an interactive tool's own word for what was approved; only that tool asks for it. `any`: a time of trust, in which
   * everything of its session is allowed but for what always needs a person.
   */
  subjectKind: z.enum(['command', 'path', 'host', 'input', 'key', 'any']),
  scope: z.enum(['session', 'always']),
  sessionId: SessionId.optional(),
  /** Only in sessions that work in this directory; on another machine its name and `:` stand before it. */
  directory: z.string().optional(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  by: Actor,
  /** How often it was used, of a session's own grant. */
  uses: z.number().optional(),
});
export type Grant = z.infer<typeof Grant>;

/** What a person should know of a pattern before it is given: it lets through more than it seems to. */
export const GrantWarning = z.object({
  code: z.enum([
    'any-command',
    'runs-any-program',
    'wide-directory',
    'any-host',
    'public-suffix',
    'bare-address',
    'no-wildcard',
  ]),
  /** The program, the directory or the domain that it is about. */
  about: z.string(),
  message: z.string(),
});
export type GrantWarning = z.infer<typeof GrantWarning>;

/** What a pattern would let through, and what it would not. */
export const GrantPreview = z.object({
  /** Earlier asks, newest first. */
  matches: z.array(Interaction),
  /** What was not asked for yet: examples, and for a directory the files that are there. */
  reach: z.object({
    also: z.array(z.string()),
    not: z.array(z.string()),
    files: z.object({ also: z.number(), not: z.number(), isAll: z.boolean() }).optional(),
  }),
  warnings: z.array(GrantWarning),
  /** Patterns worth a press for what is asked, from the narrowest on. */
  offers: z.array(z.string()),
});
export type GrantPreview = z.infer<typeof GrantPreview>;
