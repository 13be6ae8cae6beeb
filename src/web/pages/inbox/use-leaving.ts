import { useEffect, useRef, useState } from 'react';
import type { Interaction } from '../../../protocol/interaction.ts';
import { useRoom } from '../../data/room-context.tsx';

/** So long one can see how it ended. */
const lingerMs = 2000;

/** Interactions that were here and have ended a moment ago. */
export function useLeaving(): readonly Interaction[] {
  const pending = useRoom((room) => room.pending);
  const ended = useRoom((room) => room.ended);
  const before = useRef<ReadonlySet<string>>(new Set());
  const [leaving, setLeaving] = useState<readonly Interaction[]>([]);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());

  useEffect(() => {
    const now = new Set<string>(pending.map(({ interactionId }) => interactionId));
    const gone = ended.filter(
      ({ interactionId }) => before.current.has(interactionId) && !now.has(interactionId),
    );
    before.current = now;
    if (gone.length === 0) return;
    const ids = new Set<string>(gone.map(({ interactionId }) => interactionId));
    setLeaving((others) => [...others, ...gone]);
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setLeaving((all) => all.filter(({ interactionId }) => !ids.has(interactionId)));
    }, lingerMs);
    timers.current.add(timer);
  }, [pending, ended]);

  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) clearTimeout(timer);
    };
  }, []);
  return leaving;
}
