import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Listed } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** A list in a card: its shape while it is read, what went wrong, or its rows; empty, it teaches. */
export function ListCard<T extends { readonly id: string }>({
  list,
  icon: Icon,
  empty,
  onRetry,
  children,
}: {
  readonly list: Listed<T>;
  readonly icon: LucideIcon;
  readonly empty: string;
  readonly onRetry: () => void;
  readonly children: (item: T) => ReactNode;
}) {
  const t = useT();
  switch (list.is) {
    case 'loading':
      return (
        <Card aria-busy className="flex flex-col gap-3 p-4">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-1/2" />
        </Card>
      );
    case 'failed':
      return (
        <Card className="flex flex-wrap items-center justify-between gap-3 p-4">
          <p role="alert" className="text-fail-ink">
            {errorText(t, list.error)}
          </p>
          <Button size="sm" onClick={onRetry}>
            {t('composer.retry')}
          </Button>
        </Card>
      );
    case 'there':
      if (list.items.length === 0)
        return (
          <Card className="flex items-start gap-3 p-4 text-soft text-sm">
            <Icon aria-hidden className="mt-0.25 size-4 shrink-0 text-faint" />
            <p>{empty}</p>
          </Card>
        );
      return (
        <Card>
          <ul className="divide-y divide-line">
            {list.items.map((item) => (
              <li key={item.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                {children(item)}
              </li>
            ))}
          </ul>
        </Card>
      );
  }
}
