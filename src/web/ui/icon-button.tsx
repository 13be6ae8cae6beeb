import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';
import { type KeyName, spokenKeys } from './keys.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** Its name, read aloud and shown on hover. */
  readonly label: string;
  readonly shortcut?: KeyName;
}

export function IconButton({ icon: Icon, label, shortcut, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        aria-keyshortcuts={spokenKeys(shortcut)}
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
