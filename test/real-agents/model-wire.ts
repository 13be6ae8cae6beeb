import type { ServerResponse } from 'node:http';
import type { ReplyBlock } from './model-reply.ts';

/** A block with the id its tool call goes by on the wire. */
export interface SentBlock {
  readonly block: ReplyBlock;
  readonly toolUseId: string;
}

interface Message {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly SentBlock[];
}

const signature = 'c2lnbmVkIGJ5IHRoZSBzdGFuZC1pbg==';

/** Sends a message as the Messages API streams it. Ends early when the other side has hung up. */
export async function streamMessage(response: ServerResponse, message: Message): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  const send = (event: Record<string, unknown> & { type: string }) => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  send({ type: 'message_start', message: { ...envelope(message), content: [], stop_reason: null } });
  for (const [index, { block, toolUseId }] of message.blocks.entries()) {
    send({ type: 'content_block_start', index, content_block: emptyBlock(block, toolUseId) });
    for (const piece of piecesOf(block)) {
      if (typeof piece === 'string') {
        send({ type: 'content_block_delta', index, delta: delta(block, piece) });
      } else {
        await Promise.race([piece, gone]);
      }
      if (response.closed) return;
    }
    if (block.type === 'thinking') {
      send({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } });
    }
    send({ type: 'content_block_stop', index });
  }
  send({
    type: 'message_delta',
    delta: { stop_reason: stopReason(message), stop_sequence: null },
    usage: { output_tokens: 7 },
  });
  send({ type: 'message_stop' });
  response.end();
}

/** The same message in one piece, for a request that did not ask for a stream. */
export async function wholeMessage(message: Message): Promise<Record<string, unknown>> {
  const content: Record<string, unknown>[] = [];
  for (const { block, toolUseId } of message.blocks) {
    await Promise.all(piecesOf(block));
    content.push(fullBlock(block, toolUseId));
  }
  return { ...envelope(message), content, stop_reason: stopReason(message) };
}

function envelope(message: Message): Record<string, unknown> {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    stop_sequence: null,
    usage: {
      input_tokens: 11,
      output_tokens: 7,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

function stopReason(message: Message): 'tool_use' | 'end_turn' {
  return message.blocks.some(({ block }) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function piecesOf(block: ReplyBlock): readonly (string | Promise<unknown>)[] {
  return block.type === 'tool_use' ? [JSON.stringify(block.input)] : block.pieces;
}

function textOf(block: ReplyBlock): string {
  return piecesOf(block)
    .filter((piece) => typeof piece === 'string')
    .join('');
}

function delta(block: ReplyBlock, piece: string): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text: piece };
    case 'thinking':
      return { type: 'thinking_delta', thinking: piece };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: piece };
  }
}

function emptyBlock(block: ReplyBlock, toolUseId: string): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id: toolUseId, name: block.name, input: {} };
  }
}

function fullBlock(block: ReplyBlock, toolUseId: string): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textOf(block) };
    case 'thinking':
      return { type: 'thinking', thinking: textOf(block), signature };
    case 'tool_use':
      return { type: 'tool_use', id: toolUseId, name: block.name, input: block.input };
  }
}
