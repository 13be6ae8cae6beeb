import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** A line above everything, for what concerns the whole page. */
export const Bar = ({
  icon: Icon,
  action,
  children,
}: {
  readonly icon: LucideIcon;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) => (
  <div
    role="status"
    className="flex min-h-8 shrink-0 items-center justify-center gap-2 border-line border-b bg-sunken px-3 py-1 text-soft text-sm"
  >
    <Icon aria-hidden className="size-4 shrink-0 text-faint" />
    <span className="min-w-0">{children}</span>
    {action !== undefined && <span className="shrink-0 whitespace-nowrap">{action}</span>}
  </div>
);
