import { useEffect, useRef } from 'react';
import { useControlRoom } from '../data/room-context.tsx';
import { translate } from '../i18n/i18n.ts';
import { titleOf } from '../session/activity.logic.ts';
import { titleOfAsk } from '../text/plain-text.ts';
import { announce } from '../ui/announcer.tsx';

/** Says each new interaction to those who do not look: not the ones that were open when the page came. */
export function AskAnnouncer() {
  const room = useControlRoom();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(
    () =>
      room.store.subscribe(({ pending, sessions, isLoaded }) => {
        if (!isLoaded) return;
        const before = known.current;
        known.current = new Set(pending.map(({ interactionId }) => interactionId));
        const fresh =
          before === null ? [] : pending.filter(({ interactionId }) => !before.has(interactionId));
        for (const asked of fresh) {
          const session = sessions[asked.sessionId];
          const title = titleOfAsk(asked);
          announce(translate()('frame.asks', { session: session ? titleOf(session) : '', title }));
        }
      }),
    [room],
  );
  return null;
}
