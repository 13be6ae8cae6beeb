import { lazy, Suspense } from 'react';
import { plainText } from '../text/plain-text.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';

const Markdown = lazy(async () => ({ default: (await import('../markdown/markdown.tsx')).Markdown }));

/** A plan as a document; as it is written until the reader for it is loaded. */
export const PlanView = ({ plan }: { readonly plan: string }) => (
  <ScrollArea className="max-h-[60vh] rounded-tight border border-line bg-surface px-4 py-3">
    <Suspense fallback={<p className="whitespace-pre-wrap text-soft wrap-anywhere">{plainText(plan)}</p>}>
      <Markdown text={plan} />
    </Suspense>
  </ScrollArea>
);
