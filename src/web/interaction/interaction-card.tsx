import { Bot, Hand, Maximize2, Wrench } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import { useSession } from '../data/room-context.tsx';
import { useShown } from '../dock/docked.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { errorText } from '../text/error-text.ts';
import { plainText, titleOfAsk } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { faceOf } from './answers-to.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { AskBody } from './ask-body.tsx';
import { DeferredNote, LeftOpenNote, ReadOnlyHint, TimeLeft } from './card-notes.tsx';
import { CompactBody, isShortForm } from './compact-body.tsx';
import { FormCard } from './form-card.tsx';
import { fieldRefused } from './interaction-card.logic.ts';
import { OutcomeCard, OutcomeLine } from './outcome-line.tsx';
import { QuestionCard } from './question-card.tsx';
import { ReadingProvider, useReading } from './reading.tsx';
import { ToolApproval } from './tool-approval.tsx';
import { type Card, useCard, useGuarded } from './use-card.ts';

export interface InteractionCardProps {
  readonly interaction: Interaction;
  /** `compact` is for a monitor and the dock: what is asked and the quick answers; the rest opens large. */
  readonly density?: 'full' | 'compact';
  /** An edge of its own, for a card that does not stand in a frame. */
  readonly isFramed?: boolean;
  /** Whether the card says which session asks: not where everything around it is that session. */
  readonly isSessionShown?: boolean;
  /** False for the dock, which shows what is not on the screen already, and for what it opens large. */
  readonly countsAsShown?: boolean;
  /** In a dialog of its own, with room for long texts. */
  readonly isLarge?: boolean;
  /** Whether the result of the call that asks stands beside it. */
  readonly isResultSeen?: boolean;
  readonly className?: string;
}

/** Something a person is asked, wherever it is shown: open to be answered, or how it ended. */
export function InteractionCard({
  interaction,
  density = 'full',
  isFramed = density === 'full',
  isSessionShown = false,
  countsAsShown = true,
  isLarge = false,
  isResultSeen = false,
  className,
}: InteractionCardProps) {
  const card = useCard(interaction, isResultSeen);
  const session = useSession(interaction.sessionId);
  const element = useRef<HTMLDivElement>(null);
  const isOpen = card.state.is !== 'submitted';
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = isOpen;
  });
  useShown(element, interaction.interactionId, countsAsShown && isOpen);
  const cwd = session?.cwd ?? '';
  if (card.state.is === 'submitted') {
    const { interaction: ended, endedBy } = card.state;
    return density === 'full' ? (
      <OutcomeCard
        interaction={ended}
        endedBy={endedBy}
        cwd={cwd}
        takesFocus={wasOpen.current && endedBy === 'us'}
      />
    ) : (
      <OutcomeLine interaction={ended} endedBy={endedBy} cwd={cwd} />
    );
  }
  return (
    <OpenCard
      element={element}
      card={card}
      density={density}
      isSessionShown={isSessionShown}
      isLarge={isLarge}
      className={cx(
        isFramed &&
          'rounded-ui border border-you-edge bg-surface p-4 shadow-[inset_3px_0_0_var(--you)] max-md:p-3',
        className,
      )}
    />
  );
}

/** A form is filled in where there is little room; what has the focus keeps its edge. */
const scrolling = '-m-1 overflow-y-auto p-1';

interface OpenCardProps {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly card: Card;
  readonly density: 'full' | 'compact';
  readonly isSessionShown: boolean;
  readonly isLarge: boolean;
  readonly className: string;
}

function OpenCard({ element, card: given, density, isSessionShown, isLarge, className }: OpenCardProps) {
  const card = useGuarded(given, element);
  const { interaction } = card;
  const reading = useReading(interaction);
  const session = useSession(interaction.sessionId);
  const cwd = session?.cwd ?? '';
  const isFull = density === 'full';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink with what it is in
    <div
      ref={element}
      role="group"
      aria-label={titleOfAsk(interaction)}
      data-ask={interaction.interactionId}
      data-session={interaction.sessionId}
      aria-busy={card.state.is === 'submitting' || undefined}
      className={cx(
        'flex min-h-0 min-w-0 flex-col',
        isFull ? 'gap-3' : 'gap-2',
        !isFull && isShortForm(interaction.form) && scrolling,
        className,
      )}
    >
      {isFull && <Asker interaction={interaction} isSessionShown={isSessionShown} isLarge={isLarge} />}
      {interaction.leftOpen !== undefined && <LeftOpenNote leftOpen={interaction.leftOpen} />}
      {interaction.deferred === true && <DeferredNote />}
      <ReadingProvider value={reading}>
        {isFull ? (
          <FullBody card={card} cwd={cwd} session={session} isLarge={isLarge} />
        ) : (
          <CompactBody card={card} cwd={cwd} session={session} />
        )}
      </ReadingProvider>
      <Failure card={card} />
      {!card.isEnabled && <ReadOnlyHint />}
      {card.isEnabled && interaction.kind === 'approval' && interaction.tool === undefined && (
        <div className={isFull ? undefined : 'mt-auto'}>
          <ApprovalActions card={card} session={session} density={density} />
        </div>
      )}
    </div>
  );
}

