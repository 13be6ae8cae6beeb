import { faultsIn } from '../protocol/check.ts';
import { messageOf } from '../protocol/errors.ts';
import { Policy } from '../protocol/rule.ts';

/** A policy in a text, or all that is wrong with it, in words. */
export function readPolicy(
  text: string,
):
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly faults: readonly string[] } {
  const parsed = parsedJson(text);
  if ('fault' in parsed) return { ok: false, faults: [parsed.fault] };
  const faults = faultsIn(Policy, parsed.value);
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, policy: Policy.parse(parsed.value) };
}

function parsedJson(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `This is not JSON: ${messageOf(error)}.` };
  }
}
