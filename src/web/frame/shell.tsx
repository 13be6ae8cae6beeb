import { type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { usePreferences } from '../data/preferences.ts';
import { useRoom } from '../data/room-context.tsx';
import { Dock } from '../dock/dock.tsx';
import { useT } from '../i18n/i18n.ts';
import { pageOf } from '../routes.ts';
import { useReadMarksKept } from '../session/read-marks.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { LiveRegions } from '../ui/live-regions.tsx';
import { SidePanel } from '../ui/side-panel.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AskAnnouncer } from './ask-announcer.tsx';
import { BottomTabs } from './bottom-tabs.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { Dialogs } from './dialogs-view.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { Rail } from './rail.tsx';
import { SessionList } from './session-list.tsx';
import { StorageBar } from './storage-bar.tsx';
import { useTabBadge } from './tab-badge.ts';
import { useGlobalKeys } from './use-keys.ts';

const Notifier = lazyPart(
  async () => (await import('../notifications/notifier.tsx')).Notifier,
  () => null,
);
const Looking = lazyPart(
  async () => (await import('../notifications/looking.tsx')).Looking,
  () => null,
);
const UnlockBar = lazyPart(async () => (await import('./unlock-bar.tsx')).UnlockBar);

/** What stays while pages change: rail, list of sessions, dock, bars and dialogs. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const [location] = useLocation();
  const isListOpen = usePreferences((preferences) => preferences.isListOpen);
  const isUnlockAsked = useRoom((room) => room.unlocks.length > 0);
  useGlobalKeys();
  useTabBadge();
  useReadMarksKept();
  return (
    <div className="flex h-full flex-col">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-ui focus:bg-ink focus:px-3 focus:py-2 focus:text-inverse"
      >
        {t('frame.skip')}
      </a>
      <ConnectionBar />
      <StorageBar />
      <Suspense>{isUnlockAsked && <UnlockBar />}</Suspense>
      <div className="flex min-h-0 flex-1">
        <Rail />
        <SidePanel side="left" label={t('frame.sessions')} isOpen={isListOpen}>
          <SessionList />
        </SidePanel>
        <div className="relative flex min-w-0 flex-1 flex-col">
          <main
            id="page"
            tabIndex={-1}
            key={pageOf(location)}
            className="flex min-h-0 flex-1 flex-col outline-none"
          >
            <PageBoundary>
              <Suspense fallback={<PageShape />}>{children}</Suspense>
            </PageBoundary>
          </main>
          <Dock />
        </div>
      </div>
      <BottomTabs />
      <Dialogs />
      <LiveRegions within={null} />
      <AskAnnouncer />
      <Suspense>
        <Notifier />
      </Suspense>
      <Suspense>
        <Looking />
      </Suspense>
    </div>
  );
}

const PageShape = () => (
  <div aria-busy className="flex flex-col gap-3 p-4">
    <Skeleton className="h-6 w-48" />
    <Skeleton className="h-24" />
    <Skeleton className="h-24" />
  </div>
);
