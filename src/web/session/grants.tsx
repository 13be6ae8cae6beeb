import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { Grant } from '../../protocol/grant.ts';
import { useTransport } from '../data/room-context.tsx';
import { type Listed, useList } from '../data/use-list.ts';
import { useNamedSession } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { whoText } from '../interaction/outcome-line.tsx';
import { routes } from '../routes.ts';
import { errorText } from '../text/error-text.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { toast } from '../ui/toast.tsx';
import { shortDirectory, titleOf } from './activity.logic.ts';

/** Everything that is allowed without being asked about, read again on demand; `news` changes when that may have changed. */
export function useGrants(news = 0): readonly [Listed<Grant>, () => void] {
  const transport = useTransport();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew with every grant that came or went
  return useList(useCallback(() => transport.grants(), [transport, news]));
}

/** What holds in this session alone. */
export const grantsIn = (list: Listed<Grant>, sessionId: string): readonly Grant[] =>
  list.is === 'there' ? list.items.filter((grant) => grant.sessionId === sessionId) : [];

/** What is allowed, where and since when, who said so, and a way to take it back. */
export function GrantRow({
  grant,
  onChanged,
  isOfSession = false,
}: {
  readonly grant: Grant;
  readonly onChanged: () => void;
  /** Among those of one session, whose name need not be said. */
  readonly isOfSession?: boolean;
}) {
  const t = useT();
  const [isRevoking, revoke] = useRevoke(grant, onChanged);
  return (
    <>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium">
            {grant.subjectKind === 'any' ? t('settings.trust') : grant.toolName}
          </span>
          {grant.subjectKind === 'key' && <span className="text-faint text-xs">{t('settings.ofKey')}</span>}
          {grant.subjectKind !== 'any' && (
            <code className="min-w-0 rounded-tight bg-sunken px-1.5 font-mono text-xs leading-5 wrap-anywhere">
              {showSuspicious(grant.pattern)}
            </code>
          )}
          {grant.literal && grant.subjectKind !== 'key' && (
            <span className="text-faint text-xs">{t('settings.exact')}</span>
          )}
        </p>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-faint text-xs">
          {!isOfSession && (
            <>
              <Badge>{t(`settings.scope.${grant.scope}`)}</Badge>
              <GrantSession grant={grant} />
            </>
          )}
          {grant.directory !== undefined && (
            <span title={grant.directory} className="min-w-0 wrap-anywhere">
              {t('suggestion.inDirectory', { directory: shortDirectory(grant.directory) })}
            </span>
          )}
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

function useRevoke(grant: Grant, onChanged: () => void): readonly [boolean, () => Promise<void>] {
  const t = useT();
  const transport = useTransport();
  const [isRevoking, setRevoking] = useState(false);
  const revoke = async (): Promise<void> => {
    setRevoking(true);
    try {
      await transport.revokeGrant(grant.id);
      toast('done', t('settings.revoked', { tool: grant.toolName }));
    } catch (error) {
      toast('fail', errorText(t, error));
      setRevoking(false);
    }
    onChanged();
  };
  return [isRevoking, revoke];
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
