import {
  isRecord,
  type Json,
  type ModelDialect,
  records,
  type SentBlock,
  type SentMessage,
  textOf,
  tokensUsed,
} from '../real-agents/model-dialect.ts';
import { promptAmong, type ToolResult } from '../real-agents/model-request.ts';

/** The Gemini API (`generateContent`, `streamGenerateContent`), as Gemini CLI speaks it. */
export const geminiWire: ModelDialect = {
  read(path, body) {
    const [, model, method] = /\/models\/([^:/]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
    if (model === undefined) return undefined;
    const contents = records(body.contents);
    const parts = contents
      .slice(contents.findLastIndex(({ role }) => role === 'model') + 1)
      .flatMap(({ parts }) => records(parts));
    const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    return {
      model,
      prompt: promptAmong(texts),
      texts,
      notes: [],
      toolResults: parts.flatMap(toolResult),
      images: contents.flatMap(({ parts }) => records(parts).flatMap(imageType)),
      tools: records(body.tools).flatMap((tool) =>
        records(tool.functionDeclarations).map(({ name }) => String(name)),
      ),
      isStreamed: method === 'streamGenerateContent',
    };
  },

  aside: (path) => (path.endsWith(':countTokens') ? { totalTokens: tokensUsed.input } : undefined),

  *stream(message) {
    for (const sent of message.blocks) {
      if (sent.block.type === 'tool_use') yield chunk(message, [partOf(sent)]);
      else
        for (const piece of sent.block.pieces)
          yield typeof piece === 'string' ? chunk(message, [spoken(sent.block.type, piece)]) : piece;
    }
    yield { ...chunk(message, [], 'STOP'), usageMetadata };
  },

  whole: (message) => ({ ...chunk(message, message.blocks.map(partOf), 'STOP'), usageMetadata }),

  failure: ({ status, kind, message }) => ({ error: { code: status, status: kind, message } }),
};

const usageMetadata = {
  promptTokenCount: tokensUsed.input,
  candidatesTokenCount: tokensUsed.output,
  totalTokenCount: tokensUsed.input + tokensUsed.output,
};

function chunk({ id, model }: SentMessage, parts: readonly Json[], finishReason?: string): Json {
  const candidate = { index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) };
  return { responseId: id, modelVersion: model, candidates: [candidate] };
}

function partOf({ block, toolUseId }: SentBlock): Json {
  if (block.type !== 'tool_use') return spoken(block.type, textOf(block));
  return { functionCall: { id: toolUseId, name: block.name, args: block.input } };
}

const spoken = (type: 'text' | 'thinking', text: string): Json =>
  type === 'text' ? { text } : { text, thought: true };

function toolResult({ functionResponse }: Json): ToolResult[] {
  if (!isRecord(functionResponse)) return [];
  const response = isRecord(functionResponse.response) ? functionResponse.response : {};
  const told = response.error ?? response.output;
  return [
    {
      toolUseId: String(functionResponse.id),
      toolName: String(functionResponse.name),
      isError: response.error !== undefined,
      text: typeof told === 'string' ? told : JSON.stringify(response),
    },
  ];
}

const imageType = ({ inlineData }: Json): string[] =>
  isRecord(inlineData) ? [String(inlineData.mimeType)] : [];
