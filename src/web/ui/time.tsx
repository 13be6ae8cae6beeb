import { useT } from '../i18n/i18n.ts';
import { useClock } from './clock.ts';
import { shortDuration } from './time.logic.ts';

/** How long ago, growing by itself; the exact time on hover. */
export function Time({ at, className }: { readonly at: string; readonly className?: string }) {
  const t = useT();
  const text = useClock((now) => shortDuration(now - Date.parse(at)));
  const exact = new Date(at).toLocaleString(t.language, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={exact} className={className}>
      {text}
    </time>
  );
}
