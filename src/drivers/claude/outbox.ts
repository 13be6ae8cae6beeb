import type { WriteFailure, WriteOutcome } from '../../runner/ports/process-host.ts';
import { toLine } from '../lines.ts';

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
 * Those that are being written then are told what became of the write.
 */
export class Outbox {
  readonly #sink: LineSink;
  readonly #onFailure: (outcome: WriteFailure) => void;
  #waiting: Waiting[] = [];
  #isWriting = false;
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
      if (!this.#isWriting) void this.#flush();
    });
  }

  close(reason: WriteFailure): void {
    if (this.#closed) return;
    this.#closed = reason;
    for (const { settle } of this.#waiting.splice(0)) settle(reason);
  }

  #nextWrite(): Waiting[] {
    return this.#waiting.splice(0, together(this.#waiting));
  }

  async #flush(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const lines = this.#nextWrite();
      const data = lines.map(({ line }) => line).join('');
      const outcome = await this.#sink.write(data, lines[0]?.writeId);
      for (const { settle } of lines) settle(outcome);
      if (!outcome.ok) this.#fail(outcome);
    }
    this.#isWriting = false;
  }

  #fail({ code, message }: WriteFailure): void {
    if (this.#closed) return;
    // The lines that wait behind it certainly never left.
    const outcome: WriteFailure = { ok: false, code, message };
    this.close(outcome);
    this.#onFailure(outcome);
  }
}

/** A line that must not be written twice is written alone. */
function together(waiting: readonly Waiting[]): number {
  const named = waiting.findIndex(({ writeId }) => writeId !== undefined);
  return named === -1 ? waiting.length : Math.max(named, 1);
}
