import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { PushDelivery, PushSubscriptions } from '../engine/ports/push.ts';
import type { ToolEndpoint } from '../engine/ports/tool-endpoint.ts';
import { createApp } from './app.ts';
import { Devices } from './auth/devices.ts';
import { createGuard, type WhoDecides } from './auth/guard.ts';
import { PairingCodes } from './auth/pairing.ts';
import { Unlocks } from './auth/unlocks.ts';
import { addressBelow, Places, type PublicUrl } from './public-url.ts';
import { watchRequests } from './requests.ts';
import { Broadcast } from './stream/broadcast.ts';
import { Connections, type StreamContext } from './stream/connections.ts';
import { defaultLimits, type StreamLimits } from './stream/outbox.ts';
import { webSocketEndpoint } from './stream/websocket.ts';
import { upgradeHandler } from './upgrade.ts';

export interface ServerOptions {
  readonly room: ControlRoom;
  /** The interactive tools, for agents; without it there are none. */
  readonly tools?: ToolEndpoint | undefined;
  /** Messages to devices whose page is closed; without it there are none. */
  readonly push?: PushDelivery | undefined;
  /** What programs show to be let in. */
  readonly token: string;
  /** Where paired devices are kept; without it a restart forgets them. */
  readonly dataDir?: string | undefined;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly version: string;
  /** The folder of the built page. */
  readonly webRoot?: string | undefined;
  readonly logger: FastifyBaseLogger;
  /** Further names this server is reached by: `box.lan`, or `beckon.example.org:443` behind a proxy. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The address of a proxy in front of it: links lead there, and its pages are let in. */
  readonly publicUrl?: PublicUrl | undefined;
  /** Whoever was let in, unless told. */
  readonly decide?: WhoDecides | undefined;
  /** Where it is served on a server of somebody else's, like `/beckon`; empty at the root. */
  readonly path?: string | undefined;
  readonly limits?: Partial<StreamLimits> | undefined;
  readonly now?: (() => number) | undefined;
}

export interface Server {
  /** Rejects when the port cannot be had: that of the options, unless another is given. It may be tried again. */
  listen(port?: number): Promise<{ readonly url: string; readonly port: number }>;
  /** In place of `listen`: requests come from a server of somebody else's, which is reached at this address. */
  mount(url: string): void;
  readonly mounted: Mounted;
  /** The devices that are told of what happens while their page is closed. */
  readonly subscriptions: PushSubscriptions;
  /** A fresh one-time code for one browser. */
  pairingCode(): string;
  /** Ends all streams and sockets, lets requests that are being answered finish within a second, and frees the port. */
  close(): Promise<void>;
}

/** What a server of Node passes on. Addresses are whole, or without the path of the mount, as Express has them. */
export interface Mounted {
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** False where it is for somebody else. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

const graceMs = 1000;

/** The time, by a clock that nobody sets: one that is put back would keep pairing locked until it has caught up. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

/** The control room on a port: HTTP, server-sent events and WebSocket, for callers that are known and come from here. */
export function createServer(options: ServerOptions): Server {
  const { room, token, logger, host } = options;
  if (token.length < 16) throw new Error('The token must have at least 16 characters.');
  const now = options.now ?? Date.now;
  const limits = { ...defaultLimits, ...options.limits };
  const onError = (error: unknown): void => logger.error({ err: error }, 'A stream failed');
  const codes = new PairingCodes(options.now ?? steadyNow);
  const devices = new Devices({
    dataDir: options.dataDir,
    now,
    warn: (error, sentence) => logger.warn({ err: error }, sentence),
  });
  const connections = new Connections(limits.keepAliveMs);
  const broadcast = new Broadcast(room, onError);
  const unlocks = new Unlocks({
    now,
    onChange: () => broadcast.announce({ type: 'unlocks-changed', data: { unlocks: unlocks.list() } }),
    onEnd: (id) => connections.closeAccess(id),
  });
  const { decide = 'anyone', path = '', publicUrl } = options;
  const names = [host, ...(options.allowedHosts ?? [])];
  const guard = createGuard({ token, devices, unlocks, decide, names, publicUrl });
  const places = new Places(path, publicUrl);
  const streams: StreamContext = {
    room,
    broadcast,
    connections,
    limits,
    unlocks: () => unlocks.list(),
    onError,
  };
  let url = '';
  let closing: Promise<void> | undefined;
  const isClosing = (): boolean => closing !== undefined;
  const app = createApp({
    room,
    guard,
    access: {
      codes,
      devices,
      unlocks,
      decide,
      disconnect: (id) => {
        connections.closeAccess(id);
        options.push?.forget(id);
      },
      url: () => url,
      publicUrl: publicUrl?.url,
    },
    places,
    streams,
    tools: options.tools,
    push: options.push,
    version: options.version,
    webRoot: options.webRoot,
    logger,
    isClosing,
  });
  const endpoint = webSocketEndpoint(streams, (socket) => app.strangers.isKnown(socket));
  const upgrade = upgradeHandler({ guard, endpoint, places, isClosing });
  app.server.on('upgrade', upgrade);
  const requests = watchRequests(app.server);

  const shutDown = async (): Promise<void> => {
    devices.close();
    unlocks.close();
    broadcast.close();
    const closed = app.close();
    await Promise.all([connections.close(graceMs), requests.settled(graceMs)]);
    // Also those on which nothing was ever asked: browsers open some in advance.
    app.server.closeAllConnections();
    await closed;
  };

  return {
    async listen(asked = options.port) {
      // One socket: by the name "localhost" two would be opened, and only one of them be ours to watch.
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port: asked });
      const { port } = app.server.address() as AddressInfo;
      url = urlOf(host, port);
      return { url, port };
    },
    mount(address) {
      url = address;
    },
    mounted: {
      handler(request, response) {
        const address = addressBelow(path, wholeAddress(request));
        if (address === undefined) {
          response.writeHead(404).end();
          return;
        }
        request.url = address;
        void app.ready().then(() => app.server.emit('request', request, response));
      },
      upgrade(request, socket, head) {
        const address = addressBelow(path, wholeAddress(request));
        if (address === undefined) return false;
        request.url = address;
        upgrade(request, socket, head);
        return true;
      },
    },
    subscriptions: devices.subscriptions,
    pairingCode: () => codes.issue().code,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** Express takes the path of the mount off, and keeps the whole address under another name. */
const wholeAddress = (request: IncomingMessage & { originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? '/';

/** How a program on this machine reaches the server. */
export const urlOf = (host: string, port: number): string => `http://${nameInUrl(host)}:${port}`;

function nameInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === 'localhost') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
