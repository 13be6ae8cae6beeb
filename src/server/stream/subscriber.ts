import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnnouncementPage, ControlRoom } from '../../engine/ports/control-room.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { AnnouncementFrame, Batch, Frame, SessionBatch } from './batch.ts';
import type { Broadcast } from './broadcast.ts';
import type { Outbox } from './outbox.ts';

const pageSize = 100;
const stepBytes = 64 * 1024;

/** A session that a client follows, and how far it was told. */
export interface Follow {
  readonly subscriber: Subscriber;
  readonly sessionId: SessionId;
  sentSeq: number;
  /** False while stored events are read for it; live events are then among those still to be read. */
  live: boolean;
  /** Blocks of which a fragment was left out. The rest would read as nonsense, so it is left out until the block is whole. */
  readonly holes: Set<string>;
}

/** How one client's stream writes things down. */
export interface Encoding {
  /** Of news of what it follows, or of announcements. Clients with the same key write the same. */
  key(follow?: Follow): string;
  news(follow: Follow, frames: readonly Frame[]): Buffer;
  announcements(frames: readonly AnnouncementFrame[]): Buffer;
  /** All that is now, said after things had to be left out. */
  resync(): Buffer;
}

/** One connected client: what it follows, and how it is kept up to date. */
export class Subscriber {
  readonly outbox: Outbox;
  readonly #room: ControlRoom;
  readonly #broadcast: Broadcast;
  readonly #encoding: Encoding;
  readonly #onError: (error: unknown) => void;
  readonly #onRemoved: (() => void) | undefined;
  readonly #follows = new Map<SessionId, Follow>();
  #cursor = '';
  #catchingUp = false;
  #closed = false;

  constructor(options: {
    readonly room: ControlRoom;
    readonly broadcast: Broadcast;
    readonly outbox: Outbox;
    readonly encoding: Encoding;
    readonly onError: (error: unknown) => void;
    /** A session that it followed is no more. */
    readonly onRemoved?: () => void;
  }) {
    this.#room = options.room;
    this.#broadcast = options.broadcast;
    this.outbox = options.outbox;
    this.#encoding = options.encoding;
    this.#onError = options.onError;
    this.#onRemoved = options.onRemoved;
  }

  /** Behind all announcements that it was told. */
  get cursor(): string {
    return this.#cursor;
  }

  get follows(): ReadonlyMap<SessionId, Follow> {
    return this.#follows;
  }

  hearEverything(): void {
    this.#broadcast.join(this);
    this.#cursor = this.#room.announcementCursor();
  }

  /**
   * Tells what was announced behind the cursor, at the pace the client reads, and calls `begin` in the very moment in which nothing
   * is left to tell; with false when it cannot all be told.
   */
  resume(cursor: string, begin: (isWhole: boolean) => void): void {
    this.#cursor = cursor;
    this.#tellAgain(begin).catch(this.#onError);
  }

  /**
   * Follows a session from after the given event on, or from now. `lastSeq` must be the session's this very moment:
   * the caller takes its snapshot and calls this in one go. Call `catchUp` when the snapshot is said.
   */
  follow(sessionId: SessionId, lastSeq: number, after: number | undefined): Follow {
    this.unfollow(sessionId);
    const sentSeq = Math.min(after ?? lastSeq, lastSeq);
    const follow = {
      subscriber: this,
      sessionId,
      sentSeq,
      live: sentSeq === lastSeq,
      holes: new Set<string>(),
    };
    this.#follows.set(sessionId, follow);
    this.#broadcast.follow(follow);
    return follow;
  }

  unfollow(sessionId: SessionId): void {
    const follow = this.#follows.get(sessionId);
    if (follow === undefined) return;
    this.#follows.delete(sessionId);
    this.#broadcast.unfollow(follow);
  }

