import { useCallback, useEffect, useState } from 'react';
import { showSuspicious } from '../../../model/suspicious-text.ts';
import type { Grant } from '../../../protocol/grant.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { Section } from './details-section.tsx';

/** What the session may do without asking, and a way to take it back. `news` grows when that may have changed. */
export function DetailsGrants({ sessionId, news }: { readonly sessionId: string; readonly news: number }) {
  const t = useT();
  const { grants, revoke, revoking } = useGrantsOf(sessionId, news);
  if (grants.length === 0) return null;
  return (
    <Section title={t('details.grants')} aside={String(grants.length)}>
      <ul className="flex flex-col gap-2">
        {grants.map(({ id, toolName, pattern }) => (
          <li key={id} className="flex items-start gap-2 text-sm">
            <span className="min-w-0 flex-1 wrap-anywhere">
              {toolName} <code className="font-mono text-soft text-xs">{showSuspicious(pattern)}</code>
            </span>
            <Button
              size="sm"
              isBusy={revoking === id}
              aria-label={t('details.revokeOf', { tool: toolName, pattern })}
              onClick={() => revoke(id)}
            >
              {t('details.revoke')}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function useGrantsOf(sessionId: string, news: number) {
  const t = useT();
  const transport = useTransport();
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const [revoking, setRevoking] = useState<string | null>(null);
  const read = useCallback(
    () =>
      transport.grants().then(
        (all) => setGrants(all.filter((grant) => grant.sessionId === sessionId)),
        // They are shown as they were; the next news asks again.
        () => {},
      ),
    [transport, sessionId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew with every grant that came or went
  useEffect(() => {
    void read();
  }, [read, news]);
  const revoke = (id: string): void => {
    setRevoking(id);
    transport
      .revokeGrant(id)
      .then(read, (error: unknown) => toast('fail', errorText(t, error)))
      .finally(() => setRevoking(null));
  };
  return { grants, revoke, revoking };
}
