import { ShieldAlert } from 'lucide-react';
import type { Agent, Asking } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';

/** Before a session is started: that this agent acts without asking, and what makes it ask. */
export function AskingNote({
  agent,
  asking,
  onAsk,
}: {
  readonly agent: Agent;
  readonly asking: Asking;
  readonly onAsk: (asking: Asking) => void;
}) {
  const t = useT();
  const { byDefault, mode, variable } = asking;
  return (
    <div
      role="note"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-ui border border-you-edge bg-you-tint px-3 py-2 text-sm text-you-ink"
    >
      <ShieldAlert aria-hidden className="size-4 shrink-0" />
      <span className="min-w-48 flex-1">
        {t(byDefault === 'never' ? 'new.neverAsks' : 'new.seldomAsks', { agent: agent.label })}
        {mode === undefined && variable === undefined && ` ${t('new.cannotAsk')}`}
      </span>
      {(mode !== undefined || variable !== undefined) && (
        <Button onClick={() => onAsk(asking)}>{t('new.letItAsk')}</Button>
      )}
    </div>
  );
}
