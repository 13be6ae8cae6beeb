import { BeckonError } from '../../client/beckon-error.ts';
import type { Transport } from '../../client/transport.ts';
import type { SessionSnapshot } from '../../protocol/announcement.ts';
import type { Event } from '../../protocol/event.ts';
import type { Session } from '../../protocol/session.ts';

export interface EndOfWatch {
  snapshot(snapshot: SessionSnapshot): void;
  event(event: Event): void;
}

/** Notices when there is no more to see: the session has ended or, if `isOnce`, has nothing more to do. */
export function endOfWatch(
  transport: Transport,
  { isOnce, after }: { readonly isOnce: boolean; readonly after: number },
  handlers: { readonly onCaughtUp: () => void; readonly onOver: (exitCode: number) => void },
): EndOfWatch {
  let seen = after;
  let upTo = Number.POSITIVE_INFINITY;
  let isCaughtUp = false;
  let sessionId = '';

  return {
    snapshot(snapshot) {
      sessionId = snapshot.session.id;
      upTo = snapshot.lastSeq;
      if (seen >= upTo) caughtUp(snapshot.session);
    },
    event(event) {
      seen = event.seq;
      if (seen < upTo) return;
      if (!isCaughtUp || endings.has(event.type)) {
        // The event is of the past already; only the session itself says whether it still holds.
        transport.session(sessionId).then(caughtUp, goneOrLost);
      }
    },
  };

  /** When the server cannot be reached now, the next snapshot tells. */
  function goneOrLost(error: unknown): void {
    if (error instanceof BeckonError && error.code === 'session_not_found') handlers.onOver(0);
  }

  function caughtUp(session: Session): void {
    if (!isCaughtUp) {
      isCaughtUp = true;
      handlers.onCaughtUp();
    }
    const { status, queueLength } = session;
    // What is queued for a sleeping agent waits until somebody wakes it.
    const isAtRest = status === 'asleep' || (status === 'idle' && queueLength === 0);
    if (status === 'stopped') handlers.onOver(0);
    else if (status === 'failed') handlers.onOver(1);
    else if (isOnce && isAtRest) handlers.onOver(0);
  }
}

const endings: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'turn.ended',
  'session.stopped',
  'session.failed',
]);
