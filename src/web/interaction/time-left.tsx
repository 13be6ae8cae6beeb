import { Hourglass, MailQuestionMark, SquareParking } from 'lucide-react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { useClock } from '../ui/clock.ts';
import { shortDuration } from '../ui/time.logic.ts';
import { Time } from '../ui/time.tsx';
import { leftOf } from './time-left.logic.ts';

/** How long it has waited, and how long it still can. The server ends it, not this clock. */
export function TimeLeft({ interaction }: { readonly interaction: Interaction }) {
  const t = useT();
  const left = useClock((now) => {
    const ms = leftOf(interaction, now);
    return ms === undefined ? '' : ms === 0 ? '0' : shortDuration(ms);
  });
  return (
    <span className="flex shrink-0 items-center gap-2 text-faint text-xs">
      {interaction.leftOpen !== undefined && (
        <span className="flex items-center gap-1 text-you-ink" title={t('leftOpen.hint')}>
          <MailQuestionMark aria-hidden className="size-3.5" />
          {t('leftOpen.word')}
        </span>
      )}
      {interaction.parked && interaction.leftOpen === undefined && (
        <span className="flex items-center gap-1 text-you-ink" title={t('ask.parkedHint')}>
          <SquareParking aria-hidden className="size-3.5" />
          {t('ask.parked')}
        </span>
      )}
      {left !== '' && interaction.leftOpen === undefined && (
        <span className="flex items-center gap-1 text-you-ink" title={t('ask.leftHint')}>
          <Hourglass aria-hidden className="size-3.5" />
          {left === '0' ? t('ask.leftNone') : t('ask.left', { time: left })}
        </span>
      )}
      <Time at={interaction.createdAt} />
    </span>
  );
}
