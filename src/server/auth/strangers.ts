import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface StrangerLimits {
  readonly anAddress: number;
  readonly inAll: number;
}

const defaultLimits: StrangerLimits = { anAddress: 32, inAll: 256 };

interface Stranger {
  readonly address: string;
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
    this.#open.set(socket, { address, requests: 0 });
    socket.once('close', () => this.#open.delete(socket));
    const neighbours = [...this.#open].filter(([, stranger]) => stranger.address === address);
    if (neighbours.length > this.#limits.anAddress) this.#dropOneOf(neighbours);
    else if (this.#open.size > this.#limits.inAll) this.#dropOneOf([...this.#open]);
  }

  #dropOneOf(candidates: readonly (readonly [Duplex, Stranger])[]): void {
    const older = candidates.slice(0, -1);
    const [socket] = older.find(([, { requests }]) => requests === 0) ?? older[0] ?? [];
    if (socket === undefined) return;
    this.#open.delete(socket);
    socket.destroy();
  }
}
