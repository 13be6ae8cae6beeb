import { createContext, useCallback, useContext, useId, useLayoutEffect, useMemo, useRef } from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useControlRoom } from '../data/room-context.tsx';
import { cardsOf } from './cards.ts';

/** What the parts of a card tell of which not all may be in sight. */
interface Reading {
  tell(part: string, isRead: boolean): void;
  leave(part: string): void;
}

const ReadingContext = createContext<Reading | null>(null);
export const ReadingProvider = ReadingContext.Provider;

/** Notes an ask as read when there is nothing left in its card that could not have been seen. */
export function useReading(interaction: Interaction): Reading {
  const cards = cardsOf(useControlRoom());
  const parts = useRef(new Map<string, boolean>());
  const shown = useRef(interaction);
  // Parts that come together each tell how they are: only then is it looked at.
  const checkSoon = useCallback(() => {
    queueMicrotask(() => {
      if ([...parts.current.values()].every((isRead) => isRead)) cards.markRead(shown.current);
    });
  }, [cards]);
  useLayoutEffect(() => {
    shown.current = interaction;
    checkSoon();
  }, [interaction, checkSoon]);
  return useMemo(
    () => ({
      tell(part, isRead) {
        parts.current.set(part, isRead || parts.current.get(part) === true);
        checkSoon();
      },
      leave(part) {
        parts.current.delete(part);
        checkSoon();
      },
    }),
    [checkSoon],
  );
}

/** Tells of a part of the card that this is in, if it is in one. What was read once stays read, as long as it is there. */
export function useReadPart(isRead: boolean): void {
  const reading = useContext(ReadingContext);
  const part = useId();
  useLayoutEffect(() => reading?.tell(part, isRead), [reading, part, isRead]);
  useLayoutEffect(() => () => reading?.leave(part), [reading, part]);
}

/** Stands where something of an ask is not shown, or not yet. */
export function NotShown(): null {
  useReadPart(false);
  return null;
}
