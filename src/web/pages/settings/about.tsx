import { CircleCheck, CircleSlash } from 'lucide-react';
import { useCallback } from 'react';
import { serverVersion } from '../../data/access.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ListCard } from './list-card.tsx';

const versions = async (): Promise<readonly string[]> => [await serverVersion()];

/** The version that runs, and the agents it has found; of those it has not, why. */
export function About() {
  const t = useT();
  const transport = useTransport();
  const [version] = useList(versions);
  const [agents, again] = useList(
    useCallback(
      async () => (await transport.agents()).map((agent) => ({ ...agent, id: agent.name })),
      [transport],
    ),
  );
  return (
    <div className="flex flex-col gap-3">
      <Card className="flex items-center gap-2 px-4 py-3">
        <span className="font-medium">Beckon</span>
        {version.is === 'there' ? (
          <span className="text-soft">{version.items[0]}</span>
        ) : (
          version.is === 'loading' && <Skeleton className="h-4 w-12" />
        )}
      </Card>
      <ListCard list={agents} icon={CircleSlash} empty={t('settings.noAgents')} onRetry={again}>
        {({ label, available, version: found, reason }) => (
          <>
            {available ? (
              <CircleCheck aria-hidden className="size-4 shrink-0 text-done" />
            ) : (
              <CircleSlash aria-hidden className="size-4 shrink-0 text-faint" />
            )}
            <div className="flex min-w-0 flex-1 flex-col">
              <span className="font-medium">{label}</span>
              <span className="text-faint text-sm wrap-anywhere">
                {available ? (found ?? t('new.available')) : (reason ?? t('new.unavailable'))}
              </span>
            </div>
          </>
        )}
      </ListCard>
    </div>
  );
}
