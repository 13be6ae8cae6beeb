import { CircleAlert, MessageSquareDashed } from 'lucide-react';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The shape of a conversation that is being read. */
export const ConversationShape = () => (
  <div aria-busy className="mx-auto flex w-full max-w-190 flex-col gap-3 px-4 py-10">
    <Skeleton className="h-10 w-1/2 self-end" />
    <Skeleton className="mt-2 h-4" />
    <Skeleton className="h-4 w-11/12" />
    <Skeleton className="h-4 w-2/3" />
    <Skeleton className="mt-2 h-5 w-80" />
    <Skeleton className="h-5 w-64" />
    <Skeleton className="mt-2 h-4 w-10/12" />
    <Skeleton className="h-24" />
  </div>
);

/** The top of a conversation: its beginning, or the shape of what is still to be read. */
export function BeginningOf({ isReading }: { readonly isReading: boolean }) {
  const t = useT();
  if (isReading) return <Skeleton className="mx-auto mt-2 h-5 w-64" />;
  return <p className="px-4 pt-3 text-center text-faint text-xs">{t('conversation.begins')}</p>;
}

export function NothingSaid() {
  const t = useT();
  return (
    <div className="flex pt-[16vh]">
      <EmptyState icon={MessageSquareDashed} title={t('control.nothingSaid')}>
        <p>{t('conversation.empty')}</p>
      </EmptyState>
    </div>
  );
}

export function NotLoaded({ feed }: { readonly feed: SessionFeed }) {
  const t = useT();
  return (
    <EmptyState icon={CircleAlert} title={t('conversation.notLoaded')}>
      <p>{errorText(t, feed.error)}</p>
      <Button onClick={() => feed.reload()}>{t('conversation.retry')}</Button>
    </EmptyState>
  );
}

/** Reading further back failed: it is tried again when someone says so. */
export function OlderNotLoaded({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
}) {
  const t = useT();
  return (
    <p className="flex flex-wrap items-center justify-center gap-2 px-4 pt-1 text-fail-ink text-sm">
      {errorText(t, error)}
      <Button size="sm" onClick={onRetry}>
        {t('conversation.retry')}
      </Button>
    </p>
  );
}
