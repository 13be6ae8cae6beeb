import type { ApiFailure, Pieces, ReplyBlock } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';

export type Json = Record<string, unknown>;

/** How one service of models is talked to: all that differs between them on the wire. */
export interface ModelDialect {
  /** What a request asks of the model; undefined where the service has no such route. */
  read(path: string, body: Json): RequestRead | undefined;
  /** The reply of a route that asks nothing of the model, such as a count of tokens. */
  aside?(path: string): Json | undefined;
  /**
   * The parts of a streamed reply in their order: an object is sent as JSON, under the name in its `type` where it has one; a
   * string as it is. A promise holds the stream back until it settles.
   */
  stream(message: SentMessage): Iterable<Json | string | Promise<unknown>>;
  /** The same reply in one piece. */
  whole(message: SentMessage): Json;
  failure(failure: ApiFailure): Json;
}

export type RequestRead = Omit<ModelRequest, 'path' | 'body' | 'ended'> & { readonly isStreamed: boolean };

export interface SentMessage {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly SentBlock[];
}

/** A block with the id its tool call goes by on the wire. */
export interface SentBlock {
  readonly block: ReplyBlock;
  readonly toolUseId: string;
}

/** What every reply is said to have cost. */
export const tokensUsed = { input: 11, output: 7 } as const;

export function piecesOf(block: ReplyBlock): Pieces {
  return block.type === 'tool_use' ? [JSON.stringify(block.input)] : block.pieces;
}

export function textOf(block: ReplyBlock): string {
  return piecesOf(block)
    .filter((piece) => typeof piece === 'string')
    .join('');
}

export const callsTools = ({ blocks }: SentMessage): boolean =>
  blocks.some(({ block }) => block.type === 'tool_use');

export function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
