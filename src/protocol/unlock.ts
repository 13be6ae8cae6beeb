import { z } from 'zod';

/** Leave for one terminal to decide for some minutes, or its wish to. */
export const Unlock = z.object({
  id: z.string(),
  /** What the terminal calls itself; nothing vouches for it. */
  name: z.string(),
  minutes: z.number(),
  status: z.enum(['asked', 'open']),
  /** When the wish, or the leave, ends by itself. */
  expiresAt: z.string(),
});
export type Unlock = z.infer<typeof Unlock>;
