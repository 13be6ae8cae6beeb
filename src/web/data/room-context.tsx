import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { RoomCalls } from '../../client/calls.ts';
import type { QueuedMessage, Session } from '../../protocol/session.ts';
import type { ControlRoom, RoomState } from './control-room.ts';
import { queueOf } from './room.logic.ts';
import type { Depth, SessionFeed } from './session-feed.ts';

const RoomContext = createContext<ControlRoom | null>(null);

export function RoomProvider({
  room,
  children,
}: {
  readonly room: ControlRoom;
  readonly children: ReactNode;
}) {
  return <RoomContext value={room}>{children}</RoomContext>;
}

export function useControlRoom(): ControlRoom {
  const room = useContext(RoomContext);
  if (room === null) throw new Error('There is no RoomProvider around this part of the page.');
  return room;
}

export const useTransport = (): RoomCalls => useControlRoom().transport;

/** A part of what is known; the part decides when to draw anew, so it must be the same value while nothing changed. */
export const useRoom = <T,>(select: (state: RoomState) => T): T => useStore(useControlRoom().store, select);

export const useSession = (sessionId: string): Session | undefined =>
  useRoom((state) => state.sessions[sessionId]);

export const useQueue = (sessionId: string): readonly QueuedMessage[] =>
  useRoom((state) => queueOf(state, sessionId));

/**
 * Follows a session while the part is on the screen. Draws anew on every change, at most once a frame;
 * null before it is followed.
 */
export function useFeed(sessionId: string, depth: Depth, isOnScreen = true): SessionFeed | null {
  const room = useControlRoom();
  const [feed, setFeed] = useState<SessionFeed | null>(null);
  useEffect(() => {
    if (!isOnScreen) return;
    const followed = room.follow(sessionId, depth);
    setFeed(followed.feed);
    return () => {
      setFeed(null);
      followed.release();
    };
  }, [room, sessionId, depth, isOnScreen]);
  useSyncExternalStore(feed?.subscribe ?? never, () => feed?.version ?? -1);
  return feed;
}

const never = (): (() => void) => () => {};
