import { Lightbulb } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { RoomCalls } from '../../client/calls.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Suggestion } from '../../protocol/suggestion.ts';
import { useTransport } from '../data/room-context.tsx';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { shortDirectory } from '../session/activity.logic.ts';
import { SuggestionReach, suggestionText } from '../session/suggestion-text.tsx';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import { AllowButton } from './allow-button.tsx';
import { allowAlways } from './answers-to.ts';
import { CardPanel, PanelActions, usePanelFocus } from './panel.tsx';
import { buttonState, type Card } from './use-card.ts';

/** Under the buttons of an ask whose like was allowed often: one line. */
export function SuggestionLine({
  card,
  density,
}: {
  readonly card: Card;
  readonly density: 'full' | 'compact';
}) {
  const t = useT();
  const [suggestion] = useSuggestion(card.interaction);
  if (suggestion === null) return null;
  const open = (): void => {
    card.openPanel('suggestion');
    if (density === 'compact' && card.isStill)
      openDialog({ is: 'interaction', interactionId: card.interaction.interactionId });
  };
  return (
    <p className="mt-2 flex min-w-0 gap-1.5 text-faint text-xs">
      <Lightbulb aria-hidden className="mt-0.25 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {suggestionText(t, suggestion)}{' '}
        <button
          type="button"
          data-opens="suggestion"
          disabled={buttonState(card).disabled}
          aria-disabled={buttonState(card)['aria-disabled']}
          onClick={open}
          className="shrink-0 rounded-tight text-soft underline underline-offset-2 hover:text-ink pointer-coarse:min-h-11"
        >
          {t('suggestion.open')}
        </button>
      </span>
    </p>
  );
}

interface SuggestionPanelProps {
  readonly card: Card;
  readonly onClose: () => void;
  /** The row of buttons, where there is nothing to suggest. */
  readonly children: ReactNode;
}

/** All that taking the suggestion would mean, and only then the press that takes it. */
export function SuggestionPanel({ card, onClose, children }: SuggestionPanelProps) {
  const [suggestion, forget] = useSuggestion(card.interaction);
  if (suggestion === null) return children;
  return <OpenPanel card={card} suggestion={suggestion} onClose={onClose} onDecline={forget} />;
}

function OpenPanel({
  card,
  suggestion,
  onClose,
  onDecline,
}: Pick<SuggestionPanelProps, 'card' | 'onClose'> & {
  readonly suggestion: Suggestion;
  readonly onDecline: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const cancel = usePanelFocus<HTMLButtonElement>(card);
  const { id, literal, pattern, directory } = suggestion;
  const decline = async (): Promise<void> => {
    try {
      await transport.declineSuggestion(id);
      onDecline();
      onClose();
    } catch (error) {
      toast('fail', errorText(t, error));
    }
  };
  return (
    <CardPanel label={t('suggestion.title')} onClose={onClose}>
      <p className="text-sm">{suggestionText(t, suggestion)}</p>
      <SuggestionReach suggestion={suggestion} />
      <PanelActions>
        <Button variant="ghost" onClick={() => void decline()}>
          {t('suggestion.decline')}
        </Button>
        <Button ref={cancel} variant="ghost" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <AllowButton
          card={card}
          action="allow-always"
          send={allowAlways(card.interaction, {
            scope: 'always',
            onlyHere: true,
            ...(literal ? {} : { pattern }),
          })}
        >
          {t('suggestion.accept', { directory: shortDirectory(directory) })}
        </AllowButton>
      </PanelActions>
    </CardPanel>
  );
}

/** One question for each ask, however many cards show it. */
const asked = new Map<string, Promise<Suggestion | null>>();
const mostKept = 200;

function ask(transport: RoomCalls, { sessionId, interactionId }: Interaction): Promise<Suggestion | null> {
  const known = asked.get(interactionId);
  if (known !== undefined) return known;
  const [oldest] = asked.keys();
  if (asked.size >= mostKept && oldest !== undefined) asked.delete(oldest);
  // It is an offer: where it cannot be had, nothing is missing.
  const answer = transport.suggestions({ sessionId, interactionId }).then(
    ([suggestion]) => suggestion ?? null,
    () => null,
  );
  asked.set(interactionId, answer);
  return answer;
}

function useSuggestion(interaction: Interaction): readonly [Suggestion | null, () => void] {
  const transport = useTransport();
  const [suggestion, setSuggestion] = useState<Suggestion | null>(null);
  const { interactionId } = interaction;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each ask, not whenever it is told anew
  useEffect(() => {
    let isCurrent = true;
    void ask(transport, interaction).then((found) => isCurrent && setSuggestion(found));
    return () => {
      isCurrent = false;
    };
  }, [transport, interactionId]);
  const forget = (): void => {
    asked.set(interactionId, Promise.resolve(null));
    setSuggestion(null);
  };
  return [suggestion, forget];
}
