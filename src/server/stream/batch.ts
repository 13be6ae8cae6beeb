import type { Announcement, SessionNews } from '../../protocol/announcement.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';

/** One thing that clients are told. Its JSON is made once, whoever and how many they are. */
export type Frame =
  | { readonly kind: 'event'; readonly event: Event; json?: string }
  | { readonly kind: 'delta'; delta: Delta; json?: string }
  | AnnouncementFrame;

export interface AnnouncementFrame {
  readonly kind: 'announcement';
  readonly announcement: Announcement;
  /** Behind it; undefined for what cannot be told again. */
  readonly cursor: string | undefined;
  json?: string;
}

/** The frame's payload as it was published. */
export function jsonOf(frame: Frame): string {
  frame.json ??= JSON.stringify(payloadOf(frame));
  return frame.json;
}

/** The payload with its session named, for streams that carry several. */
export function jsonWithSession(frame: Frame, sessionId: SessionId): string {
  const json = jsonOf(frame);
  if (frame.kind === 'event' && 'sessionId' in frame.event) return json;
  return `{"sessionId":${JSON.stringify(sessionId)},${json.slice(1)}`;
}

/** What was gathered within one turn of the event loop; written down once for all clients whose words are the same. */
export class Batch<F extends Frame> {
  readonly frames: F[] = [];
  readonly #encoded = new Map<string, Buffer>();

  encoded(key: string, encode: (frames: readonly F[]) => Buffer): Buffer {
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const made = encode(this.frames);
    this.#encoded.set(key, made);
    return made;
  }
}

/** What one session had to tell: news for its followers, and for its own streams also its announcements. */
export class SessionBatch extends Batch<Frame> {
  readonly sessionId: SessionId;
  /** Of the events among the frames; 0 when there are none. */
  firstSeq = 0;
  lastSeq = 0;
  #lastDelta: Extract<Frame, { kind: 'delta' }> | undefined;

  constructor(sessionId: SessionId) {
    super();
    this.sessionId = sessionId;
  }

  add(news: SessionNews): void {
    if (news.type === 'delta') {
      this.#addDelta(news.delta);
      return;
    }
    this.#lastDelta = undefined;
    this.frames.push({ kind: 'event', event: news.event });
    if (this.firstSeq === 0) this.firstSeq = news.event.seq;
    this.lastSeq = news.event.seq;
  }

  /** An agent speaks in fragments of a few letters: those of one block that come together leave together. */
  #addDelta(delta: Delta): void {
    const last = this.#lastDelta;
    if (last !== undefined && continues(last.delta, delta)) {
      last.delta = { ...last.delta, text: last.delta.text + delta.text };
      return;
    }
    this.#lastDelta = { kind: 'delta', delta };
    this.frames.push(this.#lastDelta);
  }
}

const continues = (a: Delta, b: Delta): boolean =>
  a.block === b.block &&
  a.messageId === b.messageId &&
  a.kind === b.kind &&
  a.toolCallId === b.toolCallId &&
  a.parentToolCallId === b.parentToolCallId;

function payloadOf(frame: Frame): unknown {
  switch (frame.kind) {
    case 'event':
      return frame.event;
    case 'delta':
      return frame.delta;
    case 'announcement':
      return frame.announcement.data;
  }
}
