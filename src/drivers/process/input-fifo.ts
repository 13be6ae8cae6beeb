import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { WriteOutcome } from '../../runner/ports/process-host.ts';
import { failureOf, InputPipe } from './input-pipe.ts';

/**
 * The writing end of a FIFO. What fits is written at once, so that it can be noted in the same breath; what does not waits until
 * the reader has made room. A reader that went away is a value here, never a crash.
 */
export class InputFifo {
  readonly #fd: number;
  #socket: Socket | undefined;
  #pipe: InputPipe | undefined;
  #isClosed = false;

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

  /** `written` is called in the very moment in which the last byte has left. */
  async write(data: Buffer, written: () => void): Promise<WriteOutcome> {
    if (this.#isClosed) return closed;
    const now = this.#isWaiting ? 0 : this.#writeNow(data);
    if (typeof now !== 'number') return now;
    if (now === data.length) {
      written();
      return done;
    }
    const outcome = await this.#openPipe().write(data.subarray(now));
    if (outcome.ok) written();
    return outcome;
  }

  /** What was written before this still reaches the reader. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#pipe === undefined) closeSync(this.#fd);
    else this.#pipe.close();
  }

  /** Gives up what is still waiting. */
  destroy(): void {
    this.close();
    this.#socket?.destroy();
  }

  get #isWaiting(): boolean {
    return (this.#socket?.writableLength ?? 0) > 0;
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
