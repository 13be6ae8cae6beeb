import { lazy, Suspense } from 'react';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { ReadBox, tall } from './read-box.tsx';
import { NotShown } from './use-reading.ts';

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
