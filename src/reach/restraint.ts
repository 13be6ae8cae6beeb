import type { NoticeFeed } from '../engine/ports/notice-feed.ts';
import type { Notice } from '../model/notice.ts';

/** What keeps people from being told more than they need. Moments are those of the clock's `elapsed`. */
export interface Restraint {
  /** It is over, or somebody saw it happen. */
  isNeedless(notice: Notice, readAt: number): boolean;
  /** When it may be told at the earliest; infinite while that cannot be said. */
  dueAt(notice: Notice, readAt: number, graceMs: number): number;
  /** Called when one of these may have changed. */
  onChange(listener: () => void): () => void;
}

export function createRestraint(feed: NoticeFeed): Restraint {
  return {
    isNeedless(notice) {
      const session = feed.session(notice.session.id);
      if (session === undefined) return true;
      if (notice.kind === 'waits')
        return notice.asks.every(({ interactionId }) => !feed.isOpen(session.id, interactionId));
      return notice.kind === 'done' && (session.status === 'running' || session.status === 'waiting');
    },
    dueAt: (_, readAt, graceMs) => readAt + graceMs,
    onChange: () => () => undefined,
  };
}
