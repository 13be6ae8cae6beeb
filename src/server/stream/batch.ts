import type { Announcement, SessionNews } from '../../protocol/announcement.ts';
import type { Delta } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { AnnouncementFrame, Frame } from './frame.ts';

/** A way of writing frames down; what it makes is shared by all clients that read it. */
export interface Encoding {
  news(sessionId: SessionId, frames: readonly Frame[]): Buffer;
  announcements(frames: readonly AnnouncementFrame[]): Buffer;
}

/** What one session had to tell within one turn of the event loop. */
export class SessionBatch {
  readonly sessionId: SessionId;
  readonly frames: Frame[] = [];
  /** Of the events among the frames; 0 when there are none. */
  firstSeq = 0;
  lastSeq = 0;
  readonly #encoded = new Map<Encoding, Buffer>();
  #lastDelta: Extract<Frame, { kind: 'delta' }> | undefined;

  constructor(sessionId: SessionId) {
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

  /** For the session's own streams; the others hear announcements of all sessions together. */
  announce(frame: AnnouncementFrame): void {
    this.frames.push(frame);
  }

  encoded(encoding: Encoding): Buffer {
    const known = this.#encoded.get(encoding);
    if (known !== undefined) return known;
    const made = encoding.news(this.sessionId, this.frames);
    this.#encoded.set(encoding, made);
    return made;
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

/** What all sessions together had to announce within one turn of the event loop. */
export class AnnouncementBatch {
  readonly frames: AnnouncementFrame[] = [];
  readonly #encoded = new Map<Encoding, Buffer>();

  add(announcement: Announcement): AnnouncementFrame {
    const frame: AnnouncementFrame = { kind: 'announcement', announcement };
    this.frames.push(frame);
    return frame;
  }

  encoded(encoding: Encoding): Buffer {
    const known = this.#encoded.get(encoding);
    if (known !== undefined) return known;
    const made = encoding.announcements(this.frames);
    this.#encoded.set(encoding, made);
    return made;
  }
}

const continues = (a: Delta, b: Delta): boolean =>
  a.block === b.block &&
  a.messageId === b.messageId &&
  a.kind === b.kind &&
  a.toolCallId === b.toolCallId &&
  a.parentToolCallId === b.parentToolCallId;
