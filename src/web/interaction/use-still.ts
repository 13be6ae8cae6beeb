import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useRoom } from '../data/room-context.tsx';
import { Stillness } from './stillness.ts';

export interface Still {
  /** Whether a press would be taken now. */
  readonly isStill: boolean;
  /** Whether the press that is under way may decide. */
  takePress(): boolean;
}

/** Guards what a press on an element decides, while it shows what `face` names. `isKnown`: who presses has been at it before. */
export function useStill(area: RefObject<HTMLElement | null>, face: string, isKnown = false): Still {
  const isAsOpened = useRoom((room) => room.isAsOpened);
  const wasThere = isAsOpened || isKnown;
  const [stillness] = useState(() => new Stillness());
  const isStill = useSyncExternalStore(stillness.subscribe, () => stillness.isStill(face));
  useLayoutEffect(() => stillness.show(face, wasThere), [stillness, face, wasThere]);
  useLayoutEffect(
    () => (area.current === null ? undefined : stillness.open(area.current)),
    [stillness, area],
  );
  return { isStill, takePress: () => stillness.takePress() };
}
