import type { z } from 'zod';
import { type Refusal, refuse } from '../protocol/errors.ts';

/** Why a value did not pass its schema, naming the field: one that is missing or of another type is malformed. */
export function invalid(error: z.ZodError, input: unknown): Refusal {
  const issue = error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const missing = issue === undefined || valueAt(input, issue.path) === undefined;
  const what = missing ? 'is missing' : `is not valid: ${issue.message}`;
  const malformed = missing || issue.code === 'invalid_type';
  return refuse(malformed ? 'malformed_request' : 'invalid_value', `"${field}" ${what}`, { field }).refusal;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
