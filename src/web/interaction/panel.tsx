import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { editableOf } from '../../model/tool-call.ts';
import type { Session } from '../../protocol/session.ts';
import { Diff } from '../diff/lazy-diff.tsx';
import { useT } from '../i18n/i18n.ts';
import { canBeInterrupted, hearsReasons } from '../session/abilities.logic.ts';
import { Button } from '../ui/button.tsx';
import { Field, Textarea } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';
import { AllowButton } from './allow-button.tsx';
import { allowEdited, approvePlan, deny, editedInput } from './answers-to.ts';
import type { Panel } from './draft.logic.ts';
import { PlanMode } from './plan.tsx';
import { buttonState, type Card } from './use-card.ts';

/** A part of a card that was opened: Escape closes it and nothing else. */
export function CardPanel({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isKey('field.leave', event)) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink with the card it is in
    <div role="group" aria-label={label} onKeyDown={onKeyDown} className="flex flex-col gap-2">
      {children}
    </div>
  );
}

export const PanelActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-end gap-2">{children}</div>
);

/** The part of a card that is open; what was opened from a button gives the focus back to it. */
export function usePanel(card: Card): {
  readonly area: RefObject<HTMLDivElement | null>;
  readonly panel: Panel | null;
  close(): void;
} {
  const area = useRef<HTMLDivElement>(null);
  const closed = useRef<Panel | null>(null);
  const { panel } = card.draft;
  useEffect(() => {
    if (panel !== null || closed.current === null) return;
    area.current?.querySelector<HTMLElement>(`[data-opens="${closed.current}"]`)?.focus();
    closed.current = null;
  }, [panel]);
  return {
    area,
    panel,
    close: () => {
      closed.current = panel;
      card.setDraft({ panel: null });
    },
  };
}

/** The focus goes to a part that a person opened, and never to one that came with its card. */
export function usePanelFocus<T extends HTMLElement>(card: Pick<Card, 'takeFocus'>): RefObject<T | null> {
  const ref = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the part comes
  useEffect(() => {
    if (card.takeFocus()) ref.current?.focus();
  }, []);
  return ref;
}

interface PanelProps {
  readonly card: Card;
  readonly session: Session | undefined;
  readonly onClose: () => void;
}

/** The first press of two: why not is asked next. */
export const DenyButton = ({
  card,
  size,
  children,
}: {
  readonly card: Card;
  readonly size: 'sm' | 'md';
  readonly children: ReactNode;
}) => (
  <Button
    size={size}
    variant="deny"
    data-opens="deny"
    {...buttonState(card)}
    onClick={() => card.openPanel('deny')}
  >
    {children}
  </Button>
);

/** Why not, in words that reach the agent. Enter in the field denies, and never allows. */
export function DenyPanel({ card, session, onClose }: PanelProps) {
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
              if (!isKey('field.send', event) || event.nativeEvent.isComposing) return;
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
          <Button variant="deny" {...buttonState(card, 'deny-interrupt')} onClick={() => send(true)}>
            {t('ask.denyInterrupt')}
          </Button>
        )}
        <Button variant="deny" {...buttonState(card, 'deny')} onClick={() => send(false)}>
          {isPlan ? t('ask.sendBack') : t('ask.deny')}
        </Button>
      </PanelActions>
    </CardPanel>
  );
}

/** The input, to be changed before it is allowed; what is different is shown before it is sent. */
export function EditPanel({ card, session, onClose }: PanelProps) {
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
