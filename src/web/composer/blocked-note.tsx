import { CloudOff, RotateCcw } from 'lucide-react';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { useSessionActions } from '../session/use-session-actions.ts';
import { Button } from '../ui/button.tsx';
import type { Blocked } from './composer.logic.ts';

/** Why nothing can be sent, and the way on where there is one. */
export function BlockedNote({
  session,
  blocked,
}: {
  readonly session: Session;
  readonly blocked: Blocked | null;
}) {
  const t = useT();
  const { resume } = useSessionActions(session, useTransport());
  switch (blocked) {
    case null:
      return <span className="flex-1" />;
    case 'disconnected':
      return (
        <p role="status" className="flex min-w-0 flex-1 items-center gap-1.5 text-faint text-xs">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          {t('composer.disconnected')}
        </p>
      );
    case 'stopped':
    case 'failed':
      return (
        <>
          <p className="min-w-0 flex-1 text-faint text-xs">{t(`composer.blocked.${blocked}`)}</p>
          <Button variant="primary" icon={RotateCcw} onClick={resume}>
            {t('session.resume')}
          </Button>
        </>
      );
  }
}
