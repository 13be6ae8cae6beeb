import type { Clock } from '../engine/ports/clock.ts';
import type { Presence } from '../engine/ports/control-room.ts';
import type { NoticeFeed } from '../engine/ports/notice-feed.ts';
import { isMuted, mutedFor } from '../model/muted.ts';
import type { Notice, NoticeKind } from '../model/notice.ts';
import { type QuietHours, quietFor } from '../model/quiet-hours.ts';

/** What keeps people from being told more than they need. Moments are those of the clock's `elapsed`. */
export interface Restraint {
  /** It is over, or somebody saw it happen. */
  isNeedless(notice: Notice, readAt: number): boolean;
  /** When it may be told at the earliest; infinite while that cannot be said. */
  dueAt(notice: Notice, readAt: number, graceMs: number): number;
  /** Called when one of these may have changed. */
  onChange(listener: () => void): () => void;
}

export interface RestraintOptions {
  readonly feed: NoticeFeed;
  readonly presence: Presence;
  readonly clock: Clock;
  readonly quiet?: Quiet | undefined;
}

export interface Quiet extends QuietHours {
  /** What is told also then. */
  readonly except?: readonly NoticeKind[] | undefined;
}

/** What ended longer ago, while no server ran, is no news any more. */
const longestNewsMs = 86_400_000;

export function createRestraint({ feed, presence, clock, quiet }: RestraintOptions): Restraint {
  return {
    isNeedless(notice, readAt) {
      const session = feed.session(notice.session.id);
      if (session === undefined) return true;
      if (notice.kind === 'waits')
        return notice.asks.every(({ interactionId }) => !feed.isOpen(session.id, interactionId));
      const isAtWork = session.status === 'running' || session.status === 'waiting';
      if (notice.kind === 'done' && isAtWork) return true;
      const now = Date.parse(clock.now());
      const isOld = now - Date.parse(notice.at) > longestNewsMs;
      return isOld || presence.lastSeen(session.id) > readAt || isMuted(session, now);
    },
    /** That somebody looked at what waits answers nothing: when they turn away, the grace begins again. */
    dueAt(notice, readAt, graceMs) {
      const session = feed.session(notice.session.id);
      const muted = session === undefined ? 0 : mutedFor(session, Date.parse(clock.now()));
      if (presence.isLookedAt(notice.session.id)) return Number.POSITIVE_INFINITY;
      const seen = Math.max(readAt, presence.lastSeen(notice.session.id));
      const held = Math.max(muted, quietLeft(notice.kind));
      // Without the question, what is not held would be due a moment after whenever one asks.
      return held === 0 ? seen + graceMs : Math.max(seen + graceMs, clock.elapsed() + held);
    },
    onChange: (listener) => presence.onChange(listener),
  };

  function quietLeft(kind: Notice['kind']): number {
    const isExcepted = quiet?.except?.some((each) => each === kind) === true;
    return quiet === undefined || isExcepted ? 0 : quietFor(quiet, Date.parse(clock.now()));
  }
}
