import type { ServerResponse } from 'node:http';
import type { RequestId } from '@modelcontextprotocol/server';

const MOST_UNREAD_BYTES = 1_000_000;

/** A stream of server-sent events to one client. What is written after it is gone is dropped. */
export class EventStream {
  readonly #response: ServerResponse;

  /** The head goes out at once: a client that waits for it would give up long before a person answers. */
  constructor(response: ServerResponse, onGone: () => void) {
    this.#response = response;
    // A client that hung up in the meantime has been told of already, and will not be again.
    if (response.closed || response.destroyed) queueMicrotask(onGone);
    else response.once('close', onGone);
    // Without a listener the end of the other side would be the end of this program.
    response.on('error', () => {});
    if (response.headersSent || !this.isOpen) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  message(message: unknown): void {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** For what a client can do without: it is dropped while the client reads more slowly than it is written to. */
  hint(message: unknown): void {
    if (this.#response.writableLength < MOST_UNREAD_BYTES) this.message(message);
  }

  /** Names the place from which a client may go on after a break, and how long it waits before it tries. */
  resumable(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  comment(): void {
    this.#write(': waiting\n\n');
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  #write(text: string): void {
    if (this.isOpen) this.#response.write(text);
  }
}

/** JSON-RPC's own numbers, and the first of those left to servers. */
export const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
} as const;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export function sendError(
  response: ServerResponse,
  status: number,
  error: { readonly code: number; readonly message: string; readonly id?: RequestId },
): void {
  const { code, message, id = null } = error;
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message }, id });
}

export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 });
  response.end();
}
