import { type FormEvent, useState } from 'react';
import { BeckonError } from '../../client/beckon-error.ts';
import { pair, pairingCodeIn } from '../data/access.ts';
import { pageUrl } from '../data/base-path.ts';
import { useRoom } from '../data/room-context.tsx';
import { type Translate, useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';
import { Mark } from './mark.tsx';

/** This browser is not known: it wants a code that only someone at the machine, or already in, can make. */
export function SignIn({ onPaired, failure }: { readonly onPaired: () => void; readonly failure: unknown }) {
  const t = useT();
  const [text, setText] = useState('');
  // It was in before: someone has taken its permission back, or the server's data directory is another one.
  const wasIn = useRoom((room) => room.isLoaded);
  const isKeyMissing = useRoom(
    ({ connection }) => connection.state === 'signed-out' && connection.isKeyMissing,
  );
  const field = useFocusOnMount<HTMLInputElement>();
  const [isPairing, setPairing] = useState(false);
  const [error, setError] = useState<string | undefined>(
    failure === null ? undefined : pairingErrorText(t, failure),
  );

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const code = pairingCodeIn(text);
    if (code === undefined) return setError(t('pair.notACode'));
    setPairing(true);
    setError(undefined);
    try {
      await pair(code);
      onPaired();
    } catch (problem) {
      setError(pairingErrorText(t, problem));
      setPairing(false);
    }
  };

  return (
    <main className="flex h-full overflow-y-auto p-6">
      <form onSubmit={(event) => void submit(event)} className="m-auto flex w-full max-w-sm flex-col gap-5">
        <Mark />
        <div className="flex flex-col gap-2">
          <h1 className="font-semibold text-xl">{t(wasIn ? 'pair.again' : 'pair.title')}</h1>
          {wasIn && <p className="text-soft">{t('pair.draftsSafe')}</p>}
          {isKeyMissing && <p className="text-soft">{t('pair.keyMissing')}</p>}
          <p className="text-soft">{t('pair.how')}</p>
          <pre className="whitespace-pre-wrap rounded-ui border border-line bg-surface px-3 py-2 font-mono text-xs wrap-anywhere">
            Beckon is ready: {pageUrl('/#pair=…')}
          </pre>
        </div>
        <Field label={t('pair.code')} error={error}>
          {(ids) => (
            <Input
              {...ids}
              ref={field}
              value={text}
              spellCheck={false}
              autoComplete="one-time-code"
              onChange={(event) => setText(event.target.value)}
              className="h-10 font-mono"
            />
          )}
        </Field>
        <Button
          type="submit"
          variant="primary"
          isBusy={isPairing}
          disabled={text.trim() === ''}
          className="min-h-10"
        >
          {t('pair.enter')}
        </Button>
      </form>
    </main>
  );
}

/** Why a code did not let one in, and what to do. */
function pairingErrorText(t: Translate, error: unknown): string {
  if (!(error instanceof BeckonError)) return errorText(t, error);
  if (error.code === 'pairing_failed') return t('pair.failed');
  if (error.code !== 'too_many_requests') return errorText(t, error);
  const { retryAfterSeconds } = error.details;
  return t('pair.tooMany', { seconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 60 });
}
