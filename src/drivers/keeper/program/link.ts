import type { Socket } from 'node:net';
import { FrameReader, writeFrame } from '../frames.ts';
import { type FromKeeper, type Role, readToKeeper, type ToKeeper } from '../wire.ts';

/** Unsent bytes above which no more output is handed over: what is said next must not stand in a long line. */
const busyBytes = 128 * 1024;
/** Unsent bytes above which stderr is left out. */
const crowdedBytes = 1024 * 1024;

/** Something that has output to pass on, a piece at a time. */
export interface OutputSource {
  readonly hasOutput: boolean;
  nextOutput(): { message: FromKeeper; body?: Buffer } | undefined;
}

export interface LinkListener {
  readonly helloMs: number;
  onMessage(link: Link, message: ToKeeper, body: Buffer): void;
  onClose(link: Link): void;
  log(text: string): void;
}

/** One connection to the keeper. Sources take turns, so that none waits for all another has to say. */
export class Link {
  role: Role | undefined;
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #sources = new Set<OutputSource>();
  readonly #helloLimit: NodeJS.Timeout;

  constructor(socket: Socket, listener: LinkListener) {
    this.#socket = socket;
    this.#reader = new FrameReader(
      ({ head, body }) => {
        const message = readToKeeper(head);
        if (message && !socket.destroyed) listener.onMessage(this, message, body);
      },
      { trusted: false },
    );
    this.#helloLimit = setTimeout(() => this.#endUnlessGreeted(), listener.helloMs);
    socket.on('data', (chunk) => {
      try {
        this.#reader.feed(chunk);
      } catch (error) {
        listener.log(`A connection was closed: ${error instanceof Error ? error.message : error}`);
        socket.destroy();
      }
    });
    socket.on('drain', () => this.#pump());
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(this.#helloLimit);
      this.#sources.clear();
      listener.onClose(this);
    });
  }

  welcome(role: Role): void {
    clearTimeout(this.#helloLimit);
    this.role = role;
    this.#reader.trust();
  }

  get isCrowded(): boolean {
    return this.#socket.writableLength > crowdedBytes;
  }

  tell(message: FromKeeper, body?: Buffer): void {
    if (this.#socket.writable) writeFrame(this.#socket, message, body);
  }

  offer(source: OutputSource): void {
    this.#sources.add(source);
    this.#pump();
  }

  withdraw(source: OutputSource): void {
    this.#sources.delete(source);
  }

  /** Closes after all that was told is written, or at once if nobody reads it. */
  end(patienceMs = 1_000): Promise<void> {
    if (this.#socket.destroyed) return Promise.resolve();
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    this.#socket.end();
    this.#socket.resume();
    const impatient = setTimeout(() => this.#socket.destroy(), patienceMs);
    return closed.finally(() => clearTimeout(impatient));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** After what has arrived is read: a keeper that was held up must not blame who called it meanwhile. */
  #endUnlessGreeted(): void {
    setImmediate(() => this.role ?? this.#socket.destroy());
  }

  #pump(): void {
    for (const source of this.#sources) {
      if (this.#socket.writableLength >= busyBytes) return;
      // Sets are walked in the order of insertion: who has more goes to the end of the line.
      this.#sources.delete(source);
      const next = source.nextOutput();
      if (next) this.tell(next.message, next.body);
      if (source.hasOutput) this.#sources.add(source);
    }
  }
}
