import { MessageSquareDashed, OctagonX } from 'lucide-react';
import { memo, Suspense, useCallback, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Session } from '../../../protocol/session.ts';
import { useChangesView } from '../../changes/use-changes-view.ts';
import { Composer } from '../../composer/composer.tsx';
import type { Row } from '../../conversation/row.ts';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { useFeed, useTransport } from '../../data/room-context.tsx';
import { useNamedSession } from '../../data/use-older.ts';
import { useKeys } from '../../frame/use-keys.ts';
import { useT } from '../../i18n/i18n.ts';
import { PolicyBanner } from '../../policy/policy-banner.tsx';
import { routes } from '../../routes.ts';
import { FailureNote } from '../../session/failure-note.tsx';
import { useSessionActions } from '../../session/use-session-actions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useMedium } from '../../ui/media.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { ConversationShape } from './conversation-edges.tsx';
import { type ConversationHandle, ConversationView } from './conversation-view.tsx';
import { useOpenness } from './openness.ts';
import { SessionDetails } from './session-details.tsx';
import { SessionHeader } from './session-header.tsx';
import { usePlaceInAddress } from './use-place-in-address.ts';
import { useTurnAnnouncer } from './use-turn-announcer.ts';

const ChangesView = lazyPart(async () => (await import('../../changes/changes-view.tsx')).ChangesView);

/** One session. Its address may also name it by its key. */
export function SessionPage({ sessionId }: { readonly sessionId: string }) {
  const session = useNamedSession(sessionId);
  if (session === undefined) return <ConversationShape />;
  return session === null ? <UnknownSession /> : <KnownSession key={session.id} session={session} />;
}

function KnownSession({ session }: { readonly session: Session }) {
  const t = useT();
  const feed = useFeed(session.id, 'whole');
  const control = useOpenness();
  const handle = useRef<ConversationHandle>(null);
  const details = useDetails();
  const changes = useChangesView(session, feed);
  const { toggle: toggleChanges, isAlone: areChangesAlone } = changes;
  useTurnAnnouncer(feed);
  const toOwnMessage = useCallback((step: -1 | 1) => handle.current?.toOwnMessage(step), []);
  useKeys('session', {
    latest: () => handle.current?.toLatest(),
    tools: control.toggleDetails,
    'message-before': () => toOwnMessage(-1),
    'message-after': () => toOwnMessage(1),
    changes: toggleChanges,
  });
  const { closeDialog } = details;
  const reveal = useCallback(
    (row: Row) => {
      closeDialog();
      handle.current?.reveal(row);
    },
    [closeDialog],
  );
  usePlaceInAddress(feed, reveal);
  const toOldestAsk = useCallback(() => {
    const asking = feed?.conversation.firstOpen();
    if (asking !== undefined) reveal(asking);
  }, [feed, reveal]);
  const shape = feed?.conversation.shape ?? 0;
  // There is no room for both.
  const areDetailsBeside = details.isBeside && !changes.isOpen;
  const panel = (
    <SessionDetails
      session={session}
      feed={feed}
      shape={shape}
      isReading={feed?.isReadingOlder === true}
      onReveal={reveal}
    />
  );
  return (
    <div className="flex min-h-0 flex-1">
      <div className={areChangesAlone ? 'hidden' : 'flex min-w-0 flex-1 flex-col'}>
        <SessionHeader
          session={session}
          conversation={feed?.conversation}
          shape={shape}
          areDetailsShown={areDetailsBeside}
          onDetails={details.toggle}
          changed={changes.totals}
          areChangesShown={changes.isOpen}
          onChanges={toggleChanges}
          onBell={toOldestAsk}
          onJump={toOwnMessage}
        />
        {feed === null ? (
          <div className="min-h-0 flex-1 overflow-hidden bg-surface">
            <ConversationShape />
          </div>
        ) : (
          <ConversationView
            ref={handle}
            session={session}
            feed={feed}
            control={control}
            isHidden={areChangesAlone}
          />
        )}
        <div className="shrink-0 bg-surface">
          <div className="mx-auto flex w-full max-w-190 flex-col gap-2 px-4 pt-1 pb-4 max-md:px-3 max-md:pb-3">
            {session.failure !== null && <FailureNote session={session} canResume={false} />}
            <PolicyBanner session={session} />
            <HeldNote session={session} />
            <OverdueNote session={session} />
            <QuietComposer session={session} />
          </div>
        </div>
      </div>
      {changes.isOpen && (
        <Suspense fallback={<div aria-busy className="min-w-80 flex-1" />}>
          <ChangesView session={session} place={changes} />
        </Suspense>
      )}
      <SidePanel side="right" label={t('header.details')} isOpen={areDetailsBeside}>
        {panel}
      </SidePanel>
      {details.isInDialog && (
        <Dialog title={t('header.details')} onClose={details.closeDialog}>
          {panel}
        </Dialog>
      )}
    </div>
  );
}

/** The page is drawn with every frame while the agent speaks; what one types in is not. */
const QuietComposer = memo(Composer);

/** Beside the conversation where there is room, and remembered; else in a dialog. */
function useDetails() {
  const isWide = useMedium('wide');
  const isOpen = usePreferences((preferences) => preferences.isDetailsOpen);
  const [isInDialog, setInDialog] = useState(false);
  const closeDialog = useCallback(() => setInDialog(false), []);
  return {
    isBeside: isWide && isOpen,
    isInDialog: isInDialog && !isWide,
    toggle: useCallback(
      () => (isWide ? setPreferences({ isDetailsOpen: !isOpen }) : setInDialog(true)),
      [isWide, isOpen],
    ),
    closeDialog,
  };
}

/** Why nothing more comes from an agent that has asked more than anyone can look through. */
function HeldNote({ session }: { readonly session: Session }) {
  const t = useT();
  if (session.held === undefined) return null;
  return (
    <p role="status" className="rounded-ui border border-line-strong bg-surface px-3 py-2 text-sm">
      {t('session.held', { count: session.pendingCount })}
    </p>
  );
}

/** An interrupt that was not obeyed in time: the stronger word is offered, never spoken by itself. */
function OverdueNote({ session }: { readonly session: Session }) {
  const t = useT();
  const { stop } = useSessionActions(session, useTransport());
  if (session.interrupting?.overdue !== true) return null;
  return (
    <p
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 rounded-ui border border-line-strong bg-surface px-3 py-2 text-sm"
    >
      {t('session.notStopping')}
      <Button variant="danger" size="sm" icon={OctagonX} onClick={stop}>
        {t('session.stopSession')}
      </Button>
    </p>
  );
}

function UnknownSession() {
  const t = useT();
  return (
    <EmptyState icon={MessageSquareDashed} title={t('session.unknown')}>
      <p>{t('session.unknownWhy')}</p>
      <p className="flex gap-4">
        <Link href={routes.control} className="underline">
          {t('frame.control')}
        </Link>
        <Link href={routes.sessions} className="underline">
          {t('frame.sessions')}
        </Link>
      </p>
    </EmptyState>
  );
}
