import type { SessionId } from '../../protocol/ids.ts';
import type { RoomState } from '../data/control-room.ts';
import { sessionNamed } from '../data/room.logic.ts';
import { routes, sessionIn } from '../routes.ts';
import type { Gaze } from './news.logic.ts';

interface PageGaze extends Gaze {
  readonly session: SessionId | null | undefined;
}

/** What the person has before their eyes, if they have this page there. */
export function gazeAt(location: string, room: RoomState): PageGaze {
  const isHere = !document.hidden && document.hasFocus();
  if (location.startsWith('/s/')) return { isHere, session: sessionNamed(room, sessionIn(location))?.id };
  const showsAll = [routes.control, routes.board, routes.inbox, routes.sessions] as readonly string[];
  return { isHere, session: showsAll.includes(location) ? null : undefined };
}
