import { SquareTerminal } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { Unlock } from '../../protocol/unlock.ts';
import { allowUnlock, endUnlock } from '../data/access.ts';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { useClock } from '../ui/clock.ts';
import { Input } from '../ui/field.tsx';
import { shortDuration } from '../ui/time.logic.ts';
import { toast } from '../ui/toast.tsx';

/** Terminals that want to decide, or do so for a while: on every page, for whoever sits at it did not ask for this. */
export function UnlockBar() {
  const unlocks = useRoom((room) => room.unlocks);
  const asked = unlocks.filter(({ status }) => status === 'asked');
  return (
    <>
      {unlocks.map((unlock) => unlock.status === 'open' && <Unlocked key={unlock.id} unlock={unlock} />)}
      {asked.length > 0 && (
        // Above the page: any program with the token can make it appear, and must not move a button under the pointer by it.
        <div className="fixed inset-x-2 top-2 z-40 mx-auto flex max-h-[70dvh] max-w-md flex-col gap-2 overflow-y-auto">
          {asked.map((unlock) => (
            <Wish key={unlock.id} unlock={unlock} />
          ))}
        </div>
      )}
    </>
  );
}

/** The code is typed, not shown: a terminal that is not the person's own cannot be let in by a press that was meant for another. */
function Wish({ unlock: { id, name, minutes } }: { readonly unlock: Unlock }) {
  const t = useT();
  const field = useId();
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const allow = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await allowUnlock(id, code);
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={t('unlock.wish', { name, minutes })}
      onSubmit={(event) => void allow(event)}
      className="flex shrink-0 flex-col gap-2.5 rounded-ui border border-you-edge bg-you-tint p-3 text-sm shadow-float"
    >
      <p className="flex min-w-0 items-start gap-2 text-you-ink">
        <SquareTerminal aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 wrap-anywhere">{t('unlock.wish', { name, minutes })}</span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={field}>{t('unlock.code')}</label>
        <div className="w-24">
          <Input
            id={field}
            value={code}
            maxLength={10}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            aria-invalid={error !== null || undefined}
            aria-describedby={error === null ? undefined : `${field}-error`}
            onChange={(event) => setCode(event.target.value)}
            className="font-mono uppercase"
          />
        </div>
        <Button size="sm" type="submit" isBusy={isBusy} disabled={code.trim().length < 4}>
          {t('unlock.allow')}
        </Button>
        <EndButton id={id} label={t('unlock.deny')} />
      </div>
      {error !== null && (
        <p id={`${field}-error`} role="alert" className="text-fail-ink">
          {error}
        </p>
      )}
    </form>
  );
}

function Unlocked({ unlock: { id, name, expiresAt } }: { readonly unlock: Unlock }) {
  const t = useT();
  const left = useClock((now) => shortDuration(Date.parse(expiresAt) - now));
  return (
    <div
      role="status"
      className="flex min-h-8 shrink-0 items-center justify-center gap-2 border-line border-b bg-sunken px-3 py-1 text-soft text-sm"
    >
      <SquareTerminal aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 wrap-anywhere">{t('unlock.open', { name, left })}</span>
      <EndButton id={id} label={t('unlock.end')} />
    </div>
  );
}

function EndButton({ id, label }: { readonly id: string; readonly label: string }) {
  const t = useT();
  const end = async (): Promise<void> => {
    try {
      await endUnlock(id);
    } catch (failure) {
      toast('fail', errorText(t, failure));
    }
  };
  return (
    <Button size="sm" variant="ghost" className="shrink-0" onClick={() => void end()}>
      {label}
    </Button>
  );
}
