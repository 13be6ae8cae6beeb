import { connect, type Socket } from 'node:net';
import { FrameReader, writeFrame } from './frames.ts';
import { withShortPath } from './places.ts';
import { type FromKeeper, protocolVersion, type Role, readFromKeeper, type ToKeeper } from './wire.ts';

/** Who lets us connect is alive: to take a busy keeper for a dead one would cost all its agents. */
const helloLimitMs = 30_000;

export type Hello = Extract<FromKeeper, { t: 'hello' }>;

export interface DialOptions {
  readonly as: Role;
  readonly version: string;
  readonly patienceMs?: number;
  onMessage?(message: FromKeeper, body: Buffer): void;
}

/** A connection to a keeper. */
export interface KeeperLink {
  readonly hello: Hello;
  /** Whether the keeper speaks our major version; otherwise it understands the floor alone. */
  readonly fits: boolean;
  readonly closed: Promise<void>;
  send(message: ToKeeper, body?: Buffer): void;
  /** Closes after all that was sent is written. */
  end(): Promise<void>;
  destroy(): void;
}

/** Undefined when no keeper answers there. */
export async function dial(path: string, options: DialOptions): Promise<KeeperLink | undefined> {
  const socket = await open(path);
  if (!socket) return undefined;
  const { promise: greeted, resolve } = Promise.withResolvers<Hello | undefined>();
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  void closed.then(() => resolve(undefined));
  const limit = setTimeout(() => socket.destroy(), options.patienceMs ?? helloLimitMs);
  listen(socket, (message, body) => {
    if (message.t === 'hello') resolve(message);
    else options.onMessage?.(message, body);
  });
  const send = (message: ToKeeper, body?: Buffer) => {
    if (!socket.destroyed) writeFrame(socket, message, body);
  };
  send({ t: 'hello', as: options.as, protocol: protocolVersion, version: options.version });
  const hello = await greeted;
  clearTimeout(limit);
  if (!hello) return undefined;
  return {
    hello,
    fits: hello.protocol.major === protocolVersion.major,
    closed,
    send,
    async end() {
      socket.end();
      await closed;
    },
    destroy: () => socket.destroy(),
  };
}

function open(path: string): Promise<Socket | undefined> {
  return withShortPath(
    path,
    (short) =>
      new Promise((resolve) => {
        const socket = connect(short);
        socket.once('connect', () => resolve(socket));
        socket.on('error', () => resolve(undefined));
      }),
  );
}

function listen(socket: Socket, onMessage: (message: FromKeeper, body: Buffer) => void): void {
  const reader = new FrameReader(
    ({ head, body }) => {
      const message = readFromKeeper(head);
      if (message) onMessage(message, body);
    },
    { trusted: true },
  );
  socket.on('data', (chunk) => {
    try {
      reader.feed(chunk);
    } catch {
      // What cannot be read as frames is no keeper, or a broken one: without it the rest has no meaning.
      socket.destroy();
    }
  });
}
