import type { z } from 'zod';
import type { ApprovalScope, RequestInteraction } from './interaction.ts';

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

/** What a handler gets beside its arguments. */
export interface ToolContext {
  readonly sessionId: string;
  /** Names this call; the agent's own id of it, where it tells one. */
  readonly callId: string;
  /** Fires when the call is cancelled, its turn interrupted, its session stopped. A handler that goes on is not waited for. */
  readonly signal: AbortSignal;
  readonly requestInteraction: RequestInteraction;
  readonly interaction: {
    /** Whether someone is there, at this moment, who can and wants to answer. */
    readonly available: boolean;
  };
  readonly approvals: Approvals;
  readonly logger: ToolLogger;
  /** Tells an agent that can show it how far the work is. */
  readonly progress: (text: string) => void;
}

/**
 * What people have approved, under keys that the tool makes up. The keys of two tools never meet.
 *
 * @example
 * const key = `deploy:${args.environment}`;
 * if (context.approvals.get(key) === undefined) {
 *   // ask; then, with the scope of the answer:
 *   await context.approvals.set(key, response.approvalScope);
 * }
 */
export interface Approvals {
  /** The longest scope that holds now. `once` holds in this run alone. */
  get(key: string): ApprovalScope | undefined;
  /** Settles when it is on disk. People see it among the grants, and can revoke it there. */
  set(key: string, scope: ApprovalScope): Promise<void>;
  /** Forgets what was approved once or for this session. What was approved for always stays. */
  clearSession(): Promise<void>;
}

/** Writes to the server's log. It is kept on disk: no secrets, and nothing that a person typed. */
export interface ToolLogger {
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}
