import { Inbox } from 'lucide-react';
import { useMemo } from 'react';
import { useRoom } from '../../data/room-context.tsx';
import { PageHeader } from '../../frame/page-header.tsx';
import { useT } from '../../i18n/i18n.ts';
import { needOf } from '../../session/need.logic.ts';
import { SessionRow } from '../../session/session-rows.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** So many of those at work are named. */
const mostNamed = 6;

/** Nothing waits; what is running is the other half of the answer. */
export function InboxEmpty() {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const isLoaded = useRoom((room) => room.isLoaded);
  const working = useMemo(
    () => Object.values(sessions).filter((each) => needOf(each) === 'working'),
    [sessions],
  );
  if (!isLoaded) {
    return (
      <>
        <PageHeader title={t('frame.inbox')} />
        <div aria-busy className="flex flex-col gap-2 px-4">
          <Skeleton className="h-16 max-w-88" />
          <Skeleton className="h-16 max-w-88" />
          <Skeleton className="h-16 max-w-88" />
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader title={t('frame.inbox')} />
      <EmptyState icon={Inbox} title={t('inbox.empty')}>
        <p>{working.length === 0 ? t('inbox.noneRunning') : t('inbox.running', { count: working.length })}</p>
        {working.length > 0 && (
          <ul className="w-72 max-w-full rounded-ui border border-line bg-surface p-1 text-left">
            {working.slice(0, mostNamed).map((session) => (
              <li key={session.id}>
                <SessionRow session={session} place="control" />
              </li>
            ))}
          </ul>
        )}
      </EmptyState>
    </>
  );
}
