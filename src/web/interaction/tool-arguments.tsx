import { ChevronRight } from 'lucide-react';
import type { Interaction } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { callBody } from './ask-body.logic.ts';
import { Rest } from './ask-body.tsx';

/** With what the agent called the tool that asks: seldom needed to answer, and one press away. */
export function ToolArguments({ interaction }: { readonly interaction: Interaction }) {
  const t = useT();
  const asked = [interaction.title, interaction.form?.message];
  const rest = callBody(interaction, '').rest.filter(({ text }) => !asked.includes(text));
  if (rest.length === 0) return null;
  return (
    <details className="group/arguments">
      <summary className="inline-flex list-none items-center gap-1 text-faint text-xs hover:text-ink [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11">
        <ChevronRight
          aria-hidden
          className="size-3 transition-transform duration-150 group-open/arguments:rotate-90"
        />
        {t('ask.calledWith')}
      </summary>
      <Rest rest={rest} />
    </details>
  );
}
