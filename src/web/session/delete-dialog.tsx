import { useLocation } from 'wouter';
import { useSession, useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes, sessionIn } from '../routes.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
  if (session === undefined) return null;
  const kept = grants.is === 'there' ? grants.items.filter(({ scope }) => scope === 'always').length : 0;
  const isStopped = session.status === 'stopped';

  const remove = async (): Promise<void> => {
    if (!isStopped) await transport.stop(sessionId);
    await transport.removeSession(sessionId);
    if ([session.id, session.key].includes(sessionIn(location))) navigate(routes.control);
  };

  return (
    <ConfirmDialog
      title={t('delete.title')}
      action={t(isStopped ? 'delete.delete' : 'delete.stopAndDelete')}
      onConfirm={remove}
      onClose={onClose}
    >
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
    </ConfirmDialog>
  );
}
