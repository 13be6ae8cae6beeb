import { CloudOff, type LucideIcon, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useControlRoom, useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
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

const Bar = ({
  icon: Icon,
  action,
  children,
}: {
  readonly icon: LucideIcon;
  readonly action: ReactNode;
  readonly children: ReactNode;
}) => (
  <div
    role="status"
    className="flex min-h-8 shrink-0 items-center justify-center gap-2 border-line border-b bg-sunken px-3 py-1 text-soft text-sm"
  >
    <Icon aria-hidden className="size-4 shrink-0 text-faint" />
    {children}
    <span className="shrink-0 whitespace-nowrap">{action}</span>
  </div>
);
