import type { JsonObject } from '../json.ts';
import type { Session } from '../session.ts';

/** What a tool touches, which decides whether it asks: nothing, files, the machine, the network, or a person. */
export type ToolKind = 'free' | 'edit' | 'command' | 'fetch' | 'person';

export interface ToolContext {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** When the ask for this call left and when its answer came, in milliseconds since the epoch. */
  readonly asked: { readonly at: number; readonly answeredAt: number } | undefined;
}

export interface ToolResult {
  readonly content: string | readonly JsonObject[];
  readonly isError?: boolean;
  /** The structured twin of the content, `tool_use_result` on the wire. */
  readonly structured?: unknown;
}

export interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  /** Whether several calls in one message may ask and run at the same time. */
  readonly concurrent: boolean;
  /** What a permission rule is held against. */
  subject(input: JsonObject): string;
  describe?(input: JsonObject, cwd: string): string;
  suggest?(input: JsonObject, cwd: string): readonly JsonObject[];
  run(input: JsonObject, context: ToolContext): Promise<ToolResult> | ToolResult;
}

export function failed(reason: string): ToolResult {
  return { content: reason, isError: true, structured: `Error: ${reason}` };
}

export function refusedInput(toolName: string, field: string): ToolResult {
  return failed(`InputValidationError: ${toolName} failed: the required parameter \`${field}\` is missing`);
}
