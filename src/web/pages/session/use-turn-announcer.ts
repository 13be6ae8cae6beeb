import { useEffect, useRef } from 'react';
import { turnEndText } from '../../conversation/notice-row.tsx';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useT } from '../../i18n/i18n.ts';
import { announce } from '../../ui/announcer.tsx';

/** Says the end of each turn to those who do not look: not of those that had ended when the page came. */
export function useTurnAnnouncer(feed: SessionFeed | null): void {
  const t = useT();
  const known = useRef<number | null>(null);
  const isReady = feed?.state === 'ready';
  const end = feed?.conversation.lastEnd ?? null;
  useEffect(() => {
    if (!isReady) return;
    if (known.current !== null && end !== null && end.seq > known.current) announce(turnEndText(t, end));
    known.current = end?.seq ?? 0;
  }, [isReady, end, t]);
}
