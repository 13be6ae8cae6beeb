/** A stream or socket that stays open. */
export interface Connection {
  /** The device or the unlock that it was let in by; it is closed when that ends. */
  readonly accessId: string | undefined;
  /** Called at the keep-alive's pace: shows signs of life, and ends what shows none. */
  sweep(now: number): void;
  /** Ends it in a way the client understands, as soon as it has read what was sent. */
  close(): void;
  destroy(): void;
}

/** All that is open, with one timer for all. */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  #whenEmpty: (() => void) | undefined;

  constructor(keepAliveMs: number) {
    this.#timer = setInterval(() => this.#sweep(), keepAliveMs);
    this.#timer.unref();
  }

  add(connection: Connection): void {
    this.#open.add(connection);
  }

  delete(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#whenEmpty?.();
  }

  closeAccess(accessId: string): void {
    for (const connection of this.#open) if (connection.accessId === accessId) connection.destroy();
  }

  /** Ends everything; what does not end by itself within the grace is cut off. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.#timer);
    if (this.#open.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const cutOff = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
    }, graceMs);
    for (const connection of this.#open) connection.close();
    await empty;
    clearTimeout(cutOff);
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#open) connection.sweep(now);
  }
}
