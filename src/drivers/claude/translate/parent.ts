import { type JsonObject, textAt } from '../../fields.ts';

/** Lines of a sub-agent name the call that started it. */
export function parentOf(line: JsonObject): { readonly parentToolCallId?: string } {
  const parentToolCallId = textAt(line, 'parent_tool_use_id');
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}
