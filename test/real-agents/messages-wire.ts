import {
  callsTools,
  isRecord,
  type Json,
  type ModelDialect,
  piecesOf,
  records,
  type SentBlock,
  type SentMessage,
  textOf,
  tokensUsed,
} from './model-dialect.ts';
import type { ReplyBlock } from './model-reply.ts';
import { promptAmong, type ToolResult } from './model-request.ts';

/** The Messages API, as Claude Code speaks it. */
export const messagesWire: ModelDialect = {
  read(path, body) {
    if (path !== '/v1/messages') return undefined;
    const messages = records(body.messages);
    const last = messages.findLastIndex((message) => message.role === 'user');
    const blocks = blocksOf(messages[last]?.content);
    const texts = blocks.filter((block) => block.type === 'text').map(wordsOf);
    const names = toolNames(messages);
    const results = blocks.filter((block) => block.type === 'tool_result');
    return {
      model: String(body.model),
      prompt: promptAmong(texts),
      texts,
      notes: messages.slice(last + 1).flatMap((message) => blocksOf(message.content).map(wordsOf)),
      toolResults: results.map((block) => toolResult(block, names)),
      images: messages.flatMap((message) => blocksOf(message.content).flatMap(imageTypes)),
      tools: records(body.tools).map((tool) => String(tool.name)),
      isStreamed: body.stream === true,
    };
  },

  aside: (path) => (path === '/v1/messages/count_tokens' ? { input_tokens: tokensUsed.input } : undefined),

  *stream(message) {
    yield { type: 'message_start', message: { ...envelope(message), content: [], stop_reason: null } };
    for (const [index, { block, toolUseId }] of message.blocks.entries()) {
      yield { type: 'content_block_start', index, content_block: emptyBlock(block, toolUseId) };
      for (const piece of piecesOf(block)) {
        if (typeof piece !== 'string') yield piece;
        else yield { type: 'content_block_delta', index, delta: delta(block, piece) };
      }
      if (block.type === 'thinking')
        yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } };
      yield { type: 'content_block_stop', index };
    }
    const usage = { output_tokens: tokensUsed.output };
    const end = { stop_reason: stopReason(message), stop_sequence: null };
    yield { type: 'message_delta', delta: end, usage };
    yield { type: 'message_stop' };
  },

  whole: (message) => ({
    ...envelope(message),
    content: message.blocks.map(fullBlock),
    stop_reason: stopReason(message),
  }),

  failure: ({ kind, message }) => ({ type: 'error', error: { type: kind, message } }),
};

const signature = 'c2lnbmVkIGJ5IHRoZSBzdGFuZC1pbg==';

function toolResult(block: Json, names: ReadonlyMap<string, string>): ToolResult {
  const toolUseId = String(block.tool_use_id);
  return {
    toolUseId,
    toolName: names.get(toolUseId) ?? '',
    isError: block.is_error === true,
    text: blocksOf(block.content).map(wordsOf).join('\n'),
  };
}

function toolNames(messages: readonly Json[]): Map<string, string> {
  const calls = messages
    .flatMap((message) => blocksOf(message.content))
    .filter((block) => block.type === 'tool_use');
  return new Map(calls.map((call) => [String(call.id), String(call.name)]));
}

function imageTypes(block: Json): string[] {
  if (block.type === 'tool_result') return blocksOf(block.content).flatMap(imageTypes);
  if (block.type !== 'image') return [];
  return [isRecord(block.source) ? String(block.source.media_type) : 'unknown'];
}

function wordsOf(block: Json): string {
  return block.type === 'text' ? String(block.text) : `[${String(block.type)}]`;
}

function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : records(content);
}

function envelope({ id, model }: SentMessage): Json {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    stop_sequence: null,
    usage: {
      input_tokens: tokensUsed.input,
      output_tokens: tokensUsed.output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

const stopReason = (message: SentMessage): string => (callsTools(message) ? 'tool_use' : 'end_turn');

function delta(block: ReplyBlock, piece: string): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text: piece };
    case 'thinking':
      return { type: 'thinking_delta', thinking: piece };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: piece };
  }
}

function emptyBlock(block: ReplyBlock, toolUseId: string): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id: toolUseId, name: block.name, input: {} };
  }
}

function fullBlock({ block, toolUseId }: SentBlock): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textOf(block) };
    case 'thinking':
      return { type: 'thinking', thinking: textOf(block), signature };
    case 'tool_use':
      return { type: 'tool_use', id: toolUseId, name: block.name, input: block.input };
  }
}
