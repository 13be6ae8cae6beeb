import { z } from 'zod';

/** An interactive tool that agents can call. */
const OfferedTool = z.object({
  name: z.string(),
  description: z.string(),
  /** The file it comes from, or `built-in`. */
  source: z.string(),
  /** Whether the agent asks before it calls it; otherwise the tool alone decides when to ask. */
  askFirst: z.boolean(),
});

/** Why a file, or a tool of it, is not offered, or only as it was before. */
export const ToolProblem = z.object({
  file: z.string(),
  error: z.string(),
  tool: z.string().optional(),
  line: z.number().optional(),
});
export type ToolProblem = z.infer<typeof ToolProblem>;

export const ToolCatalogue = z.object({ tools: z.array(OfferedTool), problems: z.array(ToolProblem) });
export type ToolCatalogue = z.infer<typeof ToolCatalogue>;
