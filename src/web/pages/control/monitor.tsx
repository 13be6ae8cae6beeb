import { Ellipsis, ExternalLink, ListPlus, MailQuestionMark, OctagonX, Pause } from 'lucide-react';
import { memo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Interaction } from '../../../protocol/interaction.ts';
import type { Session } from '../../../protocol/session.ts';
import { SmallComposer } from '../../composer/small-composer.tsx';
import { placeOf } from '../../data/attempts.logic.ts';
import { useFeed, useRoom, useSession, useTransport } from '../../data/room-context.tsx';
import { openDialog } from '../../frame/dialogs.ts';
import { useT } from '../../i18n/i18n.ts';
import { InteractionCard } from '../../interaction/interaction-card.tsx';
import { routes } from '../../routes.ts';
import { shortDirectory, titleOf } from '../../session/activity.logic.ts';
import { ActivityLine } from '../../session/activity-line.tsx';
import { FailureNote } from '../../session/failure-note.tsx';
import { useSessionActions } from '../../session/use-session-actions.ts';
import { oneLine } from '../../text/plain-text.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { useOnScreen } from '../../ui/use-on-screen.ts';
import { type Density, tailLength } from './grid.logic.ts';
import { MonitorTail } from './monitor-tail.tsx';
import { useAsked } from './use-asked.ts';

/** One live session: what it does and for how long, its last words or what it asks, and a line to answer in. */
export const Monitor = memo(function Monitor({
  sessionId,
  density,
}: {
  readonly sessionId: string;
  readonly density: Density;
}) {
  const element = useRef<HTMLElement>(null);
  const isOnScreen = useOnScreen(element);
  const session = useSession(sessionId);
  const feed = useFeed(sessionId, 'tail', isOnScreen);
  const asked = useAsked(sessionId);
  const ended = useRoom((room) => room.ended);
  const leftOpen = useRoom((room) =>
    room.pending.find((each) => each.sessionId === sessionId && each.leftOpen !== undefined),
  );
  if (session === undefined) return null;
  return (
    <article
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: monitors are walked through with the arrow keys
      tabIndex={0}
      data-flip={sessionId}
      aria-label={titleOf(session)}
      className={cx(
        'group flex min-w-0 flex-col gap-2 rounded-ui border bg-surface p-3 transition-colors duration-150',
        asked === undefined || hasRoomForBoth[density] ? 'h-(--monitor)' : 'min-h-(--monitor)',
        edgeOf(session),
      )}
    >
      <header className="flex flex-col gap-0.5">
        <div className="flex items-start gap-2">
          <Link
            href={routes.session(sessionId)}
            title={session.title}
            className="min-w-0 flex-1 truncate font-semibold hover:underline"
          >
            {titleOf(session)}
          </Link>
          <MonitorMenu session={session} />
        </div>
        <ActivityLine session={session} conversation={feed?.conversation} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-2">
        {asked !== undefined ? (
          <>
            {hasRoomForBoth[density] && (
              <MonitorTail feed={feed} cwd={session.cwd} most={tailLength[density]} />
            )}
            <InteractionCard
              key={placeOf(ended, asked).id}
              interaction={asked}
              density="compact"
              className={hasRoomForBoth[density] ? 'max-h-3/4' : 'flex-1 [--ask:9rem]'}
            />
          </>
        ) : session.failure !== null ? (
          <FailureNote session={session} />
        ) : (
          <MonitorTail feed={feed} cwd={session.cwd} most={tailLength[density]} />
        )}
      </div>
      {asked === undefined && leftOpen !== undefined && <LeftOpenLine interaction={leftOpen} />}
      {/* Also while something is asked: a field that someone writes in is never taken away. */}
      <footer data-composer className="grid">
        <div className="col-start-1 row-start-1 flex min-w-0 items-center gap-2 self-end text-faint text-xs group-focus-within:invisible group-hover:invisible">
          <span className="min-w-0 truncate">
            {session.agent} · <span title={session.cwd}>{shortDirectory(session.cwd)}</span>
          </span>
          {session.queueLength > 0 && <Queued count={session.queueLength} />}
        </div>
        <div className="col-start-1 row-start-1 opacity-0 transition-opacity duration-150 group-focus-within:opacity-100 group-hover:opacity-100">
          <SmallComposer session={session} />
        </div>
      </footer>
    </article>
  );
});

/** In a large monitor the last words, which tell why it is asked, stay above the question; a small one grows with what is asked. */
const hasRoomForBoth: Readonly<Record<Density, boolean>> = {
  single: true,
  few: true,
  several: false,
  many: false,
};

function edgeOf({ status }: Session): string {
  switch (status) {
    case 'waiting':
      return 'border-you-edge shadow-[inset_3px_0_0_var(--you)] hover:border-you focus-within:border-you';
    case 'failed':
      return 'border-fail-edge shadow-[inset_3px_0_0_var(--fail)]';
    default:
      return 'border-line hover:border-line-strong focus-within:border-line-strong';
  }
}

/** The agent works on; what it was left open is one press away and does not hide what it does. */
function LeftOpenLine({ interaction: { interactionId, title } }: { readonly interaction: Interaction }) {
  const t = useT();
  return (
    <button
      type="button"
      title={t('leftOpen.hint')}
      onClick={() => openDialog({ is: 'interaction', interactionId })}
      className="flex min-h-7 min-w-0 items-center gap-1.5 rounded-ui border border-you-edge bg-you-tint px-2 text-left text-xs text-you-ink hover:border-you pointer-coarse:min-h-11"
    >
      <MailQuestionMark aria-hidden className="size-3.5 shrink-0" />
      <span className="shrink-0 font-medium">{t('leftOpen.word')}</span>
      <span className="min-w-0 truncate">{oneLine(title)}</span>
    </button>
  );
}

function Queued({ count }: { readonly count: number }) {
  const t = useT();
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      <ListPlus aria-hidden className="size-3.5" />
      {t('session.queued', { count })}
    </span>
  );
}

function MonitorMenu({ session }: { readonly session: Session }) {
  const t = useT();
  const [, navigate] = useLocation();
  const { interrupt, stop, canInterrupt, canStop } = useSessionActions(session, useTransport());
  const open: MenuItem = {
    key: 'open',
    label: t('session.open'),
    icon: ExternalLink,
    onSelect: () => navigate(routes.session(session.id)),
  };
  const pause: MenuItem[] = canInterrupt
    ? [{ key: 'interrupt', label: t('session.interrupt'), icon: Pause, onSelect: interrupt }]
    : [];
  const end: MenuItem[] = canStop
    ? [{ key: 'stop', label: t('session.stop'), icon: OctagonX, isDanger: true, onSelect: stop }]
    : [];
  return (
    <Menu
      trigger={
        <IconButton
          icon={Ellipsis}
          label={t('session.actions', { title: titleOf(session) })}
          className="-my-1 -mr-1 pointer-coarse:-my-3 pointer-coarse:-mr-2"
        />
      }
      groups={[[open, ...pause], end]}
    />
  );
}
