import { serverOperations } from '../protocol/server-operation.ts';
import { HttpCalls, type HttpCallsOptions } from './http-calls.ts';
import { openLiveConnection } from './live-connection.ts';
import type { LiveConnection, LiveListener, LiveTransport } from './transport.ts';

export interface WebSocketTransportOptions extends HttpCallsOptions {
  /** Opens a socket to a path of the server. */
  readonly openSocket: (path: string) => WebSocket;
}

/**
 * The control room to a page: what happens comes over one socket, requests go over HTTP. A request must not wait behind what a slow
 * network has still to bring, and a socket takes none of the six connections that browsers have for requests to one server.
 */
export class WebSocketTransport extends HttpCalls implements LiveTransport {
  readonly #options: WebSocketTransportOptions;

  constructor(options: WebSocketTransportOptions) {
    super(options);
    this.#options = options;
  }

  connect(listener: LiveListener): LiveConnection {
    const { path } = serverOperations.webSocket;
    return openLiveConnection({
      listener,
      key: () => this.#options.key?.(),
      open: (cursor) =>
        this.#options.openSocket(cursor === undefined ? path : `${path}?after=${encodeURIComponent(cursor)}`),
      // Browsers do not tell why a socket was not let in; any request that needs to be let in does.
      whyRefused: () => this.sessionPage({ limit: 1 }),
    });
  }
}
