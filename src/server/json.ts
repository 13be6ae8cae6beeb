import { isRecord } from '../model/json-pointer.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';

const maxDepth = 200;

/**
 * Parses what a caller sent as one JSON object. `__proto__` keys are taken out, and deep nesting is refused: both are
 * harmless here, but not to whoever copies the value or writes it out again by recursion.
 */
export function parseObject(text: string): Result<Record<string, unknown>> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  return isRecord(parsed.value)
    ? accept(parsed.value)
    : refuse('malformed_request', 'A JSON object is expected.');
}

/** The same for any value. */
export function parseJson(text: string): Result<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('malformed_request', 'This is no JSON.');
  }
  return clean([value])
    ? accept(value)
    : refuse('malformed_request', `Values may be nested ${maxDepth} deep.`);
}

/** Level by level, so that the depth of the value is never the depth of the stack. */
function clean(root: object): boolean {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return false;
    const next: object[] = [];
    for (const parent of level) {
      if (Object.hasOwn(parent, '__proto__')) Reflect.deleteProperty(parent, '__proto__');
      for (const child of Object.values(parent))
        if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return true;
}
