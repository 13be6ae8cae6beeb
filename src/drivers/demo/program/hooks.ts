import { isObject, type JsonObject, objectsAt, stringAt } from './json.ts';
import type { Session } from './session.ts';

/** A callback the host asked for in `initialize`. */
export interface Hook {
  readonly matcher: string | undefined;
  readonly callbackId: string;
}

export type HookDecision =
  | { readonly is: 'none' }
  | { readonly is: 'allow' }
  | { readonly is: 'deny'; readonly reason: string }
  | { readonly is: 'ask'; readonly reason: string | undefined };

/** Asks every hook that covers the tool, one after the other, until one of them decides. */
export async function askHooks(
  session: Session,
  call: { readonly name: string; readonly id: string; readonly input: JsonObject },
  signal: AbortSignal,
): Promise<HookDecision> {
  for (const hook of session.hooks) {
    if (!covers(hook.matcher, call.name)) continue;
    const answer = await session.requests.raise(hookRequest(session, hook.callbackId, call), { signal });
    if (answer.kind !== 'success') continue;
    const decision = readDecision(answer.response, call.name);
    if (decision.is !== 'none') return decision;
  }
  return { is: 'none' };
}

export function hookRequest(
  session: Session,
  callbackId: string,
  call: { readonly name: string; readonly id: string; readonly input: JsonObject },
): JsonObject {
  const input = {
    session_id: session.id,
    cwd: session.cwd,
    permission_mode: session.permission.mode,
    hook_event_name: 'PreToolUse',
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
  };
  return { subtype: 'hook_callback', callback_id: callbackId, input, tool_use_id: call.id };
}

/** Reads the `hooks` of an `initialize`; only those before a tool call are played. */
export function readHooks(initialize: JsonObject): readonly Hook[] {
  const hooks = isObject(initialize.hooks) ? initialize.hooks : {};
  return objectsAt(hooks, 'PreToolUse').flatMap((entry) => {
    const ids = Array.isArray(entry.hookCallbackIds) ? entry.hookCallbackIds : [];
    const matcher = stringAt(entry, 'matcher');
    return ids.filter((id) => typeof id === 'string').map((callbackId) => ({ matcher, callbackId }));
  });
}

function readDecision(response: JsonObject, toolName: string): HookDecision {
  const output = isObject(response.hookSpecificOutput) ? response.hookSpecificOutput : {};
  const reason = stringAt(output, 'permissionDecisionReason');
  switch (output.permissionDecision) {
    case 'allow':
      return { is: 'allow' };
    case 'deny':
      return { is: 'deny', reason: `PreToolUse:${toolName} hook error: ${reason ?? 'Blocked by hook'}` };
    case 'ask':
      return { is: 'ask', reason };
    default:
      return { is: 'none' };
  }
}

function covers(matcher: string | undefined, toolName: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return matcher.split('|').includes(toolName);
}
