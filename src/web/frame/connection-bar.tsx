import { CloudOff, RefreshCw } from 'lucide-react';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Bar } from './bar.tsx';
import { useNewerServer } from './use-newer-server.ts';

/** Quiet, and gone by itself: what was typed is safe, and the page is as it was when the connection was lost. */
export function ConnectionBar() {
  const t = useT();
  const room = useControlRoom();
  const connection = useRoom((state) => state.connection);
  const newer = useNewerServer();
  if (connection.state === 'lost' || connection.state === 'refused')
    return (
      <Bar
        icon={CloudOff}
        action={
          <Button size="sm" variant="ghost" onClick={() => room.start()}>
            {t('frame.retry')}
          </Button>
        }
      >
        {connection.state === 'lost' ? t('frame.lost') : errorText(t, connection.error)}
      </Bar>
    );
  if (newer !== null)
    return (
      <Bar
        icon={RefreshCw}
        action={
          <Button size="sm" variant="ghost" onClick={() => location.reload()}>
            {t('frame.reload')}
          </Button>
        }
      >
        {t('frame.newer', { version: newer })}
      </Bar>
    );
  return null;
}
