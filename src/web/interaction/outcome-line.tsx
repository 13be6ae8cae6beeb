import {
  ChevronRight,
  CircleCheck,
  CircleMinus,
  CircleQuestionMark,
  CircleStop,
  CircleX,
  ClipboardCheck,
  type LucideIcon,
  TimerOff,
  Undo2,
  Unplug,
} from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { whoOf } from '../../model/who.ts';
import type { Actor, Interaction, Outcome } from '../../protocol/interaction.ts';
import { browserId } from '../data/access.ts';
import type { EndedBy } from '../data/interactions.ts';
import { useSession } from '../data/room-context.tsx';
import { Diff } from '../diff/lazy-diff.tsx';
import { type Translate, useT } from '../i18n/i18n.ts';
import { hearsReasons } from '../session/abilities.logic.ts';
import { modeLabel } from '../session/mode-label.ts';
import { oneLine, plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Time } from '../ui/time.tsx';
import { toneText } from '../ui/tone.ts';
import { summaryOf } from './ask-body.logic.ts';
import { AskBody } from './ask-body.tsx';
import {
  type DecisionPart,
  decisionInShort,
  decisionParts,
  endedFrom,
  filledIn,
  outcomeText,
  ownSummary,
  saysWhatWasAsked,
  toneOfOutcome,
} from './outcome.logic.ts';
import type { ShownValue } from './values.logic.ts';

const icons: Readonly<Record<Outcome, LucideIcon>> = {
  allowed: CircleCheck,
  answered: CircleCheck,
  submitted: ClipboardCheck,
  denied: CircleX,
  dismissed: CircleMinus,
  withdrawn: Undo2,
  interrupted: CircleStop,
  expired: TimerOff,
  lost: Unplug,
  unknown: CircleQuestionMark,
};

const Undelivered = lazyPart(async () => (await import('../machines/machine-away.tsx')).Undelivered);

export interface OutcomeProps {
  readonly interaction: Interaction;
  readonly endedBy: EndedBy;
  readonly cwd: string;
  /** Whether what was filled in is told in the line: not where it is shown below it. */
  readonly hasValues?: boolean;
}

/** So many values are shown without being asked for. */
const mostValues = 6;

/** How an interaction ended, in one line that opens to what was asked and what was decided. */
export function OutcomeCard({
  takesFocus = false,
  ...props
}: OutcomeProps & {
  /** It takes the place of what had the focus, which is nowhere without it. */
  readonly takesFocus?: boolean;
}) {
  const t = useT();
  const { interaction, cwd } = props;
  const who = decidedBy(t, interaction, props.endedBy);
  const line = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (takesFocus && isLost) line.current?.focus({ preventScroll: true });
  }, []);
  const parts = decisionParts(interaction);
  const session = useSession(interaction.sessionId);
  const isHeard = interaction.tool !== undefined || hearsReasons(session);
  const values = filledIn(interaction, t);
  const isWanted = interaction.form?.completedView?.showInputs ?? ownSummary(interaction, t) === undefined;
  const isInSight = isWanted && values.length > 0 && values.length <= mostValues;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <details className="group/outcome min-w-0 animate-appear">
        <summary
          ref={line}
          className="-mx-1.5 flex list-none rounded-ui px-1.5 py-0.5 hover:bg-hover [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          <OutcomeLine {...props} hasValues={!isInSight} />
          <ChevronRight
            aria-hidden
            className="ml-1 size-3.5 shrink-0 self-center text-faint transition-transform duration-150 group-open/outcome:rotate-90"
          />
        </summary>
        <div className="mt-2 mb-1 flex flex-col gap-3 border-line border-l-2 pl-3">
          <AskBody interaction={interaction} cwd={cwd} />
          {values.length > 0 && !isInSight && <SubmittedValues values={values} />}
          {parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a decision have no other name than their place
            <Part key={at} part={part} isHeard={isHeard} t={t} />
          ))}
          {who !== null && <Said label={t('outcome.decided')}>{who}</Said>}
          {interaction.resolvedReason !== undefined && (
            <Said label={t('outcome.why')}>{plainText(interaction.resolvedReason)}</Said>
          )}
        </div>
      </details>
      {isInSight && (
        <div className="pb-1 pl-5">
          <SubmittedValues values={values} />
        </div>
      )}
    </div>
  );
}

