import type { Delta } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { notice, unknownOnce } from '../../facts.ts';
import { type JsonObject, listAt, numberAt, objectAt, textAt, wordsAt } from '../../fields.ts';
import { callShapeOf, expectedShape } from '../../tool-calls.ts';
import type { Memory, StreamedBlock } from './memory.ts';

/** One line for each finished block of a message. */
export function translateAssistant(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const message = objectAt(line, 'message');
  const agentMessageId = message && textAt(message, 'id');
  if (!message || agentMessageId === undefined) return unknownOnce(memory, 'assistant line', line);
  const isApiError = textAt(line, 'error') !== undefined;
  return listAt(message, 'content').flatMap((block) => {
    const place = { agentMessageId, block: nextBlock(memory, agentMessageId), ...parentOf(line) };
    if (isApiError)
      return [notice('error', 'api-error', textAt(block, 'text') ?? 'The model could not be reached')];
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

/** Fragments of what is being said. They are shown and forgotten: the finished block comes as a line of its own. */
export function translateStream(memory: Memory, line: JsonObject): readonly AgentFact[] {
  const event = objectAt(line, 'event');
  if (!event) return [];
  switch (event.type) {
    case 'message_start':
      beginMessage(memory, event);
      return [];
    case 'content_block_start':
      return beginBlock(memory, event, line);
    case 'content_block_delta':
      return passOn(memory, event, line);
    default:
      return [];
  }
}

function beginMessage(memory: Memory, event: JsonObject): void {
  const agentMessageId = textAt(objectAt(event, 'message') ?? {}, 'id');
  memory.streamed =
    agentMessageId === undefined
      ? undefined
      : { agentMessageId, block: -1, toolCallId: undefined, toolName: undefined };
}

function beginBlock(memory: Memory, event: JsonObject, line: JsonObject): readonly AgentFact[] {
  const { streamed } = memory;
  const block = objectAt(event, 'content_block');
  if (!streamed || !block) return [];
  streamed.block = numberAt(event, 'index') ?? streamed.block + 1;
  streamed.toolCallId = textAt(block, 'id');
  streamed.toolName = textAt(block, 'name');
  if (streamed.toolCallId === undefined) return [];
  const call = expectedShape(streamed.toolName ?? '');
  return [delta(streamed, line, 'tool-input', '', call && { call })];
}

function passOn({ streamed }: Memory, event: JsonObject, line: JsonObject): readonly AgentFact[] {
  const fragment = objectAt(event, 'delta');
  if (!streamed || !fragment) return [];
  switch (fragment.type) {
    case 'text_delta':
      return [delta(streamed, line, 'text', textAt(fragment, 'text') ?? '')];
    case 'thinking_delta':
      return [delta(streamed, line, 'thinking', textAt(fragment, 'thinking') ?? '')];
    case 'input_json_delta':
      return [delta(streamed, line, 'tool-input', textAt(fragment, 'partial_json') ?? '')];
    default:
      return [];
  }
}

function delta(
  streamed: StreamedBlock,
  line: JsonObject,
  kind: Delta['kind'],
  text: string,
  more: Pick<Delta, 'call'> = {},
): AgentFact {
  const { agentMessageId: messageId, block, toolCallId, toolName } = streamed;
  return {
    type: 'delta',
    delta: {
      messageId,
      block,
      kind,
      text,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolName !== undefined && { toolName }),
      ...more,
      ...parentOf(line),
    },
  };
}

const recentMessages = 20;

/**
 * The number of the block that an `assistant` line completes. Such a line does not say it; it comes while its block
 * is the one being streamed, and where nothing is streamed (sub-agents) blocks come in order.
 */
function nextBlock(memory: Memory, agentMessageId: string): number {
  const last = memory.lastBlocks.get(agentMessageId) ?? -1;
  const streamed = memory.streamed?.agentMessageId === agentMessageId ? memory.streamed.block : -1;
  const block = Math.max(last + 1, streamed);
  memory.lastBlocks.delete(agentMessageId);
  memory.lastBlocks.set(agentMessageId, block);
  for (const oldest of memory.lastBlocks.keys()) {
    if (memory.lastBlocks.size <= recentMessages) break;
    memory.lastBlocks.delete(oldest);
  }
  return block;
}

/** Lines of a sub-agent name the call that started it. */
export function parentOf(line: JsonObject): { readonly parentToolCallId?: string } {
  const parentToolCallId = textAt(line, 'parent_tool_use_id');
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}
