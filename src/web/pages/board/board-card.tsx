import { Hand, Tag } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { Session } from '../../../protocol/session.ts';
import { useT } from '../../i18n/i18n.ts';
import { routes } from '../../routes.ts';
import { shortDirectory, titleOf } from '../../session/activity.logic.ts';
import { ActivityLine } from '../../session/activity-line.tsx';
import { EditableTitle } from '../../session/editable-title.tsx';
import { money } from '../../session/figures.logic.ts';
import { SessionMenu } from '../../session/session-menu.tsx';
import { StateMarks } from '../../session/session-rows.tsx';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';

/** A session on the board. */
export const BoardCard = memo(function BoardCard({ session }: { readonly session: Session }) {
  const t = useT();
  const { pendingCount, labels, usage } = session;
  return (
    <div
      className={cx(
        'group/card relative rounded-ui border bg-surface transition-colors duration-150',
        edges[session.status] ?? 'border-line hover:border-line-strong',
      )}
    >
      <EditableTitle session={session} place="board" className="p-1 has-[a]:p-0">
        <Link
          href={routes.session(session.id)}
          data-card
          className="flex min-w-0 flex-1 flex-col gap-1.5 rounded-ui p-2.5 outline-offset-[-2px]"
        >
          <span className="flex items-start justify-between gap-2 pr-5 pointer-coarse:pr-9">
            <span className="line-clamp-2 font-medium wrap-anywhere">{titleOf(session)}</span>
            <span className="flex shrink-0 items-center gap-1">
              <StateMarks session={session} />
              {pendingCount > 0 && (
                <span className="shrink-0">
                  <Badge tone="you">
                    <Hand aria-hidden className="size-3 shrink-0" />
                    <span className="sr-only">{t('board.open', { count: pendingCount })}</span>
                    <span aria-hidden>{pendingCount}</span>
                  </Badge>
                </span>
              )}
            </span>
          </span>
          <ActivityLine session={session} />
          {labels.length > 0 && (
            <span className="flex flex-wrap gap-1">
              {labels.map((label) => (
                <span
                  key={label}
                  className="inline-flex max-w-full items-center gap-1 rounded-tight bg-sunken px-1 text-2xs text-soft leading-4.5"
                >
                  <Tag aria-hidden className="size-2.5 shrink-0" />
                  <span className="truncate">{label}</span>
                </span>
              ))}
            </span>
          )}
          <span className="flex items-baseline justify-between gap-2 text-faint text-xs">
            <span className="min-w-0 truncate" title={session.cwd}>
              {session.agent} · {shortDirectory(session.cwd)}
            </span>
            {usage.costUsd > 0 && (
              <span className="shrink-0" title={t('board.cost')}>
                {money(usage.costUsd, t.language)}
              </span>
            )}
          </span>
        </Link>
        <SessionMenu
          session={session}
          place="board"
          className="absolute top-1 right-1 pointer-coarse:-top-0.5 opacity-0 focus-visible:opacity-100 group-focus-within/card:opacity-100 group-hover/card:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
        />
      </EditableTitle>
    </div>
  );
});

const edges: Partial<Record<Session['status'], string>> = {
  waiting: 'border-you-edge shadow-[inset_3px_0_0_var(--you)] hover:border-you',
  failed: 'border-fail-edge shadow-[inset_3px_0_0_var(--fail)] hover:border-fail',
};
