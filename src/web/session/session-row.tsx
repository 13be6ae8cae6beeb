import { Archive, Hand, Pin } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { titleOf } from './activity.logic.ts';
import { StatusMark } from './activity-line.tsx';
import { EditableTitle } from './editable-title.tsx';
import { useIsUnread } from './read-marks.ts';
import { SessionMenu } from './session-menu.tsx';

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

/** That it did something unseen, or is pinned or archived, as a small sign. */
export function StateMarks({ session }: { readonly session: Session }) {
  const t = useT();
  const isUnread = useIsUnread(session);
  const { archived, pinned } = session;
  const kept = archived === true ? 'archived' : pinned === true ? 'pinned' : undefined;
  const Icon = kept === 'archived' ? Archive : Pin;
  return (
    <>
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
