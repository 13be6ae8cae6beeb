import {
  callsTools,
  isRecord,
  type Json,
  type ModelDialect,
  records,
  type SentBlock,
  type SentMessage,
  textOf,
  tokensUsed,
} from '../real-agents/model-dialect.ts';
import type { ReplyBlock } from '../real-agents/model-reply.ts';
import { promptAmong, type ToolResult } from '../real-agents/model-request.ts';

/** OpenAI's chat completions, which most services of models understand. */
export const chatWire: ModelDialect = {
  read(path, body) {
    if (!path.endsWith('/chat/completions')) return undefined;
    const messages = records(body.messages);
    const latest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    const texts = latest.filter(({ role }) => role === 'user').flatMap(({ content }) => textsIn(content));
    const names = toolNames(messages);
    return {
      model: String(body.model),
      prompt: promptAmong(texts),
      texts,
      notes: latest.filter(({ role }) => role === 'system').flatMap(({ content }) => textsIn(content)),
      toolResults: latest.filter(({ role }) => role === 'tool').map((message) => toolResult(message, names)),
      images: messages.flatMap(({ content }) => imageTypes(content)),
      tools: records(body.tools).flatMap((tool) =>
        isRecord(tool.function) ? String(tool.function.name) : [],
      ),
      isStreamed: body.stream === true,
    };
  },

  *stream(message) {
    for (const [index, sent] of message.blocks.entries()) {
      const { block } = sent;
      if (block.type === 'tool_use') yield chunk(message, { tool_calls: [{ index, ...callOf(sent) }] });
      else
        for (const piece of block.pieces)
          yield typeof piece === 'string' ? chunk(message, { [fieldOf(block)]: piece }) : piece;
    }
    yield { ...chunk(message, {}, finishReason(message)), usage };
    yield '[DONE]';
  },

  whole(message) {
    const said = message.blocks
      .filter(({ block }) => block.type === 'text')
      .map(({ block }) => textOf(block));
    const calls = message.blocks.filter(({ block }) => block.type === 'tool_use').map(callOf);
    const reply = {
      role: 'assistant',
      content: said.join('') || null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choice = { index: 0, message: reply, finish_reason: finishReason(message) };
    return { ...envelope(message, 'chat.completion'), choices: [choice], usage };
  },

  failure: ({ kind, message }) => ({ error: { type: kind, code: kind, message } }),
};

const usage = {
  prompt_tokens: tokensUsed.input,
  completion_tokens: tokensUsed.output,
  total_tokens: tokensUsed.input + tokensUsed.output,
};

function chunk(message: SentMessage, delta: Json, reason: string | null = null): Json {
  const choice = { index: 0, delta: { role: 'assistant', ...delta }, finish_reason: reason };
  return { ...envelope(message, 'chat.completion.chunk'), choices: [choice] };
}

const envelope = ({ id, model }: SentMessage, object: string): Json => ({ id, object, created: 0, model });

const finishReason = (message: SentMessage): string => (callsTools(message) ? 'tool_calls' : 'stop');

const fieldOf = ({ type }: ReplyBlock): string => (type === 'thinking' ? 'reasoning_content' : 'content');

function callOf({ block, toolUseId }: SentBlock): Json {
  const name = block.type === 'tool_use' ? block.name : '';
  return { id: toolUseId, type: 'function', function: { name, arguments: textOf(block) } };
}

function toolNames(messages: readonly Json[]): Map<unknown, string> {
  const calls = messages.flatMap(({ tool_calls }) => records(tool_calls));
  return new Map(calls.map((call) => [call.id, isRecord(call.function) ? String(call.function.name) : '']));
}

function toolResult({ tool_call_id, content }: Json, names: ReadonlyMap<unknown, string>): ToolResult {
  return {
    toolUseId: String(tool_call_id),
    toolName: names.get(tool_call_id) ?? '',
    isError: false,
    text: textsIn(content).join('\n'),
  };
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return records(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

function imageTypes(content: unknown): string[] {
  return records(content).flatMap(({ image_url }) => {
    const url = isRecord(image_url) ? String(image_url.url) : undefined;
    return url === undefined ? [] : [/^data:([^;]+)/.exec(url)?.[1] ?? 'unknown'];
  });
}
