import type { Frame } from './message.ts';

// A carrier takes 1 MB at most; the longest character needs six bytes when it is escaped.
const mostInFrame = 128_000;
const mostUnconfirmed = 256;
const mostAgain = 16;
const overdueTicks = 4;
// Half a second each: what is said to somebody who was silent for longer waits for them in the stream.
const mostSilent = 2;
const mostTogether = 32;
const confirmEvery = 32;
// Images of a message, and a line of an agent, are up to 32 MB.
const mostInText = 128_000_000;

interface Kept {
  readonly frame: Frame;
  /** How often the other side has been heard of since it was sent, without confirming it. */
  waited: number;
}

/**
 * `direct`: to the other side, if it listens at this moment. `kept`: into the stream, where it waits for the other side. Direct costs a
 * fraction of it.
 */
export type Way = 'direct' | 'kept';

/** `soon`: with what is said next, or a moment later. `later`: with what is said next, or at the next tick. */
type Urgency = 'now' | 'soon' | 'later';

/** One direction of a connection over a carrier that loses, doubles and reorders: texts are kept until they are confirmed. */
export class Outgoing {
  readonly #send: (frames: readonly Frame[], way: Way) => void;
  readonly #inAMoment: (work: () => void) => void;
  /** Not confirmed, in order; so many of them were sent. */
  readonly #kept: Kept[] = [];
  #sent = 0;
  #next = 1;
  #size = 0;
  #silentTicks = 0;
  #isSoonSent = false;

  constructor(send: (frames: readonly Frame[], way: Way) => void, inAMoment: (work: () => void) => void) {
    this.#send = send;
    this.#inAMoment = inAMoment;
  }

  /** How many characters are not confirmed. */
  get size(): number {
    return this.#size;
  }

  push(text: string, urgency: Urgency = 'now'): void {
    for (let at = 0; at === 0 || at < text.length; at += mostInFrame) {
      const isLast = at + mostInFrame >= text.length;
      const frame = { number: this.#next, text: text.slice(at, at + mostInFrame), isLast };
      this.#next += 1;
      this.#size += frame.text.length;
      this.#kept.push({ frame, waited: 0 });
    }
    if (urgency === 'now' || this.#kept.length - this.#sent >= mostTogether) this.#sendNew();
    else if (urgency === 'soon' && !this.#isSoonSent) {
      this.#isSoonSent = true;
      this.#inAMoment(() => {
        this.#isSoonSent = false;
        this.#sendNew();
      });
    }
  }

  confirmed(number: number): void {
    const first = this.#kept[0]?.frame.number ?? this.#next;
    const isFull = this.#sent >= mostUnconfirmed;
    // Nobody can confirm what was not sent.
    const count = Math.min(number - first + 1, this.#sent);
    if (count <= 0) return;
    for (const { frame } of this.#kept.splice(0, count)) this.#size -= frame.text.length;
    this.#sent -= count;
    if (isFull) this.#sendNew();
  }

  /**
   * `isHeard`: something came from the other side since the last tick. While nothing does, nothing is sent again either: it would pile
   * up in the carrier.
   */
  tick(isHeard: boolean): void {
    this.#silentTicks = isHeard ? 0 : this.#silentTicks + 1;
    if (isHeard) this.#sendAgain();
    this.#sendNew();
  }

  #sendAgain(): void {
    const again: Frame[] = [];
    for (const kept of this.#kept.slice(0, this.#sent)) {
      kept.waited += 1;
      if (kept.waited < overdueTicks || again.length === mostAgain) continue;
      again.push(kept.frame);
      kept.waited = 0;
    }
    // Both ways: one of them may be closed for long, as a stream is that is full.
    for (const frames of together(again)) for (const way of ways) this.#send(frames, way);
  }

  #sendNew(): void {
    const count = Math.min(this.#kept.length, mostUnconfirmed) - this.#sent;
    if (count <= 0) return;
    const news = this.#kept.slice(this.#sent, this.#sent + count).map(({ frame }) => frame);
    this.#sent += count;
    const way = this.#silentTicks < mostSilent ? 'direct' : 'kept';
    for (const frames of together(news)) this.#send(frames, way);
  }
}

const ways: readonly Way[] = ['direct', 'kept'];

/** In messages that the carrier takes. */
function together(frames: readonly Frame[]): readonly (readonly Frame[])[] {
  const messages: Frame[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const frame of frames) {
    const last = messages.at(-1);
    size += frame.text.length;
    if (last && last.length < mostTogether && size <= mostInFrame) last.push(frame);
    else {
      messages.push([frame]);
      size = frame.text.length;
    }
  }
  return messages;
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

  get hasUnconfirmed(): boolean {
    return this.#taken > this.#confirmed;
  }

  /** Whether the other side should be told at once how far it came. */
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
