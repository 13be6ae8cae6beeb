import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

/** A column beside the page that can be put away; a phone has no room for it. */
export function SidePanel({
  side,
  label,
  isOpen,
  children,
}: {
  readonly side: 'left' | 'right';
  readonly label: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}) {
  if (!isOpen) return null;
  return (
    <aside
      aria-label={label}
      className={cx(
        'flex shrink-0 flex-col bg-surface max-md:hidden',
        side === 'left' ? 'w-64 border-line border-r' : 'w-72 border-line border-l',
      )}
    >
      {children}
    </aside>
  );
}
