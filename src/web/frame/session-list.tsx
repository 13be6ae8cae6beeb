import { Plus, Search } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useRoute } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { useOlder } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { countOf, groupByNeed, type NeedGroup } from '../session/need.logic.ts';
import { OlderButton } from '../session/older-button.tsx';
import { SessionRow } from '../session/session-row.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { openDialog } from './dialogs.ts';
import { places } from './places.ts';

/** All sessions, grouped by what they want of you. */
export function SessionList() {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const isLoaded = useRoom((room) => room.isLoaded);
  const older = useOlder();
  const groups = useMemo(() => groupByNeed(Object.values(sessions)), [sessions]);
  return (
    <>
      <div className="flex h-13 shrink-0 items-center justify-between pr-2 pl-4">
        <h2 className="font-semibold">{t('frame.sessions')}</h2>
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
          keys="Mod+K"
          onClick={() => openDialog({ is: 'palette' })}
          className="md:hidden"
        />
        <IconButton
          icon={Plus}
          label={t('control.new')}
          keys="n"
          onClick={() => openDialog({ is: 'new-session' })}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {!isLoaded && <ListShape />}
        {isLoaded && groups.length === 0 && (
          <p className="px-2 text-faint text-sm">{t('frame.noSessions')}</p>
        )}
        {groups.map((group) => (
          <Group key={group.need} group={group} hasOlder={older.count > 0} />
        ))}
        <OlderButton older={older} />
      </div>
    </>
  );
}

function Group({ group, hasOlder }: { readonly group: NeedGroup; readonly hasOlder: boolean }) {
  const { need, sessions } = group;
  const t = useT();
  const [, params] = useRoute<{ id: string }>('/s/:id');
  const isQuiet = need === 'ended';
  return (
    <details open={!isQuiet || sessions.some(({ status }) => status === 'failed')} className="mb-2">
      <summary
        className={cx(
          'flex list-none items-center justify-between rounded-ui px-2 py-1 font-medium text-xs [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11',
          need === 'needs-you' ? 'text-you-ink' : 'text-faint',
        )}
      >
        {t(`need.${need}`)}
        <span>{countOf(group, hasOlder)}</span>
      </summary>
      <ul>
        {sessions.map((session) => (
          <li key={session.id} className="[contain-intrinsic-size:auto_32px] [content-visibility:auto]">
            <SessionRow session={session} isCurrent={params?.id === session.id} />
          </li>
        ))}
      </ul>
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
