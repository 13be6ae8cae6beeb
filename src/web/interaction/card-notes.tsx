import { Eye, Hourglass, type LucideIcon, MailQuestionMark, Moon, SquareParking, Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Interaction, LeftOpen } from '../../protocol/interaction.ts';
import { setPreferences } from '../data/preferences.ts';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { useClock } from '../ui/clock.ts';
import { shortDuration } from '../ui/time.logic.ts';
import { Time } from '../ui/time.tsx';

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

/**
 * What is left until the server ends it; undefined without a limit. A browser's clock that is wrong must not
 * promise more than the whole time, nor less than none.
 */
export function leftOf(
  { expiresAt, createdAt }: Pick<Interaction, 'expiresAt' | 'createdAt'>,
  now: number,
): number | undefined {
  if (expiresAt === undefined) return undefined;
  const whole = Date.parse(expiresAt) - Date.parse(createdAt);
  return Math.min(Math.max(0, Date.parse(expiresAt) - now), Math.max(0, whole));
}

/** Nobody waits for this answer any more, and it will still be heard: how, and why. */
export function LeftOpenNote({ leftOpen }: { readonly leftOpen: LeftOpen }) {
  const t = useT();
  return (
    <Note icon={leftOpen.cause === 'tool' ? MailQuestionMark : Unplug}>
      {leftOpen.message !== undefined && leftOpen.message !== '' && (
        <p className="text-ink whitespace-pre-wrap wrap-anywhere">{plainText(leftOpen.message)}</p>
      )}
      <p>{t(`leftOpen.${leftOpen.cause}`)}</p>
    </Note>
  );
}

/** The agent sleeps, and the answer wakes it. */
export function DeferredNote() {
  const t = useT();
  return (
    <Note icon={Moon}>
      <p>{t('deferred.note')}</p>
    </Note>
  );
}

function Note({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 rounded-ui bg-sunken px-3 py-2 text-sm text-soft">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="flex min-w-0 flex-col gap-0.5">{children}</div>
    </div>
  );
}

/** Why nothing can be pressed here, and the way to change that. */
export function ReadOnlyHint() {
  const t = useT();
  const { isChanging, error, change } = useAnswering();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-faint text-xs">
      <Eye aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-40 flex-1">{t('ask.readOnly')}</span>
      <Button size="sm" isBusy={isChanging} onClick={() => void change(true)}>
        {t('ask.switchOn')}
      </Button>
      {error !== null && (
        <p role="alert" className="basis-full text-fail-ink">
          {error}
        </p>
      )}
    </div>
  );
}

export interface Answering {
  readonly isEnabled: boolean;
  readonly isChanging: boolean;
  readonly error: string | null;
  change(isEnabled: boolean): Promise<void>;
}

/** Whether this browser answers, and the switch for it: switched when the server knows, not before. */
export function useAnswering(): Answering {
  const t = useT();
  const room = useControlRoom();
  const isEnabled = useRoom((state) => state.interaction === 'enabled');
  const [isChanging, setChanging] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const change = async (wanted: boolean): Promise<void> => {
    const interaction = wanted ? 'enabled' : 'disabled';
    setChanging(true);
    setError(null);
    try {
      await room.setInteraction(interaction);
      setPreferences({ interaction });
    } catch (failure) {
      setError(errorText(t, failure));
    }
    setChanging(false);
  };
  return { isEnabled, isChanging, error, change };
}
