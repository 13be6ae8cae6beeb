import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'allow' | 'allow-quiet' | 'deny';
type Size = 'sm' | 'md';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: Variant;
  readonly size?: Size;
  readonly icon?: LucideIcon;
  /** Shows that what was pressed is under way, and keeps it from being pressed again. */
  readonly isBusy?: boolean;
}

export function Button({
  variant = 'secondary',
  size = 'md',
  icon: Icon,
  isBusy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
      className={cx(base, sizes[size], variants[variant], className)}
      {...rest}
    >
      {isBusy ? (
        <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />
      ) : (
        Icon !== undefined && <Icon aria-hidden className="size-3.5 shrink-0" />
      )}
      {children}
    </button>
  );
}

const base =
  'inline-flex max-w-full select-none items-center justify-center gap-1.5 rounded-ui border font-medium transition-colors duration-150 disabled:opacity-50 aria-disabled:opacity-50 pointer-coarse:min-h-11';

const sizes: Readonly<Record<Size, string>> = {
  sm: 'min-h-7 px-2 text-sm pointer-coarse:px-3',
  md: 'min-h-8 px-3 text-base pointer-coarse:px-4',
};

const variants: Readonly<Record<Variant, string>> = {
  primary: 'border-ink bg-ink text-inverse not-disabled:hover:border-soft not-disabled:hover:bg-soft',
  secondary:
    'border-line-strong bg-surface text-ink not-disabled:hover:border-faint not-disabled:hover:bg-hover',
  ghost: 'border-transparent text-soft not-disabled:hover:bg-hover not-disabled:hover:text-ink',
  danger:
    'border-line-strong bg-surface text-fail-ink not-disabled:hover:border-fail-edge not-disabled:hover:bg-fail-tint',
  allow: 'border-done-ink bg-done-ink text-inverse not-disabled:hover:opacity-90',
  'allow-quiet':
    'border-done-edge bg-surface text-done-ink not-disabled:hover:border-done not-disabled:hover:bg-done-tint',
  deny: 'border-fail-edge bg-fail-tint text-fail-ink not-disabled:hover:border-fail',
};
