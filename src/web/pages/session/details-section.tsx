import type { ReactNode } from 'react';

/** A titled part of the details. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: string;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="flex items-baseline justify-between gap-2 font-medium text-faint text-xs">
        {title}
        {aside !== undefined && <span className="font-normal">{aside}</span>}
      </h2>
      {children}
    </section>
  );
}
