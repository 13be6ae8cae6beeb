import { ArrowDown } from 'lucide-react';
import { useT } from '../../i18n/i18n.ts';

/** Counts what came while one was reading elsewhere, and leads there. */
export function LatestPill({ count, onPress }: { readonly count: number; readonly onPress: () => void }) {
  const t = useT();
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <button
        type="button"
        onClick={onPress}
        className="pointer-events-auto inline-flex min-h-8 animate-appear items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 font-medium text-sm shadow-float hover:bg-hover pointer-coarse:min-h-11"
      >
        <ArrowDown aria-hidden className="size-3.5" />
        {count > 0 ? t('conversation.new', { count }) : t('conversation.latest')}
      </button>
    </div>
  );
}
