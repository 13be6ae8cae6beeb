import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

/** Something that is on or off, with its name and, if it needs one, a sentence on what it does. */
export function Switch({
  label,
  hint,
  isLabelHidden = false,
  isOn,
  isDisabled = false,
  onChange,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isLabelHidden?: boolean;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="flex items-start gap-3 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden
        className={cx(
          'mt-0.25 inline-flex h-4.5 w-8 shrink-0 rounded-full border border-faint bg-sunken p-0.5 transition-colors duration-150',
          'after:size-3 after:rounded-full after:bg-faint after:transition-transform after:duration-150',
          'peer-checked:border-ink peer-checked:bg-ink peer-checked:after:translate-x-3.5 peer-checked:after:bg-inverse',
          'peer-focus-visible:outline-2 peer-focus-visible:outline-ink peer-focus-visible:outline-offset-2 peer-disabled:opacity-50',
        )}
      />
      <span className={cx('flex flex-col gap-0.5', isLabelHidden && 'sr-only')}>
        <span className="font-medium">{label}</span>
        {hint !== undefined && <span className="text-faint text-sm">{hint}</span>}
      </span>
    </label>
  );
}
