import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ControlRoom } from '../../engine/ports/control-room.ts';
import type { Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { AnnouncementBatch, SessionBatch } from './batch.ts';
import type { Broadcast } from './broadcast.ts';
import { catchUpStep } from './catch-up.ts';
import { type Frame, placeOfDelta, placeOfEvent } from './frame.ts';
import type { Outbox } from './outbox.ts';

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

/** How one kind of stream puts things into words. */
export interface Voice {
  /** What all clients of this kind can share, or undefined when this client's words are its own. */
  shared(batch: SessionBatch): Buffer | undefined;
  news(follow: Follow, frames: readonly Frame[]): Buffer;
  announcements(batch: AnnouncementBatch): Buffer;
  /** All that is now, said after things had to be left out. */
  resync(): Buffer;
  sessionRemoved(sessionId: SessionId): void;
}

/** One connected client: what it follows, and how it is kept up to date. */
export class Subscriber {
  readonly outbox: Outbox;
  readonly #room: ControlRoom;
  readonly #broadcast: Broadcast;
  readonly #voice: Voice;
  readonly #onError: (error: unknown) => void;
  readonly #follows = new Map<SessionId, Follow>();
  #catchingUp = false;
  #closed = false;

  constructor(options: {
    readonly room: ControlRoom;
    readonly broadcast: Broadcast;
    readonly outbox: Outbox;
    readonly voice: Voice;
    readonly onError: (error: unknown) => void;
  }) {
    this.#room = options.room;
    this.#broadcast = options.broadcast;
    this.outbox = options.outbox;
    this.#voice = options.voice;
    this.#onError = options.onError;
  }

  get follows(): ReadonlyMap<SessionId, Follow> {
    return this.#follows;
  }

  hearEverything(): void {
    this.#broadcast.join(this);
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
    const shared = everything ? this.#voice.shared(batch) : undefined;
    this.outbox.push(shared ?? this.#voice.news(follow, this.#wanted(batch, follow)));
    if (follow.live && batch.lastSeq > follow.sentSeq) follow.sentSeq = batch.lastSeq;
  }

  takeAnnouncements(batch: AnnouncementBatch): void {
    if (this.outbox.choked) this.outbox.leaveOut();
    else this.outbox.push(this.#voice.announcements(batch));
  }

  flush(): void {
    this.outbox.flush();
  }

  sessionRemoved(sessionId: SessionId): void {
    this.unfollow(sessionId);
    this.#voice.sessionRemoved(sessionId);
  }

  /** Says all that is now, and goes on with the events after the last one sent. */
  resync(): void {
    if (this.#closed) return;
    // While still choked: what is handed out here is in the snapshot.
    this.#broadcast.flush();
    this.outbox.recover();
    for (const follow of this.#follows.values()) {
      follow.live = false;
      follow.holes.clear();
    }
    try {
      this.outbox.pushSnapshot(this.#voice.resync());
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
        catchUpStep({ room: this.#room, follow, outbox: this.outbox, voice: this.#voice });
      }
      if (this.outbox.full) await this.outbox.drained();
      else if (!follow.live) await nextTurn();
    }
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

const isNext = (batch: SessionBatch, follow: Follow): boolean =>
  batch.firstSeq === 0 || batch.firstSeq === follow.sentSeq + 1;

function closeHole({ holes }: Follow, event: Event): void {
  if (holes.size === 0) return;
  const place = placeOfEvent(event);
  if (place !== undefined) holes.delete(place);
  if (event.type === 'turn.ended') holes.clear();
}
