import type { Frame } from './message.ts';

// A carrier takes 1 MB at most; the longest character needs six bytes when it is escaped.
const mostInFrame = 128_000;
const mostUnconfirmed = 256;
const mostAgain = 16;
const overdueTicks = 4;
const confirmEvery = 32;
// Images of a message, and a line of an agent, are up to 32 MB.
const mostInText = 128_000_000;

interface Kept {
  readonly frame: Frame;
  /** How often the other side has been heard of since it was sent, without confirming it. */
  waited: number;
}

/** One direction of a connection over a carrier that loses, doubles and reorders: texts are kept until they are confirmed. */
export class Outgoing {
  readonly #send: (frame: Frame) => void;
  /** Not confirmed, in order; so many of them were sent. */
  readonly #kept: Kept[] = [];
  #sent = 0;
  #next = 1;
  #size = 0;

  constructor(send: (frame: Frame) => void) {
    this.#send = send;
  }

  /** How many characters are not confirmed. */
  get size(): number {
    return this.#size;
  }

  push(text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += mostInFrame) {
      const isLast = at + mostInFrame >= text.length;
      const frame = { number: this.#next, text: text.slice(at, at + mostInFrame), isLast };
      this.#next += 1;
      this.#size += frame.text.length;
      this.#kept.push({ frame, waited: 0 });
    }
    this.#sendNew();
  }

  confirmed(number: number): void {
    const first = this.#kept[0]?.frame.number ?? this.#next;
    // Nobody can confirm what was not sent.
    const count = Math.min(number - first + 1, this.#sent);
    if (count <= 0) return;
    for (const { frame } of this.#kept.splice(0, count)) this.#size -= frame.text.length;
    this.#sent -= count;
    this.#sendNew();
  }

  /**
   * `isHeard`: something came from the other side since the last tick. While nothing does, nothing is sent again either: it would pile
   * up in the carrier.
   */
  tick(isHeard: boolean): void {
    if (!isHeard) return;
    let again = 0;
    for (const kept of this.#kept.slice(0, this.#sent)) {
      kept.waited += 1;
      if (kept.waited < overdueTicks || again === mostAgain) continue;
      again += 1;
      kept.waited = 0;
      this.#send(kept.frame);
    }
  }

  #sendNew(): void {
    for (;;) {
      const next = this.#kept[this.#sent];
      if (next === undefined || this.#sent >= mostUnconfirmed) return;
      this.#sent += 1;
      this.#send(next.frame);
    }
  }
}

/** The other end of it: each text once, in order. */
export class Incoming {
  #taken = 0;
  #confirmed = 0;
  #parts: string[] = [];
  #size = 0;
  readonly #early = new Map<number, Frame>();

  /** The number up to which everything has come. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether the other side should be told how far it came. */
  get isToConfirm(): boolean {
    return this.#taken - this.#confirmed >= confirmEvery;
  }

  confirm(): number {
    this.#confirmed = this.#taken;
    return this.#taken;
  }

  /** The texts that are whole with this frame. */
  take(frame: Frame): string[] {
    const texts: string[] = [];
    if (frame.number > this.#taken && frame.number <= this.#taken + mostUnconfirmed)
      this.#early.set(frame.number, frame);
    for (let next = this.#early.get(this.#taken + 1); next; next = this.#early.get(this.#taken + 1)) {
      this.#early.delete(next.number);
      this.#taken = next.number;
      this.#add(next, texts);
    }
    return texts;
  }

  #add({ text, isLast }: Frame, texts: string[]): void {
    this.#size += text.length;
    // Longer than anything that is ever said: it is read to its end and comes to nothing.
    if (this.#size <= mostInText) this.#parts.push(text);
    else this.#parts = [];
    if (!isLast) return;
    texts.push(this.#parts.join(''));
    this.#parts = [];
    this.#size = 0;
  }
}
