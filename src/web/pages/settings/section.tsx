import { type ReactNode, useId } from 'react';

/** A part of the settings: what it is about on one side, the thing itself on the other. */
export function Section({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid items-start gap-x-8 gap-y-3 py-6 first:pt-2 lg:grid-cols-[16rem_minmax(0,1fr)]"
    >
      <div className="flex flex-col gap-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="max-w-prose text-faint text-sm">{text}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
