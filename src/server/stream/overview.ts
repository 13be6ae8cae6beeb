import type { Overview } from '../../engine/ports/control-room.ts';
import type { PartialBlock } from '../../protocol/announcement.ts';
import type { ClientId, SessionId } from '../../protocol/ids.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import type { StreamContext } from './context.ts';

/** All that is now, with what is being said right now in the sessions that the client follows. */
export function overviewFor(
  { room, unlocks }: StreamContext,
  clientId: ClientId,
  followed: Iterable<SessionId>,
): Overview & {
  readonly clientId: ClientId;
  readonly unlocks: readonly Unlock[];
  readonly partials: Record<string, readonly PartialBlock[]>;
} {
  const partials: Record<string, readonly PartialBlock[]> = {};
  const overview = room.overview();
  const sessions = new Map(overview.sessions.map((session) => [session.id, session]));
  for (const sessionId of followed) {
    const now = room.snapshot(sessionId);
    if (!now.ok) continue;
    partials[sessionId] = now.value.partial;
    sessions.set(sessionId, now.value.session);
  }
  return { clientId, ...overview, sessions: [...sessions.values()], unlocks: unlocks(), partials };
}
