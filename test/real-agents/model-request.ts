/** One request that an agent made to the stand-in, with the parts that tests look at picked out. */
export interface ModelRequest {
  readonly path: string;
  readonly model: string;
  readonly body: Record<string, unknown>;
  /** What the person said last: the last text of the last user message that is none of the program's own notes. */
  readonly prompt: string | undefined;
  /** Every text block of the last user message: reminders come first, the person's words last. */
  readonly texts: readonly string[];
  /** Texts of system messages after the last user message: what a person said mid-turn comes in here, wrapped. */
  readonly notes: readonly string[];
  /** The results of tool calls in the last user message. */
  readonly toolResults: readonly ToolResult[];
  /** Media types of the images anywhere in the conversation. */
  readonly images: readonly string[];
  /** Names of the tools on offer. None are offered when the program asks on its own behalf (titles, summaries). */
  readonly tools: readonly string[];
  /** Settles when the reply has ended: `hung-up` when the program closed the connection before its end. */
  readonly ended: Promise<'complete' | 'hung-up'>;
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly isError: boolean;
  readonly text: string;
}

type Json = Record<string, unknown>;

export function readModelRequest(
  path: string,
  body: Json,
  ended: Promise<'complete' | 'hung-up'>,
): ModelRequest {
  const messages = records(body.messages);
  const last = messages.findLastIndex((message) => message.role === 'user');
  const blocks = blocksOf(messages[last]?.content);
  const texts = blocks.filter((block) => block.type === 'text').map(textOf);
  const names = toolNames(messages);
  const toolResults = blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => toolResult(block, names));
  return {
    path,
    model: String(body.model),
    body,
    prompt: texts.findLast((text) => !isNote(text))?.trim(),
    texts,
    notes: messages.slice(last + 1).flatMap((message) => blocksOf(message.content).map(textOf)),
    toolResults,
    images: messages.flatMap((message) => blocksOf(message.content).flatMap(imageTypes)),
    tools: records(body.tools).map((tool) => String(tool.name)),
    ended,
  };
}

function isNote(text: string): boolean {
  return ['<system-reminder>', '[Request interrupted by user', '[Image'].some((start) =>
    text.startsWith(start),
  );
}

function textOf(block: Json): string {
  return block.type === 'text' ? String(block.text) : `[${String(block.type)}]`;
}

function toolResult(block: Json, names: ReadonlyMap<string, string>): ToolResult {
  const toolUseId = String(block.tool_use_id);
  return {
    toolUseId,
    toolName: names.get(toolUseId) ?? '',
    isError: block.is_error === true,
    text: blocksOf(block.content).map(textOf).join('\n'),
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

function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : records(content);
}

function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
