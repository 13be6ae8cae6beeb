import type { ServerResponse } from 'node:http';
import type { RequestId } from '@modelcontextprotocol/server';

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
