import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, listAt, objectAt, textAt, wordsAt } from '../../fields.ts';
import { callShapeOf } from '../../tool-calls.ts';
import { unknownOnce } from '../../unknown-once.ts';
import type { Memory } from './memory.ts';
import { notice } from './notices.ts';
import { parentOf } from './parent.ts';
import { nextBlock } from './place.ts';

/** One line for each finished block of a message. */
export function translateAssistant(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const message = objectAt(line, 'message');
  const agentMessageId = message && textAt(message, 'id');
  if (!message || agentMessageId === undefined) return unknownOnce(memory, 'assistant line', line);
  const isApiError = textAt(line, 'error') !== undefined;
  return listAt(message, 'content').flatMap((block) => {
    const place = { agentMessageId, block: nextBlock(memory, agentMessageId), ...parentOf(line) };
    if (isApiError)
      return notice('error', 'api-error', textAt(block, 'text') ?? 'The model could not be reached');
    return translateBlock(memory, block, place);
  });
}

interface Place {
  readonly agentMessageId: string;
  readonly block: number;
  readonly parentToolCallId?: string;
}

function translateBlock(memory: Memory, block: JsonObject, place: Place): readonly AgentFact[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'said', event: { type: 'agent.text', ...place, text: textAt(block, 'text') ?? '' } }];
    case 'thinking':
      return translateThinking(block, place);
    case 'redacted_thinking':
      return [];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return translateCall(memory, block, place);
    default:
      return unknownOnce(memory, `block ${wordsAt(block, 'type')}`, block);
  }
}

/** Some models send thinking without its words. */
function translateThinking(block: JsonObject, place: Place): readonly AgentFact[] {
  const text = textAt(block, 'thinking') ?? '';
  return text === '' ? [] : [{ type: 'said', event: { type: 'agent.thinking', ...place, text } }];
}

function translateCall(memory: Memory, block: JsonObject, place: Place): readonly AgentFact[] {
  const toolCallId = textAt(block, 'id');
  const name = textAt(block, 'name');
  if (toolCallId === undefined || name === undefined) return unknownOnce(memory, 'tool call', block);
  noteCall(memory, place, toolCallId);
  const input = { ...objectAt(block, 'input') };
  const call = callShapeOf(name, input);
  const startsAgent = call.is === 'agent';
  return [
    { type: 'said', event: { type: 'tool.called', ...place, toolCallId, name, input, call, startsAgent } },
  ];
}

function noteCall(memory: Memory, { agentMessageId, parentToolCallId }: Place, toolCallId: string): void {
  if (parentToolCallId !== undefined) return;
  const before = memory.lastCalls?.agentMessageId === agentMessageId ? memory.lastCalls.ids : [];
  memory.lastCalls = { agentMessageId, ids: [...before, toolCallId] };
}
