import type { IncomingMessage } from 'node:http';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import { type Refusal, refuse, statusOf } from '../protocol/errors.ts';
import { serverOperations } from '../protocol/server-operation.ts';
import type { Guard } from './auth/guard.ts';
import { errorBody } from './errors.ts';
import { apiHeaders } from './headers.ts';
import type { Places } from './public-url.ts';
import type { WebSocketEndpoint } from './stream/websocket.ts';

// An import of it would also load all that it can do as a client: 17 MB, and a tenth of a start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Lets a WebSocket in by the same rules as any request; refusals are answers, so that a client can read why. */
export function upgradeHandler(options: {
  readonly guard: Guard;
  readonly endpoint: WebSocketEndpoint;
  readonly places: Places;
  readonly isClosing: () => boolean;
}): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const { guard, endpoint, places } = options;
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (options.isClosing()) return decline(socket, refuse('shutting_down').refusal);
    const foreign = guard.checkOrigin(request);
    if (foreign !== undefined) return decline(socket, foreign);
    const identity = guard.identifyUpgrade(request);
    if (!identity.ok) return decline(socket, identity.refusal);
    places.rewrite(request);
    if (request.url?.split('?', 1)[0] !== serverOperations.webSocket.path)
      return decline(socket, refuse('route_not_found').refusal);
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      return decline(socket, refuse('malformed_request', 'This address speaks WebSocket.').refusal);
    }
    endpoint.accept(request, socket, head, identity.value);
  };
}

function decline(socket: Duplex, refusal: Refusal): void {
  const status = statusOf(refusal.code);
  const body = JSON.stringify(errorBody(refusal));
  const headers = {
    ...apiHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () =>
    socket.destroy(),
  );
}
