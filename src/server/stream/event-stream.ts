import type { ServerResponse } from 'node:http';
import { apiHeaders } from '../headers.ts';

/**
 * Begins a stream that ends with its connection. Its length is left open instead of chunked, so that everything gathered
 * for a client goes to the socket as it is, in one write.
 */
export function beginEventStream(response: ServerResponse): void {
  for (const [name, value] of Object.entries(apiHeaders)) response.setHeader(name, value);
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('x-accel-buffering', 'no');
  response.removeHeader('transfer-encoding');
  response.writeHead(200);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
}
