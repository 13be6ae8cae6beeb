import { ChevronRight, CircleCheck, CircleMinus, CircleX, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Interaction } from '../../protocol/interaction.ts';
import { Diff } from '../diff/lazy-diff.tsx';
import { type Translate, useT } from '../i18n/i18n.ts';
import { modeLabel } from '../session/mode-label.ts';
import { oneLine } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { type Tone, toneText } from '../ui/tone.ts';
import { AskBody } from './ask-body.tsx';
import { summaryOf } from './ask-summary.logic.ts';
import type { EndedBy } from './interaction-card.logic.ts';
import { type DecisionPart, decisionInShort, decisionParts, toneOfOutcome } from './outcome.logic.ts';

const icons: Readonly<Record<Tone, LucideIcon>> = {
  you: CircleMinus,
  work: CircleMinus,
  neutral: CircleMinus,
  done: CircleCheck,
  fail: CircleX,
};

export interface OutcomeProps {
  readonly interaction: Interaction;
  readonly endedBy: EndedBy;
  readonly cwd: string;
}

/** How an interaction ended, in one line that opens to what was asked and what was decided. */
export function OutcomeCard(props: OutcomeProps) {
  const t = useT();
  const { interaction, cwd } = props;
  const parts = decisionParts(interaction);
  return (
    <details className="group/outcome min-w-0 animate-appear">
      <summary className="-mx-1.5 flex list-none rounded-ui px-1.5 py-0.5 hover:bg-hover [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11 pointer-coarse:items-center">
        <OutcomeLine {...props} />
        <ChevronRight
          aria-hidden
          className="ml-1 size-3.5 shrink-0 self-center text-faint transition-transform duration-150 group-open/outcome:rotate-90"
        />
      </summary>
      <div className="mt-2 mb-1 flex flex-col gap-3 border-line border-l-2 pl-3">
        <AskBody interaction={interaction} cwd={cwd} />
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a decision have no other name than their place
          <Part key={at} part={part} t={t} />
        ))}
        {interaction.resolvedReason !== undefined && (
          <Said label={t('outcome.why')}>{interaction.resolvedReason}</Said>
        )}
      </div>
    </details>
  );
}

export function OutcomeLine({ interaction, endedBy, cwd }: OutcomeProps) {
  const t = useT();
  const { outcome, resolvedAt } = interaction;
  if (outcome === undefined) return null;
  const tone = toneOfOutcome[outcome];
  const Icon = icons[tone];
  const said = decisionInShort(interaction);
  const details = [said === '' ? null : said, whoText(t, interaction, endedBy)].filter(
    (each) => each !== null,
  );
  return (
    <p className={cx('flex min-w-0 flex-1 items-center gap-1.5 text-sm', toneText[tone])}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="shrink-0 font-medium">{t(`outcome.${outcome}`)}</span>
      {isEdited(interaction) && (
        <span className="shrink-0 rounded-tight bg-sunken px-1 text-2xs text-soft leading-4.5">
          {t('outcome.edited')}
        </span>
      )}
      <span className="min-w-0 truncate text-faint">
        <What interaction={interaction} cwd={cwd} />
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

/** Who decided, and from where; nothing where the outcome says it. */
function whoText(t: Translate, { resolvedBy }: Interaction, endedBy: EndedBy): string | null {
  switch (resolvedBy?.kind) {
    case 'person': {
      if (endedBy === 'us') return t('outcome.here');
      const { where } = resolvedBy;
      if (endedBy === 'another')
        return where === undefined
          ? t('outcome.elsewhere')
          : `${t('outcome.elsewhere')} (${placeOf(t, where)})`;
      return where === undefined ? null : placeOf(t, where);
    }
    case 'grant':
      return t('outcome.byGrant');
    case 'timer':
    case 'agent':
    case 'server':
    case undefined:
      return null;
  }
}

const placeOf = (t: Translate, where: string): string => (where === 'api' ? t('outcome.program') : where);

const isEdited = ({ decision }: Interaction): boolean =>
  decision?.type === 'allow' && decision.updatedInput !== undefined;

function Part({ part, t }: { readonly part: DecisionPart; readonly t: Translate }) {
  switch (part.is) {
    case 'said':
      return <Said label={part.label}>{part.text}</Said>;
    case 'reason':
      return (
        <Said label={part.isInterrupting ? t('outcome.toldAndInterrupted') : t('outcome.told')}>
          {part.text}
        </Said>
      );
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

const Said = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex flex-col gap-0.5">
    <p className="text-faint text-xs wrap-anywhere">{label}</p>
    <p className="whitespace-pre-wrap text-sm wrap-anywhere">{children}</p>
  </div>
);
