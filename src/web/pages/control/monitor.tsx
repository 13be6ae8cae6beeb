import { Bot, Folder, GitBranch, ListPlus, MailQuestionMark } from 'lucide-react';
import { memo, type RefObject, useRef } from 'react';
import { Link } from 'wouter';
import type { Interaction } from '../../../protocol/interaction.ts';
import type { Session } from '../../../protocol/session.ts';
import { SmallComposer } from '../../composer/small-composer.tsx';
import { askedIn, endedIn, placeOf } from '../../data/interactions.ts';
import { useFeedVersion, useFollowed, useRoom, useSession } from '../../data/room-context.tsx';
import type { SessionFeed } from '../../data/session-feed.ts';
import { openDialog } from '../../frame/dialogs.ts';
import { useT } from '../../i18n/i18n.ts';
import { InteractionCard } from '../../interaction/interaction-card.tsx';
import { routes } from '../../routes.ts';
import { projectOf, titleOf } from '../../session/activity.logic.ts';
import { ActivityLine } from '../../session/activity-line.tsx';
import { EditableTitle } from '../../session/editable-title.tsx';
import { FailureNote } from '../../session/failure-note.tsx';
import { TrustNote } from '../../session/lazy-trust.tsx';
import { useLooksAt } from '../../session/read-marks.ts';
import { SessionMenu } from '../../session/session-menu.tsx';
import { useBranch } from '../../session/use-branch.ts';
import { oneLine } from '../../text/plain-text.ts';
import { cx } from '../../ui/class-names.ts';
import { useOnScreen } from '../../ui/use-on-screen.ts';
import { type Density, tailLength } from './grid.logic.ts';
import { MonitorTail } from './monitor-tail.tsx';

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
  const feed = useFollowed(sessionId, 'tail', isOnScreen);
  const asked = useRoom((room) => askedIn(room, sessionId));
  const ended = useRoom((room) => endedIn(room, sessionId));
  const place = useRoom((room) => (asked === undefined ? undefined : placeOf(room, asked).id));
  const leftOpen = useRoom((room) =>
    room.pending.find((each) => each.sessionId === sessionId && each.leftOpen !== undefined),
  );
  if (session === undefined) return null;
  // Of fifty, each must stay small: there it opens large.
  const isFilledInHere = asked !== undefined && density !== 'many' && isQuestionnaire(asked);
  return (
    <article
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: monitors are walked through with the arrow keys
      tabIndex={0}
      data-flip={sessionId}
      aria-label={titleOf(session)}
      className={cx(
        'group flex min-w-0 flex-col gap-2 rounded-ui border bg-surface p-3 transition-colors duration-150',
        asked === undefined ? 'h-(--monitor)' : 'self-start',
        edgeOf(session),
      )}
    >
      <header className="flex flex-col gap-0.5">
        <div className="flex items-start gap-2">
          <EditableTitle session={session} place="monitor">
            <Link
              href={routes.session(sessionId)}
              title={session.title}
              className="min-w-0 flex-1 truncate font-semibold hover:underline"
            >
              {titleOf(session)}
            </Link>
          </EditableTitle>
          <SessionMenu
            session={session}
            place="monitor"
            className="-my-1 -mr-1 pointer-coarse:-my-3 pointer-coarse:-mr-2"
          />
        </div>
        <LiveActivity session={session} feed={feed} />
        <Looked session={session} feed={feed} element={element} />
        <Where session={session} isOnScreen={isOnScreen} />
        <TrustNote session={session} as="bar" />
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-2">
        {asked !== undefined ? (
          <>
            {hasRoomForBoth[density] && (
              <div className="flex max-h-16 flex-col">
                <MonitorTail feed={feed} cwd={session.cwd} most={3} />
              </div>
            )}
            <InteractionCard
              key={place}
              interaction={asked}
              density={isFilledInHere ? 'full' : 'compact'}
              isFramed={false}
              className={isFilledInHere ? '-m-1 max-h-96 overflow-y-auto p-1' : askRoom[density]}
            />
          </>
        ) : session.failure !== null ? (
          <FailureNote session={session} />
        ) : (
          <>
            {ended !== undefined && (
              <div className="flex shrink-0">
                <InteractionCard interaction={ended} density="compact" isFramed={false} />
              </div>
            )}
            <MonitorTail feed={feed} cwd={session.cwd} most={tailLength[density]} />
          </>
        )}
      </div>
      {asked === undefined && leftOpen !== undefined && <LeftOpenLine interaction={leftOpen} />}
      {/* Also while something is asked: a field that someone writes in is never taken away. */}
      <footer data-composer>
        <SmallComposer session={session} />
      </footer>
    </article>
  );
});

/** How much of what is asked is shown at once. */
const askRoom: Readonly<Record<Density, string>> = {
  single: '[--ask:20rem]',
  few: '[--ask:12rem]',
  several: '[--ask:9rem]',
  many: '[--ask:9rem]',
};

/** Several questions, or one with several answers, are answered in the monitor as on the session's page. */
const isQuestionnaire = ({ kind, questions = [] }: Interaction): boolean =>
  kind === 'question' && (questions.length > 1 || questions.some(({ multiSelect }) => multiSelect));

/** Notes that the session's end was on the screen. */
function Looked({
  session,
  feed,
  element,
}: {
  readonly session: Session;
  readonly feed: SessionFeed | null;
  readonly element: RefObject<HTMLElement | null>;
}) {
  useFeedVersion(feed);
  useLooksAt(session, useOnScreen(element, '0px') && feed?.state === 'ready');
  return null;
}

/** By itself: the card is not drawn anew with every word. */
function LiveActivity({ session, feed }: { readonly session: Session; readonly feed: SessionFeed | null }) {
  useFeedVersion(feed);
  return <ActivityLine session={session} conversation={feed?.conversation} />;
}

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

/** In which project, on which branch, with which agent. */
function Where({ session, isOnScreen }: { readonly session: Session; readonly isOnScreen: boolean }) {
  const branch = useBranch(session, isOnScreen);
  return (
    <div className="flex min-w-0 items-center gap-2 text-faint text-xs">
      <span className="flex min-w-0 items-center gap-1">
        <Folder aria-hidden className="size-3 shrink-0" />
        <span className="truncate" title={session.cwd}>
          {projectOf(session.cwd)}
        </span>
      </span>
      {branch !== null && (
        <span className="flex min-w-0 items-center gap-1">
          <GitBranch aria-hidden className="size-3 shrink-0" />
          <span className="truncate" title={branch}>
            {branch}
          </span>
        </span>
      )}
      <span className="flex shrink-0 items-center gap-1">
        <Bot aria-hidden className="size-3 shrink-0" />
        <span>{session.agent}</span>
      </span>
      {session.machine && <span className="min-w-0 truncate">{session.machine}</span>}
      {session.queueLength > 0 && <Queued count={session.queueLength} />}
    </div>
  );
}

function Queued({ count }: { readonly count: number }) {
  const t = useT();
  return (
    <span className="ml-auto inline-flex shrink-0 items-center gap-1">
      <ListPlus aria-hidden className="size-3.5" />
      {t('session.queued', { count })}
    </span>
  );
}
