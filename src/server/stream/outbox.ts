import type { Duplex } from 'node:stream';

/** How much is kept for a client that reads too slowly, and how long it is waited for. */
export interface StreamLimits {
  /** Above this many unsent bytes, deltas are left out. */
  readonly softBytes: number;
  /** Above this many unsent bytes, everything is left out; the client takes a snapshot once it has read what was sent. */
  readonly hardBytes: number;
  /** A client that takes nothing at all for so long is closed. */
  readonly stuckMs: number;
  readonly keepAliveMs: number;
}

export const defaultLimits: StreamLimits = {
  softBytes: 256 * 1024,
  hardBytes: 4 * 1024 * 1024,
  stuckMs: 60_000,
  keepAliveMs: 15_000,
};

/** What waits to be sent to one client: bounded, gathered into one write per turn, and never in anyone else's way. */
export class Outbox {
  readonly #socket: Duplex;
  readonly #limits: StreamLimits;
  readonly #isOpen: () => boolean;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #accepted = 0;
  #snapshotBytes = 0;
  #choked = false;
  #missed = false;
  #waiting: (() => void)[] = [];
  #sentBefore = 0;
  #movedAt = performance.now();

  /** `onMissed` is called when a client that was told nothing for a while has read all it was sent. */
  constructor(options: {
    readonly socket: Duplex;
    readonly limits: StreamLimits;
    readonly isOpen: () => boolean;
    readonly onMissed: () => void;
  }) {
    this.#socket = options.socket;
    this.#limits = options.limits;
    this.#isOpen = options.isOpen;
    this.#socket.on('drain', () => this.#drained(options.onMissed));
    this.#socket.once('close', () => this.#release());
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** Live fragments are left out now. */
  get lagging(): boolean {
    return this.#socket.writableLength > this.#limits.softBytes + this.#snapshotBytes;
  }

  /** Everything is left out now. */
  get choked(): boolean {
    return this.#choked;
  }

  /** Whoever has more to send than is news should wait until it has drained. */
  get full(): boolean {
    return this.#choked || this.#socket.writableNeedDrain;
  }

  /** How many bytes that were. */
  push(chunk: Buffer): number {
    if (chunk.length > 0) this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    return chunk.length;
  }

  /** A snapshot may be larger than the limit; its size must not count as slowness, or it would be followed by another. */
  pushSnapshot(chunk: Buffer): void {
    this.#snapshotBytes = chunk.length;
    this.push(chunk);
  }

  /** Notes that something was left out, so that the client gets a snapshot when it has drained. */
  leaveOut(): void {
    this.#missed = true;
  }

  flush(): void {
    const chunks = this.#gathered;
    if (chunks.length === 0) return;
    this.#gathered = [];
    this.#accepted += this.#gatheredBytes;
    this.#gatheredBytes = 0;
    if (!this.#isOpen()) return;
    if (chunks.length > 1) this.#socket.cork();
    for (const chunk of chunks) this.#socket.write(chunk);
    if (chunks.length > 1) this.#socket.uncork();
    const over = this.#socket.writableLength > this.#limits.hardBytes + this.#snapshotBytes;
    // Only a socket that will say when it has drained may be given up for a while.
    if (over && this.#socket.writableNeedDrain) this.#choked = true;
  }

  /** Settles when all was sent, or the client is gone. */
  drained(): Promise<void> {
    if (!this.full) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Whether nothing at all has left for too long. */
  isStuck(now: number): boolean {
    const unsent = this.#socket.writableLength;
    const sent = this.#accepted - unsent;
    if (unsent === 0 || sent !== this.#sentBefore) {
      this.#sentBefore = sent;
      this.#movedAt = now;
      return false;
    }
    return now - this.#movedAt >= this.#limits.stuckMs;
  }

  #drained(onMissed: () => void): void {
    this.#snapshotBytes = 0;
    if (this.#missed) onMissed();
    else this.#choked = false;
    this.#release();
  }

  /** The client is told everything again. */
  recover(): void {
    this.#choked = false;
    this.#missed = false;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
