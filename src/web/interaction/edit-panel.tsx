import { editableOf } from '../../model/tool-call.ts';
import type { Session } from '../../protocol/session.ts';
import { Diff } from '../diff/lazy-diff.tsx';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Field, Textarea } from '../ui/field.tsx';
import { AllowButton } from './allow-button.tsx';
import { allowEdited, approvePlan } from './answers-to.ts';
import { editedInput } from './edit.logic.ts';
import { CardPanel, PanelActions } from './panel.tsx';
import { PlanMode } from './plan-mode.tsx';
import { buttonState, type Card } from './use-card.ts';
import { usePanelFocus } from './use-panel-focus.ts';

/** The input, to be changed before it is allowed; what is different is shown before it is sent. */
export function EditPanel({
  card,
  session,
  onClose,
}: {
  readonly card: Card;
  readonly session: Session | undefined;
  readonly onClose: () => void;
}) {
  const t = useT();
  const area = usePanelFocus<HTMLTextAreaElement>(card);
  const { interaction, draft } = card;
  const { what, text } = editableOf(interaction);
  const edited = editedInput(interaction, draft.edited);
  const isPlan = interaction.plan !== undefined;
  const value = draft.edited ?? text;
  const send = isPlan ? approvePlan(interaction, draft, session) : allowEdited(interaction, draft);
  return (
    <CardPanel label={t('ask.edit.open')} onClose={onClose}>
      <Field
        label={t(`ask.edit.${what}`)}
        error={edited.is === 'wrong' ? t(`ask.edit.${edited.why}`) : undefined}
      >
        {(ids) => (
          <Textarea
            {...ids}
            ref={area}
            rows={what === 'command' ? 2 : 8}
            value={value}
            spellCheck={false}
            disabled={buttonState(card, 'allow').disabled}
            onChange={(event) => card.setDraft({ edited: event.target.value })}
            className="max-h-[50vh] min-h-12! font-mono text-sm pointer-coarse:text-lg"
          />
        )}
      </Field>
      {edited.is === 'edited' && (
        <div className="flex flex-col gap-1">
          <p className="text-faint text-xs">{t('ask.edit.difference')}</p>
          <Diff before={text} after={value} />
        </div>
      )}
      <PanelActions>
        {edited.is !== 'same' && (
          <Button variant="ghost" onClick={() => card.setDraft({ edited: null })}>
            {t('ask.edit.reset')}
          </Button>
        )}
        <Button variant="ghost" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        {isPlan && <PlanMode card={card} session={session} />}
        <AllowButton card={card} action="allow" send={send} disabled={edited.is !== 'edited'}>
          {isPlan ? t('ask.edit.approvePlan') : t('ask.edit.allow')}
        </AllowButton>
      </PanelActions>
    </CardPanel>
  );
}