  takeNews(batch: SessionBatch, follow: Follow): void {
    if (this.outbox.choked) {
      this.outbox.leaveOut();
      return;
    }
    if (follow.live && batch.firstSeq > follow.sentSeq + 1) {
      // A hole in what was published would be a hole in the client's log: the stored events fill it.
      follow.live = false;
      this.catchUp();
    }
    const everything =
      follow.live && follow.holes.size === 0 && isNext(batch, follow) && !this.outbox.lagging;
    const encode = (frames: readonly Frame[]): Buffer => this.#encoding.news(follow, frames);
    this.outbox.push(
      everything ? batch.encoded(this.#encoding.key(follow), encode) : encode(this.#wanted(batch, follow)),
    );
    if (follow.live && batch.lastSeq > follow.sentSeq) follow.sentSeq = batch.lastSeq;
  }

  takeAnnouncements(batch: Batch<AnnouncementFrame>): void {
    if (this.outbox.choked) {
      this.outbox.leaveOut();
      return;
    }
    this.outbox.push(batch.encoded(this.#encoding.key(), (frames) => this.#encoding.announcements(frames)));
    this.#cursor = batch.frames.findLast(({ cursor }) => cursor !== undefined)?.cursor ?? this.#cursor;
  }

  flush(): void {
    this.outbox.flush();
  }

  sessionRemoved(sessionId: SessionId): void {
    this.unfollow(sessionId);
    this.#onRemoved?.();
  }

  /** Says all that is now, and goes on with the events after the last one sent. */
  resync(): void {
    if (this.#closed) return;
    // While still choked: what is handed out here is in the snapshot.
    this.#broadcast.flush();
    this.outbox.recover();
    this.#cursor = this.#room.announcementCursor();
    for (const follow of this.#follows.values()) {
      follow.live = false;
      follow.holes.clear();
    }
    try {
      this.outbox.pushSnapshot(this.#encoding.resync());
      this.flush();
      this.catchUp();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Sends stored events to whatever is behind, at the pace the client reads. */
  catchUp(): void {
    if (this.#catchingUp || this.#closed) return;
    this.#catchingUp = true;
    this.#readBehind()
      .catch(this.#onError)
      .finally(() => {
        this.#catchingUp = false;
      });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#broadcast.leave(this);
    for (const sessionId of [...this.#follows.keys()]) this.unfollow(sessionId);
  }

  async #readBehind(): Promise<void> {
    for (let follow = this.#firstBehind(); follow !== undefined; follow = this.#firstBehind()) {
      if (!this.outbox.full) {
        this.#broadcast.flush();
        this.#readStep(follow);
      }
      if (this.outbox.full) await this.outbox.drained();
      else if (!follow.live) await nextTurn();
    }
  }

  /**
   * Sends the next stored events, as many as the client takes. When the store has no more, the session is live from this very
   * moment: nothing can be published between the reading and the switch, and nothing is sent twice, because live events up to
   * `sentSeq` are left out.
   */
  #readStep(follow: Follow): void {
    const page = this.#room.eventsAfter(follow.sessionId, follow.sentSeq, pageSize);
    let bytes = 0;
    for (const event of page) {
      bytes += this.outbox.push(this.#encoding.news(follow, [{ kind: 'event', event }]));
      follow.sentSeq = event.seq;
      if (bytes < stepBytes) continue;
      this.outbox.flush();
      bytes = 0;
      if (this.outbox.full) return;
    }
    this.outbox.flush();
    follow.live = page.length < pageSize;
  }

  async #tellAgain(begin: (isWhole: boolean) => void): Promise<void> {
    while (!this.#closed && !this.outbox.closed) {
      const page = this.#room.announcementsAfter(this.#cursor, pageSize);
      if (page === undefined) return begin(false);
      if (this.#tellPage(page) && page.isAll) return begin(true);
      if (this.outbox.full) await this.outbox.drained();
      else await nextTurn();
    }
  }

  /** False when the client takes no more for now. */
  #tellPage({ announcements, cursor: end }: AnnouncementPage): boolean {
    let bytes = 0;
    for (const { announcement, cursor } of announcements) {
      bytes += this.outbox.push(
        this.#encoding.announcements([{ kind: 'announcement', announcement, cursor }]),
      );
      this.#cursor = cursor;
      if (bytes < stepBytes) continue;
      this.outbox.flush();
      bytes = 0;
      if (this.outbox.full) return false;
    }
    this.outbox.flush();
    this.#cursor = end;
    return true;
  }

  #firstBehind(): Follow | undefined {
    if (this.#closed || this.outbox.closed) return undefined;
    for (const follow of this.#follows.values()) if (!follow.live) return follow;
    return undefined;
  }

  #wanted(batch: SessionBatch, follow: Follow): Frame[] {
    const { lagging } = this.outbox;
    return batch.frames.filter((frame) => isWanted(frame, follow, lagging));
  }
}

function isWanted(frame: Frame, follow: Follow, lagging: boolean): boolean {
  switch (frame.kind) {
    case 'announcement':
      return true;
    case 'event':
      if (!follow.live || frame.event.seq <= follow.sentSeq) return false;
      closeHole(follow, frame.event);
      return true;
    case 'delta':
      if (lagging) follow.holes.add(placeOfDelta(frame.delta));
      return !follow.holes.has(placeOfDelta(frame.delta));
  }
}

/** Where a fragment belongs: the event that ends a block has the same place as the block's deltas. */
const placeOfDelta = (delta: Delta): string => `${delta.messageId}/${delta.block}`;

const placeOfEvent = (event: Event): string | undefined =>
  'agentMessageId' in event ? `${event.agentMessageId}/${event.block}` : undefined;

const isNext = (batch: SessionBatch, follow: Follow): boolean =>
  batch.firstSeq === 0 || batch.firstSeq === follow.sentSeq + 1;

function closeHole({ holes }: Follow, event: Event): void {
  if (holes.size === 0) return;
  const place = placeOfEvent(event);
  if (place !== undefined) holes.delete(place);
  if (event.type === 'turn.ended') holes.clear();
}
