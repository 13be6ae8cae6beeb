import { Check, Copy, Smartphone } from 'lucide-react';
import { Suspense, useState } from 'react';
import { makePairingCode, type PairingCode } from '../../data/access.ts';
import { pageUrl } from '../../data/base-path.ts';
import { useT } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useClock } from '../../ui/clock.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { shortDuration } from '../../ui/time.logic.ts';
import { useActing } from '../../ui/use-acting.ts';

const QrCode = lazyPart(async () => (await import('./qr-code.tsx')).QrCode);

/** A link and a code that let one more browser in, once. */
export function PairDevice() {
  const t = useT();
  const [code, setCode] = useState<PairingCode | null>(null);
  const { isBusy, error, act } = useActing();
  return (
    <>
      {code !== null && <Invitation key={code.code} code={code} />}
      {error !== undefined && <ErrorNote>{error}</ErrorNote>}
      <div>
        <Button
          icon={Smartphone}
          isBusy={isBusy}
          onClick={() => void act(async () => setCode(await makePairingCode()))}
        >
          {code === null ? t('settings.pair') : t('settings.pairAgain')}
        </Button>
      </div>
    </>
  );
}

function Invitation({ code: { code, expiresAt, url } }: { readonly code: PairingCode }) {
  const t = useT();
  // The address by which this browser gets here is more likely to be of use elsewhere than the server's own idea of it, unless
  // it is this machine's own and the server knows another.
  const isHere = isLoopback(location.hostname);
  const isReachable = !isHere || !isLoopback(new URL(url).hostname);
  const link = isHere && isReachable ? url : pageUrl(`/#pair=${code}`);
  const left = useClock((now) => {
    const milliseconds = Date.parse(expiresAt) - now;
    return milliseconds <= 0 ? '' : shortDuration(milliseconds);
  });
  if (left === '') return <p className="text-soft text-sm">{t('settings.codeOver')}</p>;
  return (
    <Card className="flex flex-wrap items-start gap-6 p-4">
      <Suspense fallback={<Skeleton className="size-40" />}>
        <QrCode text={link} label={t('settings.qr')} />
      </Suspense>
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-3">
        <p className="text-soft">{t('settings.pairHow')}</p>
        <Copyable label={t('settings.pairLink')} text={link} />
        <Copyable label={t('settings.pairCode')} text={code} />
        <p className="text-faint text-sm">{t('settings.pairOnce', { left })}</p>
        {!isReachable && <p className="text-faint text-sm">{t('settings.pairLoopback')}</p>}
      </div>
    </Card>
  );
}

function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const t = useT();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium text-sm">{label}</span>
      <div className="flex items-center gap-2">
        <code className="min-w-0 flex-1 select-all rounded-ui border border-line bg-ground px-2.5 py-1.5 font-mono text-sm wrap-anywhere">
          {text}
        </code>
        {/* Pages that were loaded over plain HTTP from another machine have no clipboard. */}
        {globalThis.navigator.clipboard !== undefined && (
          <Button
            size="sm"
            icon={isCopied ? Check : Copy}
            aria-label={`${t('settings.copy')}: ${label}`}
            onClick={() => void copy()}
          >
            {isCopied ? t('settings.copied') : t('settings.copy')}
          </Button>
        )}
      </div>
    </div>
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');
