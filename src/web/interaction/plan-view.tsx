import { lazy, Suspense } from 'react';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';

const Markdown = lazy(async () => ({ default: (await import('../markdown/markdown.tsx')).Markdown }));

/** A plan as a document; as it is written until the reader for it is loaded. */
export function PlanView({ plan }: { readonly plan: string }) {
  const t = useT();
  if (plan.trim() === '') return <p className="text-sm text-soft">{t('ask.noPlan')}</p>;
  return (
    <ScrollArea className="max-h-[60vh] rounded-tight border border-line bg-surface px-4 py-3">
      <Suspense fallback={<p className="whitespace-pre-wrap text-soft wrap-anywhere">{plainText(plan)}</p>}>
        <Markdown text={plan} />
      </Suspense>
    </ScrollArea>
  );
}
