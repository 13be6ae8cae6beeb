import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import { echoed } from './lifecycle.ts';
import type { Memory } from './memory.ts';
import { parentOf } from './parent.ts';
import { detachTasks } from './tasks.ts';
import { translateToolResult } from './tool-result.ts';

/** Lines of role `user`: the echo of a message of ours, the results of tools, and the task given to a sub-agent. */
export function translateUser(memory: Memory, line: JsonObject): readonly AgentFact[] {
  if (line.isReplay === true) return echoed(memory, textAt(line, 'uuid'));
  const message = objectAt(line, 'message');
  if (!message) return [];
  const results = listAt(message, 'content').filter((block) => block.type === 'tool_result');
  if (results.length > 0) {
    for (const result of results) detachTasks(memory, textAt(result, 'tool_use_id'));
    return results.flatMap((result) => translateToolResult(result, line, results.length === 1));
  }
  return translateText(message, line);
}

/** Without a parent it is a note of the program to its model ("interrupted", a summary), not anyone's words. */
function translateText(message: JsonObject, line: JsonObject): readonly AgentFact[] {
  const parent = parentOf(line);
  const text = wordsOf(message);
  if (parent.parentToolCallId === undefined || text === '') return [];
  return [{ type: 'said', event: { type: 'user.text', text, ...parent } }];
}

function wordsOf(message: JsonObject): string {
  const whole = textAt(message, 'content');
  if (whole !== undefined) return whole;
  return listAt(message, 'content')
    .flatMap((block) => textAt(block, 'text') ?? [])
    .join('\n');
}
