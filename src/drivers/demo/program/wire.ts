import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from './json.ts';

const NEWLINE = 0x0a;
const WRITTEN = Promise.resolve();

/** Calls back with each line of bytes, whole, however the chunks are cut. */
export function readLines(input: Readable, onLine: (line: string) => void, onEnd: () => void): void {
  let pieces: Buffer[] = [];
  const finishLine = (last: Buffer): void => {
    const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    onLine(line.toString('utf8'));
  };
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      finishLine(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  });
  input.on('end', () => {
    if (pieces.length > 0) finishLine(Buffer.alloc(0));
    onEnd();
  });
}

/** The way out: whole lines, in order. A promise given back settles when the pipe takes more. */
export class Wire {
  readonly #output: Writable;
  #drained: Promise<void> | undefined;
  #gone = false;

  constructor(output: Writable) {
    this.#output = output;
    // A host that died leaves a broken pipe; the turn goes on unattended, as the real program's does.
    output.on('error', () => {
      this.#gone = true;
    });
  }

  send(line: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(line)}\n`);
  }

  write(bytes: string | Uint8Array): Promise<void> {
    if (this.#gone || this.#output.write(bytes)) return WRITTEN;
    this.#drained ??= new Promise((resolve) => {
      const settle = (): void => {
        this.#drained = undefined;
        this.#output.off('drain', settle).off('error', settle).off('close', settle);
        // Not at once: a fast reader would otherwise keep us writing, and our own input unread.
        setImmediate(resolve);
      };
      this.#output.on('drain', settle).on('error', settle).on('close', settle);
    });
    return this.#drained;
  }

  /** Settles when everything written so far has left the process. */
  flush(): Promise<void> {
    if (this.#gone) return WRITTEN;
    return new Promise((resolve) => {
      this.#output.write('', () => resolve());
    });
  }
}
