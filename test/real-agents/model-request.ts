/** One request that an agent made to the stand-in, with the parts that tests look at picked out. */
export interface ModelRequest {
  readonly path: string;
  readonly model: string;
  readonly body: Record<string, unknown>;
  /** What the person said last: the last text since the model spoke that is none of the program's own notes. */
  readonly prompt: string | undefined;
  /** Every text since the model spoke: reminders come first, the person's words last. */
  readonly texts: readonly string[];
  /** Texts of system messages after the last user message: what a person said mid-turn may come in here, wrapped. */
  readonly notes: readonly string[];
  /** The results of tool calls since the model spoke. */
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
  /** Where the service has a way to say so. */
  readonly isError: boolean;
  readonly text: string;
}

/** The person's words among the texts of a request. */
export function promptAmong(texts: readonly string[]): string | undefined {
  return texts.findLast((text) => !isNote(text))?.trim();
}

const isNote = (text: string): boolean =>
  ['<system-reminder>', '[Request interrupted by user', '[Image'].some((start) => text.startsWith(start));
