import { useId, useState } from 'react';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { shortDirectory, titleOf } from './activity.logic.ts';

const choices = [5, 15, 60] as const;

/** Says what it means to allow everything of a session for a while, and what is asked all the same, before it is given. */
export function TrustDialog({
  sessionId,
  onClose,
}: {
  readonly sessionId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const name = useId();
  const transport = useTransport();
  const session = useSession(sessionId);
  const [minutes, setMinutes] = useState<number>(15);
  if (session === undefined) return null;

  const give = async (): Promise<void> => {
    await transport.giveTrust(sessionId, { minutes });
  };

  return (
    <ConfirmDialog
      title={t('trust.title')}
      action={t('trust.give', { count: minutes })}
      onConfirm={give}
      onClose={onClose}
    >
      <p className="font-medium wrap-anywhere">{titleOf(session)}</p>
      <p>{t('trust.lead')}</p>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1 text-faint text-sm">{t('trust.minutes')}</legend>
        {choices.map((choice) => (
          <label
            key={choice}
            className="flex min-h-8 items-center gap-2 rounded-ui border border-line-strong px-3 has-checked:border-ink has-checked:bg-hover has-focus-visible:outline-2 pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name={name}
              checked={choice === minutes}
              onChange={() => setMinutes(choice)}
              className="accent-ink"
            />
            {t('trust.minutesCount', { count: choice })}
          </label>
        ))}
      </fieldset>
      <div>
        <p>{t('trust.still')}</p>
        <ul className="list-disc pl-5 text-soft">
          <li>{t('trust.still.person')}</li>
          <li>{t('trust.still.files', { directory: shortDirectory(session.cwd) })}</li>
          <li>{t('trust.still.commands')}</li>
          <li>{t('trust.still.unknown')}</li>
        </ul>
      </div>
      {session.pendingCount > 0 && <p>{t('trust.open', { count: session.pendingCount })}</p>}
      <p className="text-faint text-sm">{t('trust.noWall')}</p>
    </ConfirmDialog>
  );
}
