import { KeyRound } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { showSuspicious } from '../../../model/suspicious-text.ts';
import type { Grant } from '../../../protocol/grant.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useNamedSession } from '../../data/use-older.ts';
import { useT } from '../../i18n/i18n.ts';
import { whoText } from '../../interaction/outcome-line.tsx';
import { routes } from '../../routes.ts';
import { titleOf } from '../../session/activity.logic.ts';
import { errorText } from '../../text/error-text.ts';
import { Ago } from '../../ui/ago.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { toast } from '../../ui/toast.tsx';
import { ListCard } from './list-card.tsx';
import { useList } from './use-list.ts';

/** Everything that is allowed without being asked about, each with who said so, and a way to take it back. */
export function Grants() {
  const t = useT();
  const transport = useTransport();
  const [list, again] = useList(useCallback(() => transport.grants(), [transport]));
  return (
    <ListCard list={list} icon={KeyRound} empty={t('settings.noGrants')} onRetry={again}>
      {(grant) => <GrantRow grant={grant} onChanged={again} />}
    </ListCard>
  );
}

function GrantRow({ grant, onChanged }: { readonly grant: Grant; readonly onChanged: () => void }) {
  const t = useT();
  const transport = useTransport();
  const [isRevoking, setRevoking] = useState(false);
  const revoke = async (): Promise<void> => {
    setRevoking(true);
    try {
      await transport.revokeGrant(grant.id);
      toast('done', t('settings.revoked', { tool: grant.toolName }));
      onChanged();
    } catch (error) {
      toast('fail', errorText(t, error));
      setRevoking(false);
      onChanged();
    }
  };
  return (
    <>
      <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium">{grant.toolName}</span>
          {grant.subjectKind === 'key' && <span className="text-faint text-xs">{t('settings.ofKey')}</span>}
          <code className="min-w-0 rounded-tight bg-sunken px-1.5 font-mono text-xs leading-5 wrap-anywhere">
            {showSuspicious(grant.pattern)}
          </code>
          {grant.literal && grant.subjectKind !== 'key' && (
            <span className="text-faint text-xs">{t('settings.exact')}</span>
          )}
        </p>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-faint text-xs">
          <Badge>{t(`settings.scope.${grant.scope}`)}</Badge>
          <GrantSession grant={grant} />
          <span>
            {t('settings.since')} <Ago at={grant.createdAt} />
          </span>
          <span>{whoText(t, grant.by)}</span>
          {grant.expiresAt !== undefined && (
            <span>{t('settings.until', { when: new Date(grant.expiresAt).toLocaleString(t.language) })}</span>
          )}
        </p>
      </div>
      <ConfirmButton
        size="sm"
        confirm={t('settings.confirmRevoke')}
        isBusy={isRevoking}
        aria-label={`${t('settings.revoke')}: ${grant.toolName} ${grant.pattern}`}
        onConfirm={() => void revoke()}
      >
        {t('settings.revoke')}
      </ConfirmButton>
    </>
  );
}

function GrantSession({ grant: { sessionId } }: { readonly grant: Grant }) {
  const session = useNamedSession(sessionId);
  if (session == null) return null;
  return (
    <Link href={routes.session(session.id)} className="min-w-0 max-w-60 truncate text-soft hover:underline">
      {titleOf(session)}
    </Link>
  );
}