function FullBody({
  card,
  cwd,
  session,
  isLarge,
}: {
  readonly card: Card;
  readonly cwd: string;
  readonly session: Session | undefined;
  readonly isLarge: boolean;
}) {
  const { interaction } = card;
  switch (interaction.kind) {
    case 'approval':
      return (
        <>
          <AskBody key={faceOf(interaction)} interaction={interaction} cwd={cwd} />
          {interaction.tool !== undefined && (
            <ToolApproval card={card} session={session} density="full" isLarge={isLarge} hasFields />
          )}
        </>
      );
    case 'question':
      return <QuestionCard card={card} />;
    case 'form':
      return <FormCard card={card} isLarge={isLarge} />;
  }
}

/** Who asks: the session, unless that is plain, whether it is a sub-agent of it, and which tool, if one asks by itself. */
function Asker({
  interaction,
  isSessionShown,
  isLarge,
}: {
  readonly interaction: Interaction;
  readonly isSessionShown: boolean;
  readonly isLarge: boolean;
}) {
  const t = useT();
  const session = useSession(interaction.sessionId);
  return (
    <header className="flex min-w-0 items-center gap-x-1.5 text-xs">
      <Hand aria-hidden className="size-3.5 shrink-0 text-you" strokeWidth={2.25} />
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-0.5">
        {isSessionShown && session !== undefined ? (
          <Link
            href={routes.session(session.id)}
            title={session.title}
            className="min-w-0 truncate font-semibold text-sm hover:underline"
          >
            {titleOf(session)}
          </Link>
        ) : (
          <span className="whitespace-nowrap font-medium text-you-ink">{t('ask.waits')}</span>
        )}
        {isOfSubAgent(interaction) && (
          <span className="flex shrink-0 items-center gap-1 text-soft">
            <Bot aria-hidden className="size-3.5" />
            {t('ask.subAgent')}
          </span>
        )}
        {interaction.tool !== undefined && (
          <span className="flex min-w-0 items-center gap-1 text-soft" title={t('ask.tool')}>
            <Wrench aria-hidden className="size-3.5 shrink-0" />
            <span className="sr-only">{t('ask.tool')}: </span>
            <span className="min-w-0 truncate font-mono">{plainText(interaction.tool.name)}</span>
          </span>
        )}
      </span>
      <TimeLeft interaction={interaction} />
      {!isLarge && hasMuchToFill(interaction) && (
        <IconButton
          icon={Maximize2}
          label={t('ask.large')}
          onClick={() => openDialog({ is: 'interaction', interactionId: interaction.interactionId })}
          className="-my-1 -mr-1.5"
        />
      )}
    </header>
  );
}

/** What a tool asks names the call that started the sub-agent alone. */
const isOfSubAgent = ({ agentId, parentToolCallId }: Interaction): boolean =>
  agentId !== undefined || parentToolCallId !== undefined;

const hasMuchToFill = ({ form }: Interaction): boolean =>
  (form?.fields.length ?? 0) > 3 || (form?.fields ?? []).some(({ type }) => type === 'textarea');

/** What went wrong, once: a field that the server named says it itself. */
function Failure({ card: { state, draft, interaction } }: { readonly card: Card }) {
  const t = useT();
  if (state.is !== 'failed') return null;
  const refused = fieldRefused(state);
  const isSaidAtField =
    refused !== null &&
    (refused.field === 'pattern'
      ? draft.panel === 'always'
      : (interaction.form?.fields ?? []).some(({ id }) => refused.field === `input.${id}`));
  if (isSaidAtField) return null;
  return (
    <p role="alert" className="text-fail-ink text-sm wrap-anywhere">
      {errorText(t, state.error)}
    </p>
  );
}
