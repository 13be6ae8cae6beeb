import type { ModelRequest, ToolResult } from './model-request.ts';

/** What the stand-in says: blocks in order, or an error of the API. */
export type Reply = readonly ReplyBlock[] | ApiFailure;
/** A reply, or what makes one once the request is known. A promise keeps the program waiting for the first byte. */
export type ReplyOrMaker = Reply | ((request: ModelRequest) => Reply | Promise<Reply>);

export type ReplyBlock = TextBlock | ThinkingBlock | ToolUseBlock;
/** Strings are sent as one delta each; a promise between them holds the stream back until it settles. */
export type Pieces = readonly (string | Promise<unknown>)[];

export interface TextBlock {
  readonly type: 'text';
  readonly pieces: Pieces;
}
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly pieces: Pieces;
}
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly name: string;
  readonly input: Record<string, unknown>;
  /** The reply to the request that brings this call's result. */
  readonly afterTool: ((result: ToolResult, request: ModelRequest) => Reply) | undefined;
}
export interface ApiFailure {
  readonly status: number;
  readonly kind: string;
  readonly message: string;
}

export function text(...pieces: Pieces): TextBlock {
  return { type: 'text', pieces };
}

export function thinking(...pieces: Pieces): ThinkingBlock {
  return { type: 'thinking', pieces };
}

export function toolUse(
  name: string,
  input: Record<string, unknown>,
  afterTool?: Reply | ((result: ToolResult, request: ModelRequest) => Reply),
): ToolUseBlock {
  const react = typeof afterTool === 'function' || afterTool === undefined ? afterTool : () => afterTool;
  return { type: 'tool_use', name, input, afterTool: react };
}

export function failure(status: number, kind: string, message: string): ApiFailure {
  return { status, kind, message };
}

export function isFailure(reply: Reply): reply is ApiFailure {
  return 'status' in reply;
}

/** Something to hold a text back with: put `opened` between its pieces, and call `open()` to let the rest go. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
