import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export function EmptyState({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-3 p-8 text-center">
      <Icon aria-hidden className="size-6 text-faint" strokeWidth={1.5} />
      <h2 className="font-semibold text-lg">{title}</h2>
      {children !== undefined && <div className="flex flex-col items-center gap-4 text-soft">{children}</div>}
    </div>
  );
}
