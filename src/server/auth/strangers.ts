import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface StrangerLimits {
  readonly anAddress: number;
  readonly inAll: number;
}

const defaultLimits: StrangerLimits = { anAddress: 32, inAll: 256 };
/**
 * How long each newcomer has to show who it is before it counts: a program may well open two hundred connections at once, and on a
 * busy machine comes to send on the last of them much later than it opened the first.
 */
export const graceMs = 1000;
/** So many newcomers are one too many, however new they are. */
const mostAtOnce = 4 * defaultLimits.inAll;

interface Stranger {
  readonly address: string;
  readonly cameAt: number;
  /** Requests on it that are being answered. */
  requests: number;
}

/**
 * The connections on which nobody has shown yet who they are. There are only so many of them. On loopback all programs share one
 * address, so a newcomer is never refused for the sake of others: the one that has idled longest makes room for it. Whoever is
 * known is not counted, and so cannot be pushed out.
 */
export class Strangers {
  /** The oldest first. */
  readonly #open = new Map<Duplex, Stranger>();
  readonly #limits: StrangerLimits;
  #trimming: NodeJS.Timeout | undefined;

  constructor(server: Server, limits: StrangerLimits = defaultLimits) {
    this.#limits = limits;
    server.on('connection', (socket) => this.#add(socket, socket.remoteAddress ?? ''));
    server.on('request', ({ socket }, response) => {
      const stranger = this.#open.get(socket);
      if (stranger === undefined) return;
      stranger.requests += 1;
      response.once('close', () => {
        stranger.requests -= 1;
      });
    });
  }

  /** Whoever is at the other end has shown it, for as long as the connection lasts. */
  isKnown(socket: Duplex): void {
    this.#open.delete(socket);
  }

  #add(socket: Duplex, address: string): void {
    this.#open.set(socket, { address, cameAt: performance.now(), requests: 0 });
    socket.once('close', () => this.#open.delete(socket));
    if (this.#open.size > mostAtOnce) this.#drop([...this.#open], 1);
    this.#trimSoon();
  }

  #trimSoon(): void {
    // What they have sent by then is read first: on a busy machine it may have waited for us.
    this.#trimming ??= setTimeout(() => setImmediate(() => this.#trim()), graceMs).unref();
  }

  #trim(): void {
    this.#trimming = undefined;
    const { anAddress, inAll } = this.#limits;
    const since = performance.now() - graceMs;
    const counted = () => [...this.#open].filter(([, { cameAt }]) => cameAt <= since);
    const neighbours = Map.groupBy(counted(), ([, { address }]) => address);
    for (const some of neighbours.values()) this.#drop(some, some.length - anAddress);
    const left = counted();
    this.#drop(left, left.length - inAll);
    if (left.length < this.#open.size) this.#trimSoon();
  }

  /** Those that ask nothing go first, the oldest of them before the others. */
  #drop(candidates: readonly (readonly [Duplex, Stranger])[], count: number): void {
    if (count <= 0) return;
    const asking = candidates.filter(([, { requests }]) => requests > 0);
    const idle = candidates.filter(([, { requests }]) => requests === 0);
    for (const [socket] of [...idle, ...asking].slice(0, count)) {
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}
