import { Archive, Hand, History, Pin } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Session } from '../../protocol/session.ts';
import type { Older } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { useClock } from '../ui/clock.ts';
import { Time } from '../ui/time.tsx';
import { titleOf } from './activity.logic.ts';
import { StatusMark } from './activity-line.tsx';
import { EditableTitle } from './editable-title.tsx';
import { TrustNote } from './lazy-trust.tsx';
import { useIsUnread } from './read-marks.ts';
import { SessionMenu } from './session-menu.tsx';

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

/** A session in one line of a list. */
export const SessionRow = memo(function SessionRow({
  session,
  place,
  isCurrent = false,
}: {
  readonly session: Session;
  readonly place: 'sidebar' | 'control';
  readonly isCurrent?: boolean;
}) {
  const t = useT();
  return (
    <div
      className={cx(
        'group/row relative flex h-8 min-w-0 items-center rounded-ui transition-colors duration-150 hover:bg-hover pointer-coarse:h-11',
        isCurrent ? 'bg-hover text-ink' : 'text-soft',
      )}
    >
      <EditableTitle session={session} place={place} className="h-full">
        <Link
          href={routes.session(session.id)}
          title={session.title}
          aria-current={isCurrent ? 'page' : undefined}
          className="flex h-full min-w-0 flex-1 items-center gap-2 rounded-ui px-2 outline-offset-[-2px] pointer-coarse:pr-12"
        >
          <StatusMark status={session.status} />
          <span className="sr-only">
            {t(`activity.${session.status === 'running' ? 'thinking' : session.status}`)}
          </span>
          <span
            className={cx('min-w-0 flex-1 truncate', session.status === 'waiting' && 'font-medium text-ink')}
          >
            {titleOf(session)}
          </span>
          {session.pendingCount > (session.status === 'waiting' ? 1 : 0) && (
            <Badge tone="you">
              <Hand aria-hidden className="size-3 shrink-0" />
              <span className="sr-only">{t('board.open', { count: session.pendingCount })}</span>
              <span aria-hidden>{session.pendingCount}</span>
            </Badge>
          )}
          <StateMarks session={session} />
          <Time
            at={session.since}
            className="shrink-0 text-faint text-xs group-focus-within/row:invisible group-hover/row:invisible pointer-coarse:visible!"
          />
        </Link>
        <SessionMenu
          session={session}
          place={place}
          className="absolute right-0.5 opacity-0 focus-visible:opacity-100 group-focus-within/row:opacity-100 group-hover/row:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
        />
      </EditableTitle>
    </div>
  );
});

/** That everything is allowed for a while, that it did something unseen, or is pinned or archived, as a small sign. */
export function StateMarks({ session }: { readonly session: Session }) {
  const t = useT();
  const isUnread = useIsUnread(session);
  const { archived, pinned } = session;
  const kept = archived === true ? 'archived' : pinned === true ? 'pinned' : undefined;
  const Icon = kept === 'archived' ? Archive : Pin;
  return (
    <>
      <TrustNote session={session} as="mark" />
      {session.machine && (
        <span className="max-w-24 shrink-0 truncate text-faint text-xs">{session.machine}</span>
      )}
      {isUnread && (
        <span title={t('life.unread')} className="shrink-0">
          <span aria-hidden className="block size-2 rounded-full bg-ink" />
          <span className="sr-only">{t('life.unread')}</span>
        </span>
      )}
      {kept !== undefined && (
        <span title={t(`life.${kept}`)} className="shrink-0 text-faint">
          <Icon aria-hidden className="size-3" />
          <span className="sr-only">{t(`life.${kept}`)}</span>
        </span>
      )}
    </>
  );
}

/** Asks for sessions that have not been used for long. */
export function OlderButton({ older: { count, isReading, more } }: { readonly older: Older }) {
  const t = useT();
  if (count === 0) return null;
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={History}
      isBusy={isReading}
      onClick={more}
      className="w-full text-soft"
    >
      {t('session.older', { count })}
    </Button>
  );
}
