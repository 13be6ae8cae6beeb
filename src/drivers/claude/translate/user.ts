import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import { resultShapeOf } from '../../tool-calls.ts';
import type { Memory } from './memory.ts';
import { parentOf } from './said.ts';
import { detachTasks } from './system.ts';
import { echoed } from './turn.ts';

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

/** `isOnly`: the line's structured account belongs to this result and no other. */
function translateToolResult(block: JsonObject, line: JsonObject, isOnly: boolean): readonly AgentFact[] {
  const toolCallId = textAt(block, 'tool_use_id');
  if (toolCallId === undefined) return [];
  const images = listAt(block, 'content').flatMap(imageOf);
  const detail = isOnly && images.length === 0 ? detailOf(line) : undefined;
  const isError = block.is_error === true;
  const text = textOf(block);
  const output = resultShapeOf(text, detail, isError);
  return [
    {
      type: 'said',
      event: {
        type: 'tool.result',
        toolCallId,
        isError,
        text,
        ...(detail !== undefined && { detail }),
        ...(output !== undefined && { output }),
        ...parentOf(line),
      },
      ...(images.length > 0 && { images }),
    },
  ];
}

function textOf(block: JsonObject): string {
  const whole = textAt(block, 'content');
  if (whole !== undefined) return whole;
  return listAt(block, 'content')
    .flatMap((part) => textAt(part, 'text') ?? [])
    .join('\n');
}

function imageOf(part: JsonObject): { mediaType: string; data: string }[] {
  const source = part.type === 'image' ? objectAt(part, 'source') : undefined;
  const mediaType = source && textAt(source, 'media_type');
  const data = source && textAt(source, 'data');
  return mediaType === undefined || data === undefined ? [] : [{ mediaType, data }];
}

/** The file as it was before an edit is left out: it may be large, and the patch beside it tells the change. */
function detailOf(line: JsonObject): JsonObject | undefined {
  const detail = objectAt(line, 'tool_use_result');
  if (!detail) return undefined;
  const { originalFile: _, ...rest } = detail;
  return rest;
}
