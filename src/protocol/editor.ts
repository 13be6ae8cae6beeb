import { z } from 'zod';

/** Programs with their arguments; null where none is set. Names in braces stand for what is opened. */
export const EditorCommands = z.object({
  /** For a file. */
  command: z.array(z.string()).nullable(),
  /** For a file as it was beside the file as it is. */
  diff: z.array(z.string()).nullable(),
});
export type EditorCommands = z.infer<typeof EditorCommands>;

/**
 * As changes name it, from the top of the work tree; from the session's directory where there is none; or whole. No program can be
 * given a zero byte.
 */
export const OpenedName = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^[^\0]*$/, 'a name cannot hold a zero byte');

/** A line, or a column in it. */
export const OpenedAt = z.number().int().min(1).max(1_000_000_000);
