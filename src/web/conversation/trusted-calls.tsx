import { ShieldCheck } from 'lucide-react';
import { useCallback, useState } from 'react';
import { valueLine, visibleLine } from '../../model/suspicious-text.ts';
import { mainPartOf, toolCallOf } from '../../model/tool-call.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { useConversationPlace } from './conversation-context.ts';

/** What a time of trust has allowed, when it has ended. */
export function TrustedCalls({ event }: { readonly event: EventOf<'grant.ended'> }) {
  const t = useT();
  const { sessionId } = useConversationPlace();
  const [isOpen, setOpen] = useState(false);
  if ((event.uses ?? 0) === 0) return null;
  return (
    <div className="flex flex-col items-start gap-1 pl-5">
      <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t(isOpen ? 'trust.hide' : 'trust.show')}
      </Button>
      {isOpen && <Calls sessionId={sessionId} grantId={event.grantId} />}
    </div>
  );
}

function Calls({ sessionId, grantId }: { readonly sessionId: string; readonly grantId: string }) {
  const t = useT();
  const transport = useTransport();
  const [list] = useList(
    useCallback(() => transport.grantUses(sessionId, grantId), [transport, sessionId, grantId]),
  );
  if (list.is === 'failed') return <p role="alert">{errorText(t, list.error)}</p>;
  if (list.is === 'loading') return null;
  return (
    <ul className="flex max-h-80 w-full flex-col gap-0.5 overflow-y-auto text-soft text-sm">
      {list.items.map((use) => (
        <li key={use.interactionId} className="flex min-w-0 items-baseline gap-2">
          <ShieldCheck aria-hidden className="size-3 shrink-0 self-center text-faint" />
          <span className="shrink-0">{use.toolName}</span>
          <code className="min-w-0 font-mono text-xs wrap-anywhere">{wordsOf(use)}</code>
        </li>
      ))}
    </ul>
  );
}

function wordsOf(use: Interaction): string {
  const main = mainPartOf(toolCallOf(use));
  if (main === null) return valueLine(JSON.stringify(use.input));
  return main.as === 'code' || main.as === 'path' ? visibleLine(main.text) : valueLine(main.text);
}
