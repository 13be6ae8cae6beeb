import type { ShownValue } from './values.logic.ts';

/** What was filled in, each under its label; a long text is shown in its box. */
export const SubmittedValues = ({ values }: { readonly values: readonly ShownValue[] }) => (
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
