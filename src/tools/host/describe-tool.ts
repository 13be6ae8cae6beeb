import { z } from 'zod';
import type { Tool } from '../sdk/define-tool.ts';
import { unknownName } from './request.ts';
import { wordsOf } from './result.ts';

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (2020-12) of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly askFirst: boolean;
  /** The file it comes from; undefined for a built-in one. */
  readonly file: string | undefined;
}

/** What an agent is told of a tool, or, in words, why it cannot be offered. */
export function describeTool(tool: Tool, file: string | undefined): ToolDescription | string {
  const { name, description, input, askFirst, handler } = tool as Partial<Record<keyof Tool, unknown>>;
  const stranger = Object.keys(tool).find((key) => !known.includes(key));
  if (stranger !== undefined) return unknownName(stranger, known);
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    return 'its name may have only letters, digits, "_" and "-", and at most 64 of them';
  }
  if (typeof description !== 'string' || description.trim() === '') {
    return 'it has no description: the agent would not know when to call it';
  }
  if (typeof handler !== 'function') return 'it has no handler';
  if (!isZodObject(input)) return 'its input is no z.object(…) of zod 4';
  try {
    const inputSchema = z.toJSONSchema(input, { io: 'input' });
    return { name, description, inputSchema, askFirst: askFirst === true, file };
  } catch (error) {
    return `its input cannot be described to an agent: ${wordsOf(error)}`;
  }
}

const known = ['name', 'description', 'input', 'askFirst', 'handler'] satisfies (keyof Tool)[] as string[];

/** Also one of another copy of zod: tool files bring their own. */
const isZodObject = (input: unknown): input is z.ZodObject =>
  typeof input === 'object' &&
  input !== null &&
  (input as { _zod?: { def?: { type?: unknown } } })._zod?.def?.type === 'object';
