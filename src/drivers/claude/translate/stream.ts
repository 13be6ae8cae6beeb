import type { Delta } from '../../../protocol/event.ts';
import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { type JsonObject, numberAt, objectAt, textAt } from '../../fields.ts';
import { expectedShape } from '../../tool-calls.ts';
import type { Memory, StreamedBlock } from './memory.ts';
import { parentOf } from './parent.ts';

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
