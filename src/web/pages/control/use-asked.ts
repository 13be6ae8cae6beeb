import { useEffect, useState } from 'react';
import type { Interaction } from '../../../protocol/interaction.ts';
import { useRoom } from '../../data/room-context.tsx';

/** How it ended can be read before it leaves. */
const keptMs = 1600;

/** What a session waits for. A tool may ask again at once in the same place: what it asked stays a moment after it was answered. */
export function useAsked(sessionId: string): Interaction | undefined {
  const asked = useRoom((room) =>
    room.pending.find((each) => each.sessionId === sessionId && each.leftOpen === undefined),
  );
  const [kept, setKept] = useState<Interaction>();
  useEffect(() => {
    if (asked !== undefined) {
      setKept(asked.tool === undefined ? undefined : asked);
      return;
    }
    const timer = setTimeout(() => setKept(undefined), keptMs);
    return () => clearTimeout(timer);
  }, [asked]);
  const isOver = useRoom((room) =>
    room.ended.some(({ interactionId }) => interactionId === kept?.interactionId),
  );
  return asked ?? (isOver ? kept : undefined);
}
