import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Row } from '../../conversation/row.ts';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { toast } from '../../ui/toast.tsx';

/** An address may name an event, by `?at=`: its row is shown once, and the address is that of the session again. */
export function usePlaceInAddress(feed: SessionFeed | null, reveal: (row: Row) => void): void {
  const t = useT();
  const [path, navigate] = useLocation();
  const seq = Number(new URLSearchParams(useSearch()).get('at'));
  const isReady = feed?.state === 'ready';
  useEffect(() => {
    if (feed === null || !isReady || !Number.isInteger(seq) || seq < 1) return;
    let isWanted = true;
    feed
      .rowAt(seq)
      .then((row) => isWanted && row !== undefined && reveal(row))
      .catch((error: unknown) => isWanted && toast('fail', errorText(t, error)))
      .finally(() => isWanted && navigate(path, { replace: true }));
    return () => {
      isWanted = false;
    };
  }, [feed, isReady, seq, path, navigate, reveal, t]);
}
