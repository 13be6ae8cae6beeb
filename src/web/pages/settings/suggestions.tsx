import { Lightbulb } from 'lucide-react';
import { useCallback, useId } from 'react';
import type { Suggestion } from '../../../protocol/suggestion.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { shortDirectory } from '../../session/activity.logic.ts';
import { SuggestionReach, suggestionText } from '../../session/suggestion-text.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { toast } from '../../ui/toast.tsx';
import { useActing } from '../../ui/use-acting.ts';
import { ListCard } from './list-card.tsx';

/** What was allowed often and denied never: to be allowed for good, or not to be offered again. */
export function Suggestions({ onChanged }: { readonly onChanged: () => void }) {
  const t = useT();
  const transport = useTransport();
  const [list, again] = useList(useCallback(() => transport.suggestions(), [transport]));
  const heading = useId();
  const done = (): void => {
    again();
    onChanged();
  };
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-2">
      <h3 id={heading} className="font-medium text-sm">
        {t('suggestion.heading')}
      </h3>
      <ListCard list={list} icon={Lightbulb} empty={t('suggestion.none')} onRetry={again}>
        {(suggestion) => <Row suggestion={suggestion} onDone={done} />}
      </ListCard>
    </section>
  );
}

function Row({ suggestion, onDone }: { readonly suggestion: Suggestion; readonly onDone: () => void }) {
  const t = useT();
  const transport = useTransport();
  const { isBusy, act } = useActing((text) => toast('fail', text));
  const { id, directory, toolName, pattern } = suggestion;
  const decide = (work: () => Promise<void>): Promise<void> => act(work).then(onDone);
  return (
    <>
      <div className="flex min-w-60 flex-1 flex-col gap-2">
        <p className="wrap-anywhere">{suggestionText(t, suggestion)}</p>
        <SuggestionReach suggestion={suggestion} isFolded />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="ghost"
          isBusy={isBusy}
          aria-label={`${t('suggestion.decline')}: ${toolName} ${pattern}`}
          onClick={() => void decide(() => transport.declineSuggestion(id))}
        >
          {t('suggestion.decline')}
        </Button>
        <ConfirmButton
          size="sm"
          isBusy={isBusy}
          confirm={t('suggestion.accept', { directory: shortDirectory(directory) })}
          aria-label={`${t('suggestion.open')} ${toolName} ${pattern}`}
          onConfirm={() => void decide(() => transport.acceptSuggestion(id))}
        >
          {t('suggestion.open')}
        </ConfirmButton>
      </div>
    </>
  );
}
