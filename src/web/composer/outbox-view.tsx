import { CircleAlert, LoaderCircle, Pencil, RotateCcw, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { messageInShort } from '../text/message-in-short.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { PictureCount } from './attachments.tsx';
import { discard, mayHaveArrived, type Outgoing, takeBack, useOutbox } from './outbox.ts';
import { putBackMessage } from './pasted-texts.ts';
import { putBackPictures, readPictures } from './pictures.ts';

/** What was said and has not reached the server: on its way, or failed and waiting to be sent again. */
export function OutboxView({
  sessionId,
  isSmall = false,
  canRetry,
  onRetry,
}: {
  readonly sessionId: string;
  readonly isSmall?: boolean;
  readonly canRetry: boolean;
  readonly onRetry: (outgoing: Outgoing) => void;
}) {
  const all = useOutbox();
  const ours = useMemo(() => all.filter((each) => each.sessionId === sessionId), [all, sessionId]);
  return ours.map((outgoing) =>
    outgoing.state === 'sending' ? (
      <OnItsWay key={outgoing.id} outgoing={outgoing} isSmall={isSmall} />
    ) : (
      <NotSent
        key={outgoing.id}
        outgoing={outgoing}
        isSmall={isSmall}
        canRetry={canRetry}
        onRetry={onRetry}
      />
    ),
  );
}

/** The server mostly answers before one could read this: it is shown only when it takes its time. */
const quietMs = 120;

function OnItsWay({ outgoing, isSmall }: { readonly outgoing: Outgoing; readonly isSmall: boolean }) {
  const t = useT();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), quietMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <div className="flex items-center justify-end gap-2 text-faint text-xs">
      <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />
      <span className="shrink-0">{t('composer.sending')}</span>
      <Words outgoing={outgoing} isSmall={isSmall} />
    </div>
  );
}

function NotSent({
  outgoing,
  isSmall,
  canRetry,
  onRetry,
}: {
  readonly outgoing: Outgoing;
  readonly isSmall: boolean;
  readonly canRetry: boolean;
  readonly onRetry: (outgoing: Outgoing) => void;
}) {
  const t = useT();
  const edit = async (): Promise<void> => {
    const { id, sessionId, text, pictureIds } = outgoing;
    const pictures = await readPictures(pictureIds);
    takeBack(id);
    putBackMessage(sessionId, text);
    putBackPictures(sessionId, pictures);
  };
  return (
    <section
      aria-label={t('composer.notSent')}
      className="flex flex-col gap-1.5 rounded-ui border border-fail-edge bg-fail-tint px-3 py-2"
    >
      <Words outgoing={outgoing} isSmall={isSmall} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p role="alert" className="flex min-w-0 flex-1 items-start gap-1.5 text-fail-ink text-xs">
          <CircleAlert aria-hidden className="mt-0.25 size-3.5 shrink-0" />
          <span className="wrap-anywhere">
            {mayHaveArrived(outgoing) ? t('composer.unsure') : errorText(t, outgoing.error)}
          </span>
        </p>
        <div className="flex shrink-0 gap-1">
          <Button size="sm" icon={RotateCcw} disabled={!canRetry} onClick={() => onRetry(outgoing)}>
            {t('composer.retry')}
          </Button>
          {!isSmall && (
            <Button size="sm" variant="ghost" icon={Pencil} onClick={() => void edit()}>
              {t('composer.edit')}
            </Button>
          )}
          <Button size="sm" variant="ghost" icon={X} onClick={() => discard(outgoing)}>
            {t('composer.discard')}
          </Button>
        </div>
      </div>
    </section>
  );
}

function Words({ outgoing, isSmall }: { readonly outgoing: Outgoing; readonly isSmall: boolean }) {
  const t = useT();
  const { text, pictureIds } = outgoing;
  return (
    <p
      className={cx(
        'min-w-0 whitespace-pre-wrap text-ink text-sm wrap-anywhere',
        isSmall ? 'line-clamp-1' : 'line-clamp-4',
        outgoing.state === 'sending' && 'rounded-ui bg-sunken px-3 py-2 opacity-70',
      )}
    >
      {messageInShort(t, text)}
      <PictureCount count={pictureIds.length} />
    </p>
  );
}
