import { z } from 'zod';

/** A prompt that is used again. What stands in it as `{{file}}` is a blank, filled in when it is used. */
export const Template = z.object({
  name: z.string(),
  prompt: z.string(),
  /** Where sessions with it are to run; left out where that is chosen each time. */
  machine: z.string().optional(),
  /** Whether sessions with it get a worktree of their own; left out where that is chosen each time. */
  worktree: z.boolean().optional(),
});
export type Template = z.infer<typeof Template>;
