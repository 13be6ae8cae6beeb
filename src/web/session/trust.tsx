import { ShieldOff } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { useClock } from '../ui/clock.ts';
import { shortDuration } from '../ui/time.logic.ts';
import { toast } from '../ui/toast.tsx';
import { titleOf } from './activity.logic.ts';

type Trust = NonNullable<Session['trust']>;

/** How much of a time of trust is left; never more than it was given, whatever the clock of this browser says. */
function useTimeLeft({ since, until }: Trust, write: (milliseconds: number) => string): string {
  const given = Date.parse(until) - Date.parse(since);
  return useClock((now) => write(Math.min(given, Math.max(0, Date.parse(until) - now))));
}

/** "14:05" */
function minutesAndSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** In a line of a list: that there is a time of trust, and for how long. */
export function TrustMark({ trust }: { readonly trust: Trust }) {
  const t = useT();
  const left = useTimeLeft(trust, shortDuration);
  return (
    <span
      title={t('trust.leftShort', { left })}
      className="inline-flex shrink-0 items-center gap-1 text-xs text-you-ink tabular-nums"
    >
      <ShieldOff aria-hidden className="size-3" />
      <span className="sr-only">{t('trust.leftShort', { left })}</span>
      <span aria-hidden>{left}</span>
    </span>
  );
}

/** On the session's page and its monitor: how long everything is allowed, how much was, and a press that ends it. */
export function TrustBar({ session, trust }: { readonly session: Session; readonly trust: Trust }) {
  const t = useT();
  const transport = useTransport();
  const left = useTimeLeft(trust, minutesAndSeconds);
  const [isEnding, setEnding] = useState(false);
  const end = async (): Promise<void> => {
    setEnding(true);
    try {
      await transport.endTrust(session.id);
    } catch (error) {
      toast('fail', errorText(t, error));
      setEnding(false);
    }
  };
  return (
    <div
      data-trust
      className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-2 gap-y-0.5 rounded-ui border border-you-edge bg-you-tint px-2 py-0.5 text-you-ink text-xs"
    >
      <ShieldOff aria-hidden className="size-3.5 shrink-0" />
      <span className="font-medium tabular-nums">{t('trust.left', { left })}</span>
      {trust.uses > 0 && <span className="tabular-nums">{t('trust.uses', { count: trust.uses })}</span>}
      <Button
        size="sm"
        isBusy={isEnding}
        aria-label={t('trust.endOf', { title: titleOf(session) })}
        onClick={() => void end()}
        className="ml-auto"
      >
        {t('trust.end')}
      </Button>
    </div>
  );
}
