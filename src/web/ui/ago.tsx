import { useT } from '../i18n/i18n.ts';
import { useClock } from './clock.ts';
import { agoText } from './time.logic.ts';

/** How long ago, in words; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const t = useT();
  const text = useClock((now) => agoText(t.language, now - Date.parse(at)));
  const exact = new Date(at).toLocaleString(t.language, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={at} title={exact}>
      {text}
    </time>
  );
}
