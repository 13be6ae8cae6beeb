import { Bot, Hand } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { Link } from 'wouter';
import type { Interaction } from '../../protocol/interaction.ts';
import { useSession } from '../data/room-context.tsx';
import { useShown } from '../dock/shown.ts';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { errorText } from '../text/error-text.ts';
import { cx } from '../ui/class-names.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { AskBody } from './ask-body.tsx';
import { CompactBody } from './compact-body.tsx';
import { FormCard } from './form-card.tsx';
import { fieldRefused } from './interaction-card.logic.ts';
import { OutcomeCard, OutcomeLine } from './outcome-line.tsx';
import { QuestionCard } from './question-card.tsx';
import { ReadOnlyHint } from './read-only-hint.tsx';
import { TimeLeft } from './time-left.tsx';
import { type Card, useCard } from './use-card.ts';

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
  readonly className?: string;
}

/** Something a person is asked, wherever it is shown: open to be answered, or how it ended. */
export function InteractionCard({
  interaction,
  density = 'full',
  isFramed = density === 'full',
  isSessionShown = false,
  countsAsShown = true,
  className,
}: InteractionCardProps) {
  const card = useCard(interaction);
  const session = useSession(interaction.sessionId);
  const element = useRef<HTMLDivElement>(null);
  const isOpen = card.state.is !== 'submitted';
  useShown(element, interaction.interactionId, countsAsShown && isOpen);
  const cwd = session?.cwd ?? '';
  if (card.state.is === 'submitted') {
    const { interaction: ended, endedBy } = card.state;
    return density === 'full' ? (
      <OutcomeCard interaction={ended} endedBy={endedBy} cwd={cwd} />
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
      className={cx(
        isFramed &&
          'rounded-ui border border-you-edge bg-surface p-4 shadow-[inset_3px_0_0_var(--you)] max-md:p-3',
        className,
      )}
    />
  );
}

interface OpenCardProps {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly card: Card;
  readonly density: 'full' | 'compact';
  readonly isSessionShown: boolean;
  readonly className: string;
}

function OpenCard({ element, card, density, isSessionShown, className }: OpenCardProps) {
  const { interaction } = card;
  const session = useSession(interaction.sessionId);
  const cwd = session?.cwd ?? '';
  const isFull = density === 'full';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink with what it is in
    <div
      ref={element}
      role="group"
      aria-label={interaction.title}
      data-ask={interaction.interactionId}
      data-session={interaction.sessionId}
      aria-busy={card.state.is === 'submitting' || undefined}
      className={cx('flex min-h-0 min-w-0 flex-col', isFull ? 'gap-3' : 'gap-2', className)}
    >
      {isFull && <Asker interaction={interaction} isSessionShown={isSessionShown} />}
      {isFull ? <FullBody card={card} cwd={cwd} /> : <CompactBody card={card} cwd={cwd} />}
      <Failure card={card} />
      {!card.isEnabled && <ReadOnlyHint />}
      {card.isEnabled && interaction.kind === 'approval' && (
        <div className={isFull ? undefined : 'mt-auto'}>
          <ApprovalActions card={card} session={session} density={density} />
        </div>
      )}
    </div>
  );
}

function FullBody({ card, cwd }: { readonly card: Card; readonly cwd: string }) {
  switch (card.interaction.kind) {
    case 'approval':
      return <AskBody interaction={card.interaction} cwd={cwd} />;
    case 'question':
      return <QuestionCard card={card} />;
    case 'form':
      return <FormCard card={card} />;
  }
}

/** Who asks: the session, unless that is plain, and whether it is a sub-agent of it. */
function Asker({
  interaction,
  isSessionShown,
}: {
  readonly interaction: Interaction;
  readonly isSessionShown: boolean;
}) {
  const t = useT();
  const session = useSession(interaction.sessionId);
  return (
    <header className="flex min-w-0 items-center gap-1.5 text-xs">
      <Hand aria-hidden className="size-3.5 shrink-0 text-you" strokeWidth={2.25} />
      {isSessionShown && session !== undefined ? (
        <Link
          href={routes.session(session.id)}
          title={session.title}
          className="min-w-0 truncate font-semibold text-sm hover:underline"
        >
          {titleOf(session)}
        </Link>
      ) : (
        <span className="font-medium text-you-ink">{t('ask.waits')}</span>
      )}
      {interaction.agentId !== undefined && (
        <span className="flex shrink-0 items-center gap-1 text-soft">
          <Bot aria-hidden className="size-3.5" />
          {t('ask.subAgent')}
        </span>
      )}
      <span className="flex-1" />
      <TimeLeft interaction={interaction} />
    </header>
  );
}

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
