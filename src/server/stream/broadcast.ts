import type { ControlRoom, News } from '../../engine/ports/control-room.ts';
import type { Announcement } from '../../protocol/announcement.ts';
import type { SessionId } from '../../protocol/ids.ts';
import { type AnnouncementFrame, Batch, SessionBatch } from './batch.ts';
import type { Follow, Subscriber } from './subscriber.ts';

/**
 * Passes on what the room publishes: gathered over one turn of the event loop, written down once per encoding, and handed to
 * those who follow the session and to nobody else. News of a session that nobody follows cost one look into a map.
 */
export class Broadcast {
  readonly #everyone = new Set<Subscriber>();
  readonly #follows = new Map<SessionId, Set<Follow>>();
  readonly #stopListening: () => void;
  readonly #onError: (error: unknown) => void;
  #batches = new Map<SessionId, SessionBatch>();
  #announcements = new Batch<AnnouncementFrame>();
  #removed: SessionId[] = [];
  #due: Haste | undefined;
  #frame: NodeJS.Timeout | undefined;

  constructor(room: ControlRoom, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#stopListening = room.listen((news) => this.#publish(news));
  }

  /** From now on the subscriber hears every announcement. What was published before is out: it is in its snapshot. */
  join(subscriber: Subscriber): void {
    this.flush();
    this.#everyone.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#everyone.delete(subscriber);
  }

  follow(follow: Follow): void {
    this.flush();
    const follows = this.#follows.get(follow.sessionId);
    if (follows === undefined) this.#follows.set(follow.sessionId, new Set([follow]));
    else follows.add(follow);
  }

  unfollow(follow: Follow): void {
    const follows = this.#follows.get(follow.sessionId);
    follows?.delete(follow);
    if (follows?.size === 0) this.#follows.delete(follow.sessionId);
  }

  /** Hands out what was gathered so far, so that whoever takes a snapshot now hears nothing of it twice. */
  flush(): void {
    this.#due = undefined;
    clearTimeout(this.#frame);
    const batches = this.#batches;
    const announcements = this.#announcements;
    const removed = this.#removed;
    if (batches.size === 0 && announcements.frames.length === 0) return;
    this.#batches = new Map();
    this.#announcements = new Batch();
    this.#removed = [];

    const touched = new Set<Subscriber>();
    try {
      for (const batch of batches.values()) this.#handOut(batch, touched);
      if (announcements.frames.length > 0) this.#handOutToAll(announcements, touched);
    } catch (error) {
      // Followers notice the missing numbers with the next event and read what they lack from the store.
      this.#onError(error);
    }
    for (const subscriber of touched) subscriber.flush();
    for (const sessionId of removed) {
      for (const follow of this.#follows.get(sessionId) ?? []) follow.subscriber.sessionRemoved(sessionId);
    }
  }

  /** The last things that happened are still told. */
  close(): void {
    this.#stopListening();
    this.flush();
    this.#everyone.clear();
    this.#follows.clear();
  }

  #handOut(batch: SessionBatch, touched: Set<Subscriber>): void {
    for (const follow of this.#follows.get(batch.sessionId) ?? []) {
      follow.subscriber.takeNews(batch, follow);
      touched.add(follow.subscriber);
    }
  }

  #handOutToAll(batch: Batch<AnnouncementFrame>, touched: Set<Subscriber>): void {
    for (const subscriber of this.#everyone) {
      subscriber.takeAnnouncements(batch);
      touched.add(subscriber);
    }
  }

  #publish(news: News): void {
    if (news.kind === 'announcement') this.announce(news.announcement, news.cursor);
    else if (this.#follows.has(news.sessionId)) {
      this.#batchOf(news.sessionId).add(news.news);
      this.#schedule('this turn');
    }
  }

  /** Tells everyone something, also what is the server's own and not the room's. */
  announce(announcement: Announcement, cursor?: string): void {
    const sessionId = 'sessionId' in announcement.data ? announcement.data.sessionId : undefined;
    const followed = sessionId !== undefined && this.#follows.has(sessionId);
    if (!followed && this.#everyone.size === 0) return;
    const frame: AnnouncementFrame = { kind: 'announcement', announcement, cursor };
    this.#announcements.frames.push(frame);
    if (followed) this.#batchOf(sessionId).frames.push(frame);
    if (announcement.type === 'session-removed') this.#removed.push(announcement.data.sessionId);
    this.#schedule(hasteOf(announcement));
  }

  #batchOf(sessionId: SessionId): SessionBatch {
    const known = this.#batches.get(sessionId);
    if (known !== undefined) return known;
    const batch = new SessionBatch(sessionId);
    this.#batches.set(sessionId, batch);
    return batch;
  }

  #schedule(haste: Haste): void {
    if (this.#due !== undefined && hastes.indexOf(this.#due) <= hastes.indexOf(haste)) return;
    this.#due = haste;
    const flush = (): void => {
      // Done already, together with something more urgent.
      if (this.#due === haste) this.flush();
    };
    if (haste === 'now') queueMicrotask(flush);
    else if (haste === 'this turn') setImmediate(flush);
    else this.#frame = setTimeout(flush, frameMs).unref();
  }
}

const hastes = ['now', 'this turn', 'this frame'] as const;
type Haste = (typeof hastes)[number];

/** No eye sees more, and the states of fifty busy sessions leave in one write instead of hundreds. */
const frameMs = 16;

function hasteOf({ type }: Announcement): Haste {
  switch (type) {
    // A person or an agent waits for these: they do not wait for what other sessions say in the same turn.
    case 'approval-requested':
    case 'question-requested':
    case 'form-requested':
    case 'approval-cancelled':
      return 'now';
    // Whoever answered has the reply; the others are told with what comes next.
    case 'approval-resolved':
    case 'session-updated':
      return 'this frame';
    default:
      return 'this turn';
  }
}
