import type { ReactNode } from 'react';

/** A page's name, what can be said of it in a few words, and what can be done. */
export function PageHeader({
  title,
  summary,
  children,
}: {
  readonly title: string;
  readonly summary?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2 max-md:px-3 max-md:pt-3">
      <h1 className="font-semibold text-lg max-md:flex-1">{title}</h1>
      <div className="min-w-0 flex-1 max-md:order-last max-md:basis-full">{summary}</div>
      {children}
    </header>
  );
}
