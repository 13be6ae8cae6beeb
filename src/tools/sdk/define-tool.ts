import type { z } from 'zod';
import type { ToolContext } from './context.ts';

/** What the agent is told: a string as it stands, anything else as JSON. */
export type ToolResult = string | number | boolean | null | object;

export interface ToolDefinition<Input extends z.ZodObject> {
  /** How the agent calls it: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** What it does and when to use it. The agent reads this, and nothing else, before it decides to call. */
  readonly description: string;
  /** The arguments. They are checked before the handler is called; a `describe` on a field helps the agent. */
  readonly input: Input;
  /** Set, an agent that asks before it uses tools asks before this one, too. Otherwise the tool alone decides when to ask. */
  readonly askFirst?: boolean;
  handler(args: z.output<Input>, context: ToolContext): ToolResult | Promise<ToolResult>;
}

/** Marks what `defineTool` made, across copies of this file. */
const brand = Symbol.for('beckon.Tool');

export interface Tool<Input extends z.ZodObject = z.ZodObject> extends ToolDefinition<Input> {
  readonly [brand]: true;
}

/**
 * Makes a tool that agents can call. Export it from a file and name the file with `--tools`.
 *
 * @example
 * export default defineTool({
 *   name: 'greet',
 *   description: 'Greets someone by name.',
 *   input: z.object({ name: z.string() }),
 *   handler: ({ name }) => `Hello, ${name}!`,
 * });
 */
export const defineTool = <Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool<Input> =>
  Object.freeze({ ...definition, [brand]: true as const });

export const isTool = (value: unknown): value is Tool =>
  typeof value === 'object' && value !== null && brand in value;