export function OutcomeLine({ interaction, endedBy, cwd, hasValues = true }: OutcomeProps) {
  const t = useT();
  const { outcome, resolvedAt } = interaction;
  if (outcome === undefined) return null;
  const tone = toneOfOutcome[outcome];
  const Icon = icons[outcome];
  const summary = ownSummary(interaction, t);
  // A sentence of the asker's has the values; why it was denied it cannot know.
  const hasSaid = interaction.decision?.type === 'deny' || (summary === undefined && hasValues);
  const said = hasSaid ? decisionInShort(interaction, t) : '';
  const who = decidedBy(t, interaction, endedBy);
  const isPaired = said !== '' && saysWhatWasAsked(interaction);
  const details = [said === '' || isPaired ? null : said, who].filter((each) => each !== null);
  return (
    <p className={cx('flex min-w-0 flex-1 items-center gap-1.5 text-sm', toneText[tone])}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="shrink-0 font-medium">{outcomeText(t, interaction)}</span>
      {isEdited(interaction) && (
        <span className="shrink-0 rounded-tight bg-sunken px-1 text-2xs text-soft leading-4.5">
          {t('outcome.edited')}
        </span>
      )}
      {interaction.undelivered && (
        <Suspense>
          <Undelivered machine={interaction.undelivered.machine} />
        </Suspense>
      )}
      <span className="min-w-0 truncate text-faint">
        {summary ?? (isPaired ? said : <What interaction={interaction} cwd={cwd} />)}
        {details.map((each) => ` · ${each}`)}
      </span>
      {resolvedAt !== undefined && <Time at={resolvedAt} className="ml-auto shrink-0 text-faint text-xs" />}
    </p>
  );
}

function What({ interaction, cwd }: { readonly interaction: Interaction; readonly cwd: string }) {
  const t = useT();
  const summary = summaryOf(interaction, cwd);
  switch (summary.is) {
    case 'call':
      return <code className="font-mono text-xs">{oneLine(summary.subject)}</code>;
    case 'tool':
      return oneLine(summary.text);
    case 'plan':
      return t('outcome.plan');
    case 'choice':
      return oneLine(summary.question.question);
    case 'questions':
      return oneLine(summary.questions.map(({ header, question }) => header ?? question).join(' · '));
    case 'form':
      return oneLine(summary.text);
  }
}

/** Who decided; nothing where the outcome says it. */
function decidedBy(t: Translate, interaction: Interaction, seen: EndedBy): string | null {
  const { resolvedBy } = interaction;
  if (resolvedBy === undefined) return null;
  if (resolvedBy.kind !== 'person') return whoText(t, resolvedBy);
  const endedBy = endedFrom(interaction, seen, browserId());
  if (endedBy === 'us') return t('who.here');
  return whoText(t, resolvedBy) ?? (endedBy === 'another' ? t('who.elsewhere') : null);
}

const isEdited = ({ decision }: Interaction): boolean =>
  decision?.type === 'allow' && decision.updatedInput !== undefined;

function Part({
  part,
  isHeard,
  t,
}: {
  readonly part: DecisionPart;
  /** Whether a reason reaches whoever asked. */
  readonly isHeard: boolean;
  readonly t: Translate;
}) {
  switch (part.is) {
    case 'said':
      return <Said label={part.label}>{part.text}</Said>;
    case 'reason':
      return <Said label={reasonLabel(t, isHeard, part.isInterrupting)}>{part.text}</Said>;
    case 'edit':
      return (
        <div className="flex flex-col gap-1">
          <p className="text-faint text-xs">{t('outcome.editShown')}</p>
          <Diff before={part.before} after={part.after} />
        </div>
      );
    case 'mode':
      return <Said label={t('ask.goOnIn')}>{modeLabel(t, part.mode)}</Said>;
    case 'scope':
      return <p className="text-sm">{t(`outcome.scope.${part.scope}`)}</p>;
  }
}

function reasonLabel(t: Translate, isHeard: boolean, isInterrupting: boolean): string {
  if (isHeard) return isInterrupting ? t('outcome.toldAndInterrupted') : t('outcome.told');
  return isInterrupting ? t('outcome.untoldAndInterrupted') : t('outcome.untold');
}

const Said = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex flex-col gap-0.5">
    <p className="text-faint text-xs wrap-anywhere">{label}</p>
    <p className="whitespace-pre-wrap text-sm wrap-anywhere">{children}</p>
  </div>
);

/** What was filled in, each under its label; a long text is shown in its box. */
const SubmittedValues = ({ values }: { readonly values: readonly ShownValue[] }) => (
  <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,2fr)] gap-x-4 gap-y-1 text-sm max-sm:grid-cols-1">
    {values.map(({ id, label, text }) => (
      <div key={id} className="contents">
        <dt className="text-faint wrap-anywhere max-sm:text-xs">{label}</dt>
        <dd className="max-h-40 min-w-0 overflow-y-auto whitespace-pre-wrap wrap-anywhere max-sm:mb-1">
          {text}
        </dd>
      </div>
    ))}
  </dl>
);

/** Who decided; nothing where the outcome says it. Whoever has the token need not be a person. */
export function whoText(t: Translate, by: Actor): string | null {
  const who = whoOf(by);
  switch (who.is) {
    case 'device':
      return t('who.device', { name: oneLine(who.name) });
    case 'terminal':
      return t('who.terminal', { name: oneLine(who.name) });
    case 'token':
      return who.client === undefined ? t('who.token') : t('who.tokenNamed', { client: oneLine(who.client) });
    case 'library':
      return t('who.library');
    case 'grant':
      return t('who.grant');
    case 'trust':
      return t('who.trust');
    case 'rule':
      return t('who.rule');
    case 'somebody':
    case 'timer':
    case 'agent':
    case 'server':
      return null;
  }
}
