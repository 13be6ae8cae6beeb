import type { Writable } from 'node:stream';

const prefixBytes = 8;
/** A start carries its whole environment, a write a whole message with its pictures. */
const mostHeadBytes = 1024 * 1024;
const mostBodyBytes = 256 * 1024 * 1024;
/** A stranger that has not said hello gets no memory of ours. */
const mostUnknownBytes = 64 * 1024;

export interface Frame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** The length of the head and of the body (32 bits each, big-endian), the head as JSON, the body as it is. */
export function writeFrame(to: Writable, head: object, body: Buffer = noBytes): void {
  const text = JSON.stringify(head);
  const headBytes = Buffer.byteLength(text);
  const start = Buffer.allocUnsafe(prefixBytes + headBytes);
  start.writeUInt32BE(headBytes, 0);
  start.writeUInt32BE(body.length, 4);
  start.write(text, prefixBytes);
  if (body.length === 0) {
    to.write(start);
    return;
  }
  // One call of the system for both, without a copy of the body.
  to.cork();
  to.write(start);
  to.write(body);
  to.uncork();
}

/** Cuts a stream of bytes into frames. Throws on bytes that are none; nothing can be read after that. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #parts: Buffer[] = [];
  #have = 0;
  #need = prefixBytes;
  #isTrusted: boolean;

  constructor(onFrame: (frame: Frame) => void, { trusted }: { trusted: boolean }) {
    this.#onFrame = onFrame;
    this.#isTrusted = trusted;
  }

  /** From here on frames may be large. */
  trust(): void {
    this.#isTrusted = true;
  }

  feed(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    // A frame of many chunks is joined once, when all of it is there.
    if (this.#have < this.#need) return;
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#have);
    this.#keep(bytes.subarray(this.#read(bytes)));
  }

  #read(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      this.#need = prefixBytes;
      if (bytes.length - at < this.#need) return at;
      const headBytes = bytes.readUInt32BE(at);
      const bodyBytes = bytes.readUInt32BE(at + 4);
      this.#check(headBytes, bodyBytes);
      this.#need = prefixBytes + headBytes + bodyBytes;
      if (bytes.length - at < this.#need) return at;
      const bodyAt = at + prefixBytes + headBytes;
      const head = parseHead(bytes.toString('utf8', at + prefixBytes, bodyAt));
      at += this.#need;
      this.#onFrame({ head, body: bytes.subarray(bodyAt, at) });
    }
  }

  #check(headBytes: number, bodyBytes: number): void {
    const fits = this.#isTrusted
      ? headBytes <= mostHeadBytes && bodyBytes <= mostBodyBytes
      : headBytes + bodyBytes <= mostUnknownBytes;
    if (!fits) throw new Error(`A frame of ${headBytes} and ${bodyBytes} bytes is too large`);
  }

  #keep(rest: Buffer): void {
    this.#parts = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
  }
}

function parseHead(text: string): Frame['head'] {
  const head: unknown = JSON.parse(text);
  if (typeof head !== 'object' || head === null || Array.isArray(head)) {
    throw new Error('The head of a frame is no object');
  }
  return head as Frame['head'];
}

const noBytes = Buffer.alloc(0);
