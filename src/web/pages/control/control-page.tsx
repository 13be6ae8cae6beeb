import { Plus } from 'lucide-react';
import { Suspense, useMemo, useRef } from 'react';
import { useRoom } from '../../data/room-context.tsx';
import { useOlder } from '../../data/use-older.ts';
import { openDialog } from '../../frame/dialogs.ts';
import { PageHeader } from '../../frame/page-header.tsx';
import { useT } from '../../i18n/i18n.ts';
import { groupByNeed, monitorOrder } from '../../session/need.logic.ts';
import { OlderButton, SessionRow } from '../../session/session-rows.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { densityOf, gridOf } from './grid.logic.ts';
import { Monitor } from './monitor.tsx';
import { NeedSummary } from './need-summary.tsx';
import { useCalmOrder } from './use-calm-order.ts';
import { useFlip } from './use-flip.ts';
import { useGridKeys } from './use-grid-keys.ts';

const FirstSteps = lazyPart(async () => (await import('./first-steps.tsx')).FirstSteps);

/** Every live session at a glance, those that need you first. */
export function ControlPage() {
  const t = useT();
  const sessions = useRoom((room) => room.sessions);
  const isLoaded = useRoom((room) => room.isLoaded);
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useMemo(() => monitorOrder(Object.values(sessions)).map(({ id }) => id), [sessions]);
  const order = useCalmOrder(wanted, grid);
  const asleep = useMemo(
    () =>
      groupByNeed(Object.values(sessions).filter(({ archived }) => archived !== true)).find(
        ({ need }) => need === 'asleep',
      )?.sessions ?? [],
    [sessions],
  );
  const archived = useRoom((room) => room.archived);
  const older = useOlder();
  useFlip(grid, order);
  const onKeyDown = useGridKeys(grid);

  if (!isLoaded) return <Loading />;
  if (Object.keys(sessions).length + archived === 0)
    return (
      <Suspense fallback={<Loading />}>
        <FirstSteps />
      </Suspense>
    );
  const density = densityOf(order.length);
  return (
    <>
      <PageHeader title={t('control.title')} summary={<NeedSummary />}>
        <Button icon={Plus} onClick={() => openDialog({ is: 'new-session' })}>
          {t('control.new')}
        </Button>
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-0.75 pb-6 max-md:px-3 md:in-data-docked:pb-72">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the monitors in it, which take the focus */}
        <div
          ref={grid}
          data-density={density}
          className={cx('grid gap-3', gridOf[density])}
          onKeyDown={onKeyDown}
        >
          {order.map((id) => (
            <Monitor key={id} sessionId={id} density={density} />
          ))}
        </div>
        {order.length === 0 && <p className="py-8 text-center text-faint">{t('control.nothingLive')}</p>}
        {asleep.length > 0 && (
          <details className="group mt-6" open={order.length === 0}>
            <summary className="w-max rounded-ui px-1 font-medium text-soft text-sm marker:text-faint pointer-coarse:py-3">
              {t('control.asleep', { count: asleep.length })}
            </summary>
            <ul className="mt-2 grid gap-x-3 sm:grid-cols-[repeat(auto-fill,minmax(18rem,1fr))]">
              {asleep.map((session) => (
                <li key={session.id} className="min-w-0">
                  <SessionRow session={session} place="control" />
                </li>
              ))}
            </ul>
            <OlderButton older={older} />
          </details>
        )}
      </div>
    </>
  );
}

function Loading() {
  const t = useT();
  return (
    <>
      <PageHeader title={t('control.title')} />
      <div aria-busy className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,22rem),1fr))] gap-3 px-4">
        {[0, 1, 2, 3, 4, 5].map((at) => (
          <Skeleton key={at} className="h-59 rounded-ui" />
        ))}
      </div>
    </>
  );
}
