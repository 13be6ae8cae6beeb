import { ChevronRight, RotateCcw } from 'lucide-react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { InteractionCard } from '../interaction/interaction-card.tsx';
import { OutcomeCard } from '../interaction/outcome-line.tsx';
import { plainText } from '../text/plain-text.ts';
import { useConversationPlace } from './conversation-context.ts';
import type { InteractionItem } from './row.ts';

/** Something that a person is asked. When a tool asks again, the new ask takes the place, and the earlier ones are one line. */
export function AskRow({
  item: { interaction, earlier },
  isResultSeen = false,
}: {
  readonly item: InteractionItem;
  readonly isResultSeen?: boolean;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <InteractionCard interaction={interaction} isResultSeen={isResultSeen} />
      {/* Below: above it would push down what one is about to go on with. */}
      {earlier.length > 0 && <Earlier earlier={earlier} />}
    </div>
  );
}

function Earlier({ earlier }: { readonly earlier: readonly Interaction[] }) {
  const t = useT();
  const { cwd } = useConversationPlace();
  return (
    <details className="group/earlier min-w-0">
      <summary className="inline-flex min-h-6 list-none items-center gap-1.5 text-faint text-xs hover:text-ink [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11">
        <RotateCcw aria-hidden className="size-3.5" />
        {t('ask.times', { count: earlier.length + 1 })}
        <ChevronRight
          aria-hidden
          className="size-3 transition-transform duration-150 group-open/earlier:rotate-90"
        />
      </summary>
      <ol className="flex flex-col gap-1 border-line border-l-2 py-1 pl-3">
        {earlier.map((each) => (
          <li key={each.interactionId} className="min-w-0">
            {each.form?.error !== undefined && (
              <p className="text-faint text-xs wrap-anywhere">{plainText(each.form.error)}</p>
            )}
            <OutcomeCard interaction={each} endedBy="unknown" cwd={cwd} />
          </li>
        ))}
      </ol>
    </details>
  );
}
