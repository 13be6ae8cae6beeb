import { isObject, type JsonObject } from './fields.ts';

const longestLine = 32 * 1024 * 1024;
const headBytes = 256;
const newline = 10;
const carriageReturn = 13;

export interface LineSplitterOptions {
  /** `endOffset` counts the bytes fed so far, up to and with the line's newline. */
  onLine(line: string, endOffset: number): void;
  onOverlong?(line: OverlongLine): void;
  maxLineBytes?: number;
}

/** A line that was too long to keep: how long it was, and how it began. */
export interface OverlongLine {
  bytes: number;
  head: Buffer;
}

/**
 * Cuts a stream of bytes into lines. Cutting comes before decoding, so a character that
 * two chunks share is never torn.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  readonly #maxLineBytes: number;
  // The parts of an unfinished line are joined once, at its end: joining at each chunk
  // would copy a line of 32 MB hundreds of times.
  #parts: Buffer[] = [];
  #partBytes = 0;
  #skipping: OverlongLine | undefined;
  #consumed = 0;
  #stopped = false;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? longestLine;
  }

  feed(chunk: Buffer): void {
    let start = 0;
    while (!this.#stopped) {
      const end = chunk.indexOf(newline, start);
      if (end === -1) break;
      this.#finishLine(chunk, start, end, 1);
      start = end + 1;
    }
    if (start < chunk.length && !this.#stopped) this.#keep(chunk.subarray(start));
  }

  /** The stream is over: what came after the last newline is a line, too. */
  end(): void {
    if (this.#stopped) return;
    if (this.#partBytes > 0 || this.#skipping) this.#finishLine(Buffer.alloc(0), 0, 0, 0);
    this.stop();
  }

  /** From here on nothing is given out, not even the rest of a chunk being cut. */
  stop(): void {
    this.#stopped = true;
    this.#parts = [];
    this.#partBytes = 0;
    this.#skipping = undefined;
  }

  #finishLine(chunk: Buffer, start: number, end: number, terminatorBytes: number): void {
    const bytes = (this.#skipping?.bytes ?? this.#partBytes) + end - start;
    this.#consumed += bytes + terminatorBytes;
    if (this.#skipping || bytes > this.#maxLineBytes) {
      const head = this.#headWith(chunk.subarray(start, end));
      this.#forgetParts();
      this.#options.onOverlong?.({ bytes, head });
      return;
    }
    if (this.#partBytes === 0) {
      this.#options.onLine(decode(chunk, start, end), this.#consumed);
      return;
    }
    const line = Buffer.concat([...this.#parts, chunk.subarray(start, end)], bytes);
    this.#forgetParts();
    this.#options.onLine(decode(line, 0, bytes), this.#consumed);
  }

  #keep(part: Buffer): void {
    const bytes = (this.#skipping?.bytes ?? this.#partBytes) + part.length;
    if (this.#skipping || bytes > this.#maxLineBytes) {
      const head = this.#headWith(part);
      this.#forgetParts();
      this.#skipping = { bytes, head };
      return;
    }
    this.#parts.push(part);
    this.#partBytes = bytes;
  }

  #headWith(part: Buffer): Buffer {
    const begun = this.#skipping ? [this.#skipping.head] : this.#parts;
    const pieces: Buffer[] = [];
    let missing = headBytes;
    for (const piece of [...begun, part]) {
      if (missing === 0) break;
      pieces.push(piece.subarray(0, missing));
      missing -= Math.min(missing, piece.length);
    }
    return Buffer.concat(pieces);
  }

  #forgetParts(): void {
    this.#skipping = undefined;
    if (this.#partBytes === 0) return;
    this.#parts = [];
    this.#partBytes = 0;
  }
}

function decode(bytes: Buffer, start: number, end: number): string {
  const last = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
  return bytes.toString('utf8', start, last);
}

/** The object that a line of an agent is, or why it is none; whatever comes, it does not throw. */
export function objectIn(
  line: string,
):
  | { readonly kind: 'object'; readonly message: JsonObject }
  | { readonly kind: 'blank' }
  | { readonly kind: 'problem'; readonly problem: 'not-json' | 'not-an-object' } {
  if (line.trim() === '') return { kind: 'blank' };
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? { kind: 'object', message } : { kind: 'problem', problem: 'not-an-object' };
  } catch {
    return { kind: 'problem', problem: 'not-json' };
  }
}

/** JSON leaves two signs as they are that some readers take for the end of a line. */
export const toLine = (message: object): string =>
  `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
