import { type ReactNode, useState } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { useClock } from '../ui/clock.ts';

/** So many are drawn at once: thousands would hold up every change of a list. */
const atOnce = 400;

/** Sessions one below the other, the first hundreds and then more on demand. */
export function SessionRows({
  sessions,
  itemClass,
  children,
}: {
  readonly sessions: readonly Session[];
  readonly itemClass: string;
  readonly children: (session: Session) => ReactNode;
}) {
  const t = useT();
  const [most, setMost] = useState(atOnce);
  return (
    <>
      {sessions.slice(0, most).map((session) => (
        <li key={session.id} className={itemClass}>
          {children(session)}
        </li>
      ))}
      {sessions.length > most && (
        <li>
          <Button
            variant="ghost"
            size="sm"
            onClick={() => setMost(most + atOnce)}
            className="w-full text-soft"
          >
            {t('life.more', { count: Math.min(atOnce, sessions.length - most) })}
          </Button>
        </li>
      )}
    </>
  );
}

/** Folded away until they are asked for. */
export function OlderRows({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-ui px-2 py-1 text-faint text-xs pointer-coarse:py-3">
        {t('life.older', { count })}
      </summary>
      {isOpen && children}
    </details>
  );
}

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

/** What ended before this is old. It moves with the hours, so that lists are not drawn anew all the time. */
export function useOldBefore(): string {
  const hour = useClock((now) => Math.floor(now / hourMs));
  return new Date(hour * hourMs - weekMs).toISOString();
}
