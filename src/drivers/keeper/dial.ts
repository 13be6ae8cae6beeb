import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FrameReader, writeFrame } from './frames.ts';
import { keeperPid, type Places, socketPath, withShortPath } from './places.ts';
import { type FromKeeper, protocolVersion, type Role, readFromKeeper, type ToKeeper } from './wire.ts';

/** How long a keeper may take to answer, on a machine that has more to do than it can. */
export const answerPatienceMs = 20_000;
const redialMs = 50;
/** It is there, and either side has no room for one more connection. */
const crowded = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ECONNRESET']);

export type Hello = Extract<FromKeeper, { t: 'hello' }>;

export interface DialOptions {
  readonly as: Role;
  readonly version: string;
  readonly patienceMs?: number | undefined;
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

/** Who lets us connect is alive, with all its agents: one that says nothing must not be taken for dead. */
export class SilentKeeper extends Error {
  override readonly name = 'SilentKeeper';
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    super(`the keeper in ${folder}${pid === undefined ? '' : ` (process ${pid})`} runs and does not answer`);
    this.pid = pid;
  }
}

/** Undefined when there is no keeper of this number; rejects when there is one that does not answer in time. */
export async function dial(
  places: Places,
  number: number,
  options: DialOptions,
): Promise<KeeperLink | undefined> {
  const deadline = performance.now() + (options.patienceMs ?? answerPatienceMs);
  for (;;) {
    const answer = await call(socketPath(places, number), options, deadline);
    if (answer !== 'no answer') return answer;
    if (performance.now() >= deadline) throw new SilentKeeper(places.folder, keeperPid(places, number));
    // One that hung up is about to end, and its name is gone in a moment.
    await delay(redialMs);
  }
}

async function call(
  path: string,
  options: DialOptions,
  deadline: number,
): Promise<KeeperLink | 'no answer' | undefined> {
  const socket = await open(path);
  if (typeof socket !== 'object') return socket;
  const { promise: greeted, resolve } = Promise.withResolvers<Hello | undefined>();
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  void closed.then(() => resolve(undefined));
  const limit = setTimeout(() => socket.destroy(), Math.max(0, deadline - performance.now()));
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
  if (!hello) return 'no answer';
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

function open(path: string): Promise<Socket | 'no answer' | undefined> {
  return withShortPath(
    path,
    (short) =>
      new Promise((resolve) => {
        const socket = connect(short);
        socket.once('connect', () => resolve(socket));
        socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
          resolve(crowded.has(code) ? 'no answer' : undefined),
        );
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
