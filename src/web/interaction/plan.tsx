import { lazy, Suspense, useId } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { modeLabel } from '../session/mode-label.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Select } from '../ui/field.tsx';
import { modeAfterPlan, modesAfterPlan, wayOf } from './answers-to.ts';
import { NotShown, ReadBox, tall } from './reading.tsx';
import { buttonState, type Card } from './use-card.ts';

/** A plan as a document; as it is written until the reader for it is loaded. */
export function PlanView({ plan }: { readonly plan: string }) {
  const t = useT();
  if (plan.trim() === '') return <p className="text-sm text-soft">{t('ask.noPlan')}</p>;
  return (
    <Suspense
      fallback={
        <div className={cx(frame, 'overflow-hidden')}>
          <NotShown />
          <p className="whitespace-pre-wrap text-soft wrap-anywhere">{plainText(plan)}</p>
        </div>
      }
    >
      <ReadPlan plan={plan} />
    </Suspense>
  );
}

/** Loaded together with its box: what is in the box is what is measured. */
const ReadPlan = lazy(async () => {
  const { Markdown } = await import('../markdown/markdown.tsx');
  return {
    default: ({ plan }: { readonly plan: string }) => (
      <ReadBox className={frame}>
        <Markdown text={plan} />
      </ReadBox>
    ),
  };
});

const frame = cx(tall, 'rounded-tight border border-line bg-surface px-4 py-3');

/** The ways to allow it that the agent offers. */
export function Ways({ card }: { readonly card: Card }) {
  const t = useT();
  const id = useId();
  const { ways = [] } = card.interaction;
  return (
    <label htmlFor={id} className="flex items-center gap-2 whitespace-nowrap text-sm text-soft max-sm:w-full">
      {t('ask.way')}
      <span className="w-64 max-sm:min-w-0 max-sm:flex-1">
        <Select
          id={id}
          value={wayOf(card.interaction, card.draft) ?? ''}
          disabled={buttonState(card, 'allow').disabled}
          onChange={(event) => card.setDraft({ way: event.target.value })}
        >
          {ways.map((way) => (
            <option key={way.id} value={way.id}>
              {plainText(way.label)}
            </option>
          ))}
        </Select>
      </span>
    </label>
  );
}

/** In which mode the plan is to be carried out. */
export function PlanMode({ card, session }: { readonly card: Card; readonly session: Session | undefined }) {
  const t = useT();
  const id = useId();
  const modes = modesAfterPlan(session);
  if (modes.length === 0) return null;
  return (
    <label htmlFor={id} className="flex items-center gap-2 whitespace-nowrap text-sm text-soft max-sm:w-full">
      {t('ask.goOnIn')}
      <span className="w-40 max-sm:min-w-0 max-sm:flex-1">
        <Select
          id={id}
          value={modeAfterPlan(session, card.draft) ?? ''}
          disabled={buttonState(card, 'allow').disabled}
          onChange={(event) => card.setDraft({ mode: event.target.value })}
        >
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {modeLabel(t, mode)}
            </option>
          ))}
        </Select>
      </span>
    </label>
  );
}
