import type { Ask } from '../../protocol/interaction.ts';
import { type JsonObject, objectAt, textAt } from '../fields.ts';
import type { IncomingRequest } from './incoming.ts';
import { askOf } from './translate/ask.ts';
import type { HeldQuestion, Memory } from './translate/memory.ts';

/** As long as a timer of theirs can be: a longer one fires at once in some versions. By then the agent has long been put to sleep. */
const longestSeconds = 2_000_000;

/** Only a hook can be answered "later"; by the time the program asks for permission it is too late for that. */
export const questionHooks: JsonObject = {
  PreToolUse: [{ matcher: 'AskUserQuestion', hookCallbackIds: ['question'], timeout: longestSeconds }],
};

export const later: JsonObject = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' },
};

/** In this mode the program refuses to ask for permission; there the hook itself must carry the answer. */
export const neverAsks = (memory: Memory): boolean => memory.permissionMode === 'dontAsk';

/** The answer to a request for permission, in the words of a hook. */
export function asHookAnswer({ behavior, updatedInput, message }: JsonObject): JsonObject {
  const given =
    behavior === 'allow'
      ? { permissionDecision: 'allow', updatedInput }
      : { permissionDecision: 'deny', permissionDecisionReason: message };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...given } };
}

/** The question that a hook stands for, kept until it is answered. A sub-agent cannot leave its own for later: it is asked as ever. */
export function holdQuestion(memory: Memory, { requestId, request }: IncomingRequest): Ask | undefined {
  const input = objectAt(request, 'input');
  const toolCallId = input && textAt(input, 'tool_use_id');
  if (!input || toolCallId === undefined || textAt(input, 'agent_id') !== undefined) return undefined;
  if (textAt(input, 'hook_event_name') !== 'PreToolUse') return undefined;
  const { tool_name, tool_input, tool_use_id } = input;
  const asked = { tool_name, input: tool_input, tool_use_id };
  const ask = askOf(memory, { requestId, subtype: 'can_use_tool', request: asked });
  if (ask?.kind !== 'question') return undefined;
  memory.held.set(toolCallId, { hookId: requestId, requestId: undefined });
  return { ...ask, deferrable: true };
}

/** Of several calls in one message only the last survives being put off, and in some versions its result is lost. */
export const standsAlone = (memory: Memory, toolCallId: string | undefined): boolean =>
  toolCallId !== undefined && memory.lastCalls?.ids.join() === toolCallId;

export const heldFor = (memory: Memory, toolCallId: string | undefined): HeldQuestion | undefined =>
  toolCallId === undefined ? undefined : memory.held.get(toolCallId);

/** The question that is asked, or whose permission is asked for, by a request of this id. */
export function heldBy(memory: Memory, requestId: string): [string, HeldQuestion] | undefined {
  return [...memory.held].find(([, held]) => held.hookId === requestId || held.requestId === requestId);
}
