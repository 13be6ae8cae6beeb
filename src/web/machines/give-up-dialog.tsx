import { useState } from 'react';
import type { Machine } from '../../protocol/machine.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toast.tsx';

/** Says what ends with a machine before a person gives it up. */
export function GiveUpDialog({
  machine: { name, sessions, pending },
  onClose,
  onGivenUp,
}: {
  readonly machine: Machine;
  readonly onClose: () => void;
  readonly onGivenUp: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const giveUp = async (): Promise<void> => {
    setBusy(true);
    try {
      await transport.giveUpMachine(name);
      toast('done', t('machines.givenUp', { machine: name }));
      onGivenUp();
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('machines.giveUpTitle', { machine: name })}
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button variant="danger" isBusy={isBusy} onClick={() => void giveUp()}>
            {t('machines.giveUpNow')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        <p>{t('machines.giveUpWhen')}</p>
        <ul className="flex list-disc flex-col gap-1 pl-5 text-soft">
          <li>{t('machines.giveUpSessions', { count: sessions })}</li>
          {pending > 0 && <li>{t('machines.giveUpAsks', { count: pending })}</li>}
          <li>{t('machines.giveUpAnswers')}</li>
          <li>{t('machines.giveUpAgents')}</li>
        </ul>
        {error !== undefined && (
          <p role="alert" className="text-fail-ink text-sm">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
