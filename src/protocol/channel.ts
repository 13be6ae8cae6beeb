import { z } from 'zod';

/** How things stand with a way to reach people or programs outside of the page. */
export const ChannelState = z.object({
  name: z.string(),
  label: z.string(),
  audience: z.enum(['people', 'programs']),
  lastSuccess: z.string().nullable(),
  lastError: z.object({ at: z.string(), reason: z.string() }).nullable(),
  /** Of what was read so far; there may be more behind it. */
  waiting: z.number(),
  /** Given up on, after days of trying. */
  dropped: z.number(),
  /** The other side wants nothing any more; it is left alone until the next start. */
  disabled: z.boolean(),
});
export type ChannelState = z.infer<typeof ChannelState>;
