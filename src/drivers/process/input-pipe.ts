import type { Writable } from 'node:stream';
import type { WriteOutcome } from '../../runner/ports/process-host.ts';

/** The writing end of a pipe. A reader that went away is a value here, never a crash. */
export class InputPipe {
  readonly #stream: Writable;
  #failure: WriteOutcome | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Without a listener, EPIPE would end the whole server.
    stream.on('error', (error) => {
      this.#failure ??= failureOf(error);
    });
  }

  /** Settles when the bytes have left for the reader, so that awaiting it is back-pressure. */
  write(data: string | Buffer): Promise<WriteOutcome> {
    return new Promise((resolve) => {
      this.#stream.write(data, (error) => {
        resolve(error ? (this.#failure ?? failureOf(error)) : { ok: true });
      });
    });
  }

  close(): void {
    this.#stream.end();
  }
}

export function failureOf(error: NodeJS.ErrnoException): WriteOutcome {
  return { ok: false, code: error.code ?? 'write-failed', message: error.message };
}
