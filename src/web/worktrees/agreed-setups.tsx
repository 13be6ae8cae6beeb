import { TerminalSquare } from 'lucide-react';
import { useCallback } from 'react';
import type { AgreedSetup } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { useT } from '../i18n/i18n.ts';
import { whoText } from '../interaction/outcome-line.tsx';
import { ListCard } from '../pages/settings/list-card.tsx';
import { errorText } from '../text/error-text.ts';
import { plainText } from '../text/plain-text.ts';
import { Ago } from '../ui/ago.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { toast } from '../ui/toast.tsx';

/** The setups of projects that somebody has agreed to, and a way to take that back. */
export function AgreedSetups() {
  const t = useT();
  const transport = useTransport();
  const read = useCallback(async () => {
    const setups = await transport.setups();
    return setups.map((setup) => ({
      ...setup,
      id: `${setup.digest} ${setup.machine ?? ''} ${setup.repository}`,
    }));
  }, [transport]);
  const [list, again] = useList(read);
  const revoke = async ({ machine, repository, digest }: AgreedSetup): Promise<void> => {
    try {
      await transport.revokeSetup({ repository, digest, ...(machine !== undefined && { machine }) });
    } catch (error) {
      toast('fail', errorText(t, error));
    }
    again();
  };
  return (
    <ListCard list={list} icon={TerminalSquare} empty={t('setups.none')} onRetry={again}>
      {(setup) => (
        <>
          <div className="flex min-w-0 flex-1 flex-col gap-1">
            <p className="font-medium wrap-anywhere">
              {setup.machine !== undefined && `${setup.machine}: `}
              {plainText(setup.repository)}
            </p>
            <p className="flex flex-wrap gap-x-2 text-faint text-xs">
              <code>{setup.digest.slice(0, 12)}</code>
              <Ago at={setup.agreedAt} />
              <span>{whoText(t, setup.by)}</span>
            </p>
          </div>
          <ConfirmButton
            size="sm"
            confirm={t('settings.confirmRevoke')}
            aria-label={`${t('settings.revoke')}: ${plainText(setup.repository)}`}
            onConfirm={() => void revoke(setup)}
          >
            {t('settings.revoke')}
          </ConfirmButton>
        </>
      )}
    </ListCard>
  );
}
