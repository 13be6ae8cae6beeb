import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { WriteOutcome } from '../../runner/ports/process-host.ts';

/**
 * The writing end of a FIFO. What fits is written at once, so that it can be noted in the same breath; what does not waits until
 * the reader has made room, and what comes after it waits with it. A reader that went away is a value here, never a crash.
 */
export class InputFifo {
  readonly #fd: number;
  #socket: Socket | undefined;
  #pipe: InputPipe | undefined;
  /** The last of those that wait. */
  #last: Promise<unknown> | undefined;
  #isClosed = false;
  readonly #released = Promise.withResolvers<void>();
  #isDestroyed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Undefined when nobody reads it. */
  static open(path: string): InputFifo | undefined {
    try {
      return new InputFifo(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      return undefined;
    }
  }

  /**
   * `written` is called in the very moment in which the last byte has left. `byAnother` has someone else write it, when all that
   * was written before is in; undefined where there is nobody.
   */
  write(
    data: Buffer,
    written: () => void,
    byAnother?: () => Promise<WriteOutcome> | undefined,
  ): Promise<WriteOutcome> {
    if (this.#isClosed) return Promise.resolve(closed);
    const now = this.#last === undefined && byAnother === undefined ? this.#writeNow(data) : 0;
    if (typeof now !== 'number') return Promise.resolve(now);
    if (now === data.length) {
      written();
      return Promise.resolve(done);
    }
    return this.inTurn(() => byAnother?.() ?? this.#writeRest(data.subarray(now), written));
  }

  /** What comes after waits for this. */
  inTurn(write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    if (this.#isClosed) return Promise.resolve(closed);
    const turn = Promise.resolve(this.#last).then(() => (this.#isDestroyed ? closed : write()));
    this.#last = turn;
    void turn.then(() => {
      if (this.#last !== turn) return;
      this.#last = undefined;
      if (this.#isClosed) this.#release();
    });
    return turn;
  }

  /** What was written before this still reaches the reader; settles when it has. */
  close(): Promise<void> {
    if (!this.#isClosed && this.#last === undefined) this.#release();
    this.#isClosed = true;
    return this.#released.promise;
  }

  /** Gives up what is still waiting. */
  destroy(): void {
    this.#isDestroyed = true;
    void this.close();
    this.#socket?.destroy();
  }

  #release(): void {
    if (this.#pipe === undefined) closeSync(this.#fd);
    else this.#pipe.close();
    this.#released.resolve();
  }

  async #writeRest(data: Buffer, written: () => void): Promise<WriteOutcome> {
    const outcome = await this.#openPipe().write(data);
    if (outcome.ok) written();
    return outcome;
  }

  #writeNow(data: Buffer): number | WriteOutcome {
    try {
      return writeSync(this.#fd, data);
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      return failure.code === 'EAGAIN' ? 0 : failureOf(failure);
    }
  }

  #openPipe(): InputPipe {
    this.#socket ??= new Socket({ fd: this.#fd, readable: false, writable: true });
    this.#pipe ??= new InputPipe(this.#socket);
    return this.#pipe;
  }
}

const done: WriteOutcome = { ok: true };
const closed: WriteOutcome = { ok: false, code: 'input-closed', message: 'The input is closed' };

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

function failureOf(error: NodeJS.ErrnoException): WriteOutcome {
  return { ok: false, code: error.code ?? 'write-failed', message: error.message };
}
