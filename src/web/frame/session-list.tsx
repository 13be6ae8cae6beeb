import { Archive, ArrowLeft, ListFilter, Plus, Search } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { useArchived, useOlder } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { sessionPattern } from '../routes.ts';
import { countOf, type ListGroup, listGroups } from '../session/need.logic.ts';
import {
  choicesOf,
  fits,
  isFiltered,
  setFilter,
  useSessionFilter,
  wordsOf,
} from '../session/session-filter.ts';
import { OlderButton, OlderRows, SessionRow, SessionRows, useOldBefore } from '../session/session-rows.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { openDialog } from './dialogs.ts';
import { places } from './places.ts';

const SessionFilterBar = lazyPart(
  async () => (await import('../session/session-filter-bar.tsx')).SessionFilterBar,
);

/** All sessions that are not archived, or those that are, grouped by what they want of you. */
export function SessionList() {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const isLoaded = useRoom((room) => room.isLoaded);
  const filter = useSessionFilter('sidebar');
  const [isBarOpen, setBarOpen] = useState(() => isFiltered(filter));
  const isArchive = filter.status === 'archived';
  const archived = useArchived(isArchive);
  const older = useOlder(wordsOf(filter));
  const oldBefore = useOldBefore();
  const all = useMemo(() => Object.values(sessions), [sessions]);
  const choices = useMemo(() => choicesOf(all), [all]);
  const groups = useMemo(() => {
    const shown = all.filter((session) => fits(session, filter));
    return listGroups(shown, filter.sort, isArchive ? '' : oldBefore);
  }, [all, filter, isArchive, oldBefore]);
  return (
    <>
      <div className="flex h-13 shrink-0 items-center justify-between pr-2 pl-4">
        <h2 className="font-semibold">{t(isArchive ? 'life.archived' : 'frame.sessions')}</h2>
        <span className="flex-1" />
        {/* The rail has these where there is one. */}
        <Link
          href={places.board.href}
          aria-label={t('frame.board')}
          className="inline-flex size-11 items-center justify-center rounded-ui text-faint hover:text-ink md:hidden"
        >
          <places.board.icon aria-hidden className="size-4" />
        </Link>
        <IconButton
          icon={Search}
          label={t('frame.palette')}
          shortcut="everywhere.palette"
          onClick={() => openDialog({ is: 'palette' })}
          className="md:hidden"
        />
        <IconButton
          icon={ListFilter}
          label={t('filter.open')}
          aria-expanded={isBarOpen}
          onClick={() => setBarOpen(!isBarOpen)}
          className={cx(isFiltered(filter) && 'bg-hover text-ink')}
        />
        <IconButton
          icon={Plus}
          label={t('control.new')}
          shortcut="everywhere.new-session"
          onClick={() => openDialog({ is: 'new-session' })}
        />
      </div>
      {isBarOpen && (
        <Suspense>
          <SessionFilterBar list="sidebar" choices={choices} className="px-3 pb-3" />
        </Suspense>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {!isLoaded && <ListShape />}
        {isLoaded && groups.length === 0 && (
          <p className="px-2 pb-2 text-faint text-sm">
            {t(isArchive ? 'life.noArchived' : isFiltered(filter) ? 'board.noneHere' : 'frame.noSessions')}
          </p>
        )}
        {groups.map((group) => (
          <Group
            key={group.need}
            group={group}
            hasOlder={older.count > 0}
            isOpen={isFiltered(filter) || group.need !== 'ended'}
          />
        ))}
        <OlderButton older={isArchive ? archived : older} />
        <ArchiveButton isArchive={isArchive} />
      </div>
    </>
  );
}

/** The way to what was put away, and back. */
function ArchiveButton({ isArchive }: { readonly isArchive: boolean }) {
  const t = useT();
  const count = useRoom((room) => room.archived);
  if (count === 0 && !isArchive) return null;
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={isArchive ? ArrowLeft : Archive}
      onClick={() => setFilter('sidebar', { status: isArchive ? '' : 'archived' })}
      className="mt-1 w-full text-soft"
    >
      {isArchive ? t('life.leaveArchived') : t('life.archivedCount', { count })}
    </Button>
  );
}

const rowClass = '[contain-intrinsic-size:auto_32px] [content-visibility:auto]';

function Group({
  group: { need, sessions, older },
  hasOlder,
  isOpen,
}: {
  readonly group: ListGroup;
  readonly hasOlder: boolean;
  readonly isOpen: boolean;
}) {
  const t = useT();
  const [, params] = useRoute(sessionPattern);
  const rows = (shown: ListGroup['sessions']) => (
    <ul>
      <SessionRows sessions={shown} itemClass={rowClass}>
        {(session) => <SessionRow session={session} place="sidebar" isCurrent={params?.id === session.id} />}
      </SessionRows>
    </ul>
  );
  return (
    <details open={isOpen || sessions.some(({ status }) => status === 'failed')} className="mb-2">
      <summary
        className={cx(
          'flex list-none items-center justify-between rounded-ui px-2 py-1 font-medium text-xs [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11',
          need === 'needs-you' ? 'text-you-ink' : 'text-faint',
        )}
      >
        {t(need === 'pinned' ? 'life.pinned' : `need.${need}`)}
        <span>{countOf(need, sessions.length + older.length, hasOlder)}</span>
      </summary>
      {rows(sessions)}
      <OlderRows count={older.length}>{rows(older)}</OlderRows>
    </details>
  );
}

const ListShape = () => (
  <div aria-busy className="flex flex-col gap-3 px-2 py-1">
    {['w-4/5', 'w-3/5', 'w-2/3', 'w-1/2'].map((width) => (
      <Skeleton key={width} className={cx('h-4', width)} />
    ))}
  </div>
);
