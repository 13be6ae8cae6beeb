import { inspect } from 'node:util';
import { isToolError, ToolError } from '../sdk/tool-error.ts';

/** What the agent is told. `text` is complete in itself, also for an error. */
export type ToolCallResult =
  | { readonly ok: true; readonly text: string; readonly value: unknown }
  | { readonly ok: false; readonly text: string; readonly code: string; readonly message: string };

/** A string as it stands, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'The tool has ended and returned nothing.';
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new ToolError('result_not_json', `The tool's result cannot be written as JSON: ${wordsOf(error)}`);
  }
  if (text === undefined) {
    throw new ToolError(
      'result_not_json',
      `The tool's result, a ${typeof value}, cannot be written as JSON.`,
    );
  }
  return text;
}

export const success = (value: unknown): ToolCallResult => ({ ok: true, text: textOf(value), value });

export function failure(toolName: string, error: unknown): ToolCallResult {
  const { code, message } = toldBy(error) ?? {
    code: 'tool_failed',
    message: `The tool "${toolName}" failed: ${wordsOf(error)}`,
  };
  return { ok: false, text: `${message} (${code})`, code, message };
}

/** What was thrown, in words; anything can be thrown, also what throws when it is looked at. */
export function wordsOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name;
    return typeof error === 'string' ? error : inspect(error, { depth: 1 });
  } catch {
    return 'an error that cannot be read';
  }
}

function toldBy(error: unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    if (!isToolError(error)) return undefined;
    const { code, message } = error;
    return { code, message };
  } catch {
    return undefined;
  }
}
