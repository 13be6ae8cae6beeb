import { RotateCcw } from 'lucide-react';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from '../ui/button.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { useSessionActions } from './use-session-actions.ts';

/** Why a session failed, with the agent's last words, and a way on. */
export function FailureNote({
  session,
  canResume = true,
}: {
  readonly session: Session;
  /** False where the way on is offered beside it. */
  readonly canResume?: boolean;
}) {
  const t = useT();
  const { resume } = useSessionActions(session, useTransport());
  if (session.failure === null) return null;
  const { reason, stderr } = session.failure;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <p className="text-fail-ink text-sm wrap-anywhere">{t('notice.failed', { reason })}</p>
      {stderr.length > 0 && (
        <ScrollArea className="min-h-0 rounded-tight bg-sunken px-2 py-1">
          <pre className="whitespace-pre-wrap font-mono text-soft text-xs wrap-anywhere">
            {plainText(stderr.join('\n'))}
          </pre>
        </ScrollArea>
      )}
      {canResume && (
        <div className="mt-auto flex justify-end">
          <Button size="sm" icon={RotateCcw} onClick={resume}>
            {t('session.resume')}
          </Button>
        </div>
      )}
    </div>
  );
}
