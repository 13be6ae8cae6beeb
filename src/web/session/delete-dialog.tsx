import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes, sessionIn } from '../routes.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { titleOf } from './activity.logic.ts';
import { grantsIn, useGrants } from './grants.tsx';

/** Says what goes with a session before it goes; one that still runs is stopped first. */
export function DeleteDialog({
  sessionId,
  onClose,
}: {
  readonly sessionId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const session = useSession(sessionId);
  const [location, navigate] = useLocation();
  const [grants] = useGrants();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  if (session === undefined) return null;
  const kept = grants.is === 'there' ? grants.items.filter(({ scope }) => scope === 'always').length : 0;
  const isStopped = session.status === 'stopped';

  const remove = async (): Promise<void> => {
    setBusy(true);
    try {
      if (!isStopped) await transport.stop(sessionId);
      await transport.removeSession(sessionId);
      if ([session.id, session.key].includes(sessionIn(location))) navigate(routes.control);
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={t('delete.title')}
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button variant="danger" isBusy={isBusy} onClick={() => void remove()}>
            {t(isStopped ? 'delete.delete' : 'delete.stopAndDelete')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        <p className="font-medium wrap-anywhere">{titleOf(session)}</p>
        <p>{t('delete.goes')}</p>
        <ul className="list-disc pl-5 text-soft">
          <li>{t('delete.log', { count: session.lastSeq })}</li>
          <li>{t('delete.images')}</li>
          <li>{t('delete.raw')}</li>
          <li>
            {grants.is === 'there'
              ? t('delete.grants', { count: grantsIn(grants, session.id).length })
              : t('delete.anyGrants')}
          </li>
        </ul>
        {!isStopped && <p>{t('delete.stopsFirst')}</p>}
        <p className="text-faint text-sm">
          {t('delete.stays')}
          {kept > 0 && ` ${t('delete.keptGrants', { count: kept })}`}
        </p>
        {error !== undefined && (
          <p role="alert" className="text-fail-ink text-sm">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
