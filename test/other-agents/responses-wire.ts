import {
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

/** OpenAI's Responses API, as Codex speaks it. */
export const responsesWire: ModelDialect = {
  read(path, body) {
    if (!path.endsWith('/responses')) return undefined;
    const items = records(body.input);
    const latest = items.slice(items.findLastIndex(isOfModel) + 1);
    const texts = latest.filter(({ role }) => role === 'user').flatMap(({ content }) => textsIn(content));
    const names = new Map(items.filter(isCall).map((call) => [call.call_id, String(call.name)]));
    return {
      model: String(body.model),
      prompt: promptAmong(texts.filter((text) => !text.startsWith('<') && !text.startsWith('# AGENTS.md'))),
      texts,
      notes: latest.filter(({ role }) => role === 'developer').flatMap(({ content }) => textsIn(content)),
      toolResults: latest.filter(isResult).map((result) => toolResult(result, names)),
      images: items.flatMap(({ content }) => records(content).flatMap(imageType)),
      tools: records(body.tools).map(({ name, type }) => String(name ?? type)),
      isStreamed: body.stream === true,
    };
  },

  *stream(message) {
    yield { type: 'response.created', response: envelope(message, 'in_progress') };
    for (const [index, sent] of message.blocks.entries()) {
      const { block } = sent;
      const place = { item_id: itemId(message, index), output_index: index };
      yield { type: 'response.output_item.added', ...place, item: itemOf(message, index, sent, '') };
      for (const piece of block.type === 'tool_use' ? [] : block.pieces)
        yield typeof piece === 'string'
          ? { type: deltaOf(block), ...place, content_index: 0, summary_index: 0, delta: piece }
          : piece;
      yield {
        type: 'response.output_item.done',
        ...place,
        item: itemOf(message, index, sent, textOf(block)),
      };
    }
    yield { type: 'response.completed', response: wholeReply(message) };
  },

  whole: wholeReply,

  failure: ({ kind, message }) => ({ error: { type: kind, code: kind, message } }),
};

function wholeReply(message: SentMessage): Json {
  const output = message.blocks.map((sent, index) => itemOf(message, index, sent, textOf(sent.block)));
  return { ...envelope(message, 'completed'), output, usage };
}

const envelope = ({ id, model }: SentMessage, status: string): Json => ({
  id,
  object: 'response',
  model,
  status,
  output: [],
});

const usage = {
  input_tokens: tokensUsed.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: tokensUsed.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokensUsed.input + tokensUsed.output,
};

const deltaOf = ({ type }: ReplyBlock): string =>
  type === 'thinking' ? 'response.reasoning_summary_text.delta' : 'response.output_text.delta';

const itemId = ({ id }: SentMessage, index: number): string => `${id}_${index}`;

/** A tool that is given its input in words alone (`{ words }`) is one that takes no JSON, such as `apply_patch`. */
function itemOf(message: SentMessage, index: number, { block, toolUseId }: SentBlock, said: string): Json {
  const id = itemId(message, index);
  switch (block.type) {
    case 'text': {
      const content = [{ type: 'output_text', text: said, annotations: [] }];
      return { type: 'message', id, role: 'assistant', content };
    }
    case 'thinking':
      return { type: 'reasoning', id, summary: said === '' ? [] : [{ type: 'summary_text', text: said }] };
    case 'tool_use': {
      const { input } = block;
      const [, namespace, inner] = /^(\w+)\.(\w+)$/.exec(block.name) ?? [];
      const name = { name: inner ?? block.name, ...(namespace !== undefined && { namespace }) };
      const call = { id, call_id: toolUseId, status: 'completed', ...name };
      return typeof input.words === 'string'
        ? { type: 'custom_tool_call', ...call, input: input.words }
        : { type: 'function_call', ...call, arguments: JSON.stringify(input) };
    }
  }
}

const isCall = ({ type }: Json): boolean => type === 'function_call' || type === 'custom_tool_call';

const isResult = ({ type }: Json): boolean =>
  type === 'function_call_output' || type === 'custom_tool_call_output';

const isOfModel = (item: Json): boolean =>
  item.role === 'assistant' || item.type === 'reasoning' || isCall(item);

function toolResult({ call_id, output }: Json, names: ReadonlyMap<unknown, string>): ToolResult {
  return {
    toolUseId: String(call_id),
    toolName: names.get(call_id) ?? '',
    isError: false,
    text: textsIn(output).join('\n'),
  };
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return records(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

const imageType = ({ type, image_url }: Json): string[] =>
  type === 'input_image' ? [/^data:([^;]+)/.exec(String(image_url))?.[1] ?? 'unknown'] : [];
