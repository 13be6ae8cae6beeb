import type { WriteOutcome } from '../../engine/ports/process-host.ts';

/** Where whole lines can be written, with an answer for each write. */
export interface LineSink {
  write(data: string, writeId?: string): Promise<WriteOutcome>;
}

interface Waiting {
  line: string;
  writeId: string | undefined;
  settle(outcome: WriteOutcome): void;
}

/**
 * Writes lines in order, one write at a time. Lines that come while the pipe is full wait
 * here and go out together, and those still waiting at the end are told that they never left.
 */
export class Outbox {
  readonly #sink: LineSink;
  readonly #onFailure: (outcome: WriteFailure) => void;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[] = [];
  #closed: WriteFailure | undefined;

  constructor(sink: LineSink, onFailure: (outcome: WriteFailure) => void) {
    this.#sink = sink;
    this.#onFailure = onFailure;
  }

  /** With an id it reaches the agent once, however often it is written, also by the next server. */
  write(message: object, writeId?: string): Promise<WriteOutcome> {
    const closed = this.#closed;
    if (closed) return Promise.resolve(closed);
    return new Promise((settle) => {
      this.#waiting.push({ line: toLine(message), writeId, settle });
      if (this.#inFlight.length === 0) void this.#flush();
    });
  }

  close(reason: WriteFailure): void {
    if (this.#closed) return;
    this.#closed = reason;
    const unwritten = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    for (const { settle } of unwritten) settle(reason);
  }

  #nextWrite(): Waiting[] {
    return this.#waiting.splice(0, together(this.#waiting));
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#inFlight = this.#nextWrite();
      const data = this.#inFlight.map(({ line }) => line).join('');
      const outcome = await this.#sink.write(data, this.#inFlight[0]?.writeId);
      if (this.#closed) return;
      if (!outcome.ok) {
        this.close(outcome);
        this.#onFailure(outcome);
        return;
      }
      const written = this.#inFlight;
      this.#inFlight = [];
      for (const { settle } of written) settle(outcome);
    }
  }
}

/** A line that must not be written twice is written alone. */
function together(waiting: readonly Waiting[]): number {
  const named = waiting.findIndex(({ writeId }) => writeId !== undefined);
  return named === -1 ? waiting.length : Math.max(named, 1);
}

export type WriteFailure = Extract<WriteOutcome, { ok: false }>;

/** JSON leaves these two as they are, and some readers take them for the end of a line. */
function toLine(message: object): string {
  return `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}
