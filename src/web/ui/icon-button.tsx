import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** Its name, read aloud and shown on hover. */
  readonly label: string;
  readonly keys?: string;
}

export function IconButton({ icon: Icon, label, keys, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys === undefined ? {} : { keys })}>
      <button
        type="button"
        aria-label={label}
        className={cx(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-ui text-faint transition-colors duration-150 hover:bg-hover hover:text-ink disabled:opacity-50 pointer-coarse:size-11',
          className,
        )}
        {...rest}
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </Tooltip>
  );
}
