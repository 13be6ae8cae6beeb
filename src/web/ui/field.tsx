import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './class-names.ts';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly className?: string;
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid'?: true;
  }) => ReactNode;
}

/** A label, what is filled in, and a hint or what is wrong with it, tied together for assistive technology. */
export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-sm">
        {label}
      </label>
      {children({
        id,
        ...(note === undefined ? {} : { 'aria-describedby': noteId }),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {note !== undefined && (
        <p id={noteId} className={cx('text-xs', error === undefined ? 'text-faint' : 'text-fail-ink')}>
          {note}
        </p>
      )}
    </div>
  );
}

const control =
  'w-full rounded-ui border outline-offset-[-1px] border-line-strong bg-surface px-2.5 text-base text-ink transition-colors duration-150 hover:border-faint aria-invalid:border-fail disabled:opacity-60 pointer-coarse:min-h-11 pointer-coarse:text-lg';

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input className={cx(control, 'h-8', className)} {...rest} />
);

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea
    className={cx(control, 'field-sizing-content min-h-16 resize-none py-1.5', className)}
    {...rest}
  />
);

export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select className={cx(control, 'h-8 pr-1', className)} {...rest} />
);
