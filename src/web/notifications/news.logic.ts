import type { Session } from '../../protocol/session.ts';
import type { Room } from '../data/room.logic.ts';
import { needOf } from '../session/need.logic.ts';
import { titleOfAsk } from '../text/plain-text.ts';

/** What a person wants to hear of, the most urgent first. */
export const urgencies = ['asks', 'failed', 'finished'] as const;
export type Urgency = (typeof urgencies)[number];

export interface News {
  readonly urgency: Urgency;
  readonly sessionId: string;
  /** What it is about, in the words of whoever caused it. */
  readonly about: string;
  readonly interactionId?: string;
}

type Known = Pick<Room, 'sessions' | 'pending'>;

/** What has happened between two states of the room, at most one thing for a session: the most urgent. */
export function newsBetween(before: Known, after: Known): readonly News[] {
  if (before.sessions === after.sessions && before.pending === after.pending) return [];
  const news = new Map<string, News>();
  for (const session of Object.values(after.sessions)) {
    const was = before.sessions[session.id];
    if (was === undefined || was === session) continue;
    if (session.status === 'failed' && was.status !== 'failed')
      news.set(session.id, {
        urgency: 'failed',
        sessionId: session.id,
        about: session.failure?.reason ?? '',
      });
    else if (hasFinished(was, session))
      news.set(session.id, { urgency: 'finished', sessionId: session.id, about: '' });
  }
  const open = new Set(before.pending.map(({ interactionId }) => interactionId));
  for (const asked of after.pending) {
    const { sessionId, interactionId } = asked;
    if (open.has(interactionId) || news.get(sessionId)?.urgency === 'asks') continue;
    news.set(sessionId, { urgency: 'asks', sessionId, interactionId, about: titleOfAsk(asked) });
  }
  return [...news.values()];
}

/** A turn came to its end by itself, and nothing is queued: one that a person interrupted is no news to them. */
function hasFinished(was: Session, is: Session): boolean {
  const wasAtWork = was.status === 'running' || was.status === 'waiting';
  const rests = needOf(is) === 'idle' || needOf(is) === 'asleep';
  return wasAtWork && rests && was.interrupting === null && is.queueLength === 0;
}

export interface Gaze {
  /** Whether the page is in front of the person. */
  readonly isHere: boolean;
  /** The session whose page is open; null on the pages that show all of them; undefined where none is shown. */
  readonly session: string | null | undefined;
}

/** Whether the person sees it happen. */
export const isSeen = ({ sessionId }: News, { isHere, session }: Gaze): boolean =>
  isHere && (session === null || session === sessionId);

/** The most urgent of them. */
export const moreUrgent = (a: News, b: News): News =>
  urgencies.indexOf(b.urgency) < urgencies.indexOf(a.urgency) ? b : a;
