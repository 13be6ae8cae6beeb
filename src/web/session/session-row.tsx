import { Hand } from 'lucide-react';
import { Link } from 'wouter';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { titleOf } from './activity.logic.ts';
import { StatusMark } from './activity-line.tsx';

/** A session in one line of a list. */
export function SessionRow({
  session,
  isCurrent = false,
}: {
  readonly session: Session;
  readonly isCurrent?: boolean;
}) {
  const t = useT();
  return (
    <Link
      href={routes.session(session.id)}
      title={session.title}
      aria-current={isCurrent ? 'page' : undefined}
      className={cx(
        'flex h-8 min-w-0 items-center gap-2 rounded-ui px-2 transition-colors duration-150 hover:bg-hover pointer-coarse:h-11',
        isCurrent ? 'bg-hover text-ink' : 'text-soft',
      )}
    >
      <StatusMark status={session.status} />
      <span className="sr-only">
        {t(`activity.${session.status === 'running' ? 'thinking' : session.status}`)}
      </span>
      <span className={cx('min-w-0 flex-1 truncate', session.status === 'waiting' && 'font-medium text-ink')}>
        {titleOf(session)}
      </span>
      {session.pendingCount > (session.status === 'waiting' ? 1 : 0) && (
        <Badge tone="you">
          <Hand aria-hidden className="size-3 shrink-0" />
          <span className="sr-only">{t('board.open', { count: session.pendingCount })}</span>
          <span aria-hidden>{session.pendingCount}</span>
        </Badge>
      )}
      <Time at={session.since} className="shrink-0 text-faint text-xs" />
    </Link>
  );
}
