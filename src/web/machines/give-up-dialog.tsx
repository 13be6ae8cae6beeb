import type { Machine } from '../../protocol/machine.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
  const giveUp = async (): Promise<void> => {
    await transport.giveUpMachine(name);
    toast('done', t('machines.givenUp', { machine: name }));
    onGivenUp();
  };
  return (
    <ConfirmDialog
      title={t('machines.giveUpTitle', { machine: name })}
      action={t('machines.giveUpNow')}
      onConfirm={giveUp}
      onClose={onClose}
    >
      <p>{t('machines.giveUpWhen')}</p>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-soft">
        <li>{t('machines.giveUpSessions', { count: sessions })}</li>
        {pending > 0 && <li>{t('machines.giveUpAsks', { count: pending })}</li>}
        <li>{t('machines.giveUpAnswers')}</li>
        <li>{t('machines.giveUpAgents')}</li>
      </ul>
    </ConfirmDialog>
  );
}
