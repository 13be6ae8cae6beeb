import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { canBeInterrupted, hearsReasons } from '../session/abilities.logic.ts';
import { Button } from '../ui/button.tsx';
import { Field, Textarea } from '../ui/field.tsx';
import { deny } from './answers-to.ts';
import { CardPanel, PanelActions } from './panel.tsx';
import { buttonState, type Card } from './use-card.ts';
import { usePanelFocus } from './use-panel-focus.ts';

/** Why not, in words that reach the agent. Enter in the field denies, and never allows. */
export function DenyPanel({
  card,
  session,
  onClose,
}: {
  readonly card: Card;
  readonly session: Session | undefined;
  readonly onClose: () => void;
}) {
  const t = useT();
  const field = usePanelFocus<HTMLTextAreaElement>(card);
  const isPlan = card.interaction.plan !== undefined;
  const isOfTool = card.interaction.tool !== undefined;
  const isHeard = isOfTool || hearsReasons(session);
  const { reason } = card.draft;
  const send = (interrupt: boolean): void =>
    card.press(interrupt ? 'deny-interrupt' : 'deny', deny(card.interaction, reason, interrupt));
  return (
    <CardPanel label={isPlan ? t('ask.sendBack') : t('ask.deny')} onClose={onClose}>
      <Field
        label={isPlan ? t('ask.comments') : t('ask.reason')}
        hint={t(isOfTool ? 'ask.reasonKeysTool' : isHeard ? 'ask.reasonKeys' : 'ask.reasonUnheard')}
      >
        {(ids) => (
          <Textarea
            {...ids}
            ref={field}
            rows={2}
            value={reason}
            maxLength={10_000}
            disabled={buttonState(card, 'deny').disabled}
            onChange={(event) => card.setDraft({ reason: event.target.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (!event.repeat) send(false);
            }}
            className="max-h-40 min-h-12!"
          />
        )}
      </Field>
      <PanelActions>
        <Button variant="ghost" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        {!isOfTool && canBeInterrupted(session) && (
          <Button variant="danger" {...buttonState(card, 'deny-interrupt')} onClick={() => send(true)}>
            {t('ask.denyInterrupt')}
          </Button>
        )}
        <Button variant="danger" {...buttonState(card, 'deny')} onClick={() => send(false)}>
          {isPlan ? t('ask.sendBack') : t('ask.deny')}
        </Button>
      </PanelActions>
    </CardPanel>
  );
}
