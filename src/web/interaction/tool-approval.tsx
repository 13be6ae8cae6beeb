import { Maximize2 } from 'lucide-react';
import type { ApprovalScope } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';
import type { CardAction } from '../data/interactions.ts';
import { openDialog } from '../frame/dialogs.ts';
import { type MessageKey, useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { AllowButton } from './allow-button.tsx';
import { approveTool, offeredScopes } from './answers-to.ts';
import { FormFields } from './form-card.tsx';
import { isAnswerable } from './interaction-card.logic.ts';
import { DenyButton, DenyPanel, usePanel } from './panel.tsx';
import type { Card } from './use-card.ts';
import { type FormModel, useForm } from './use-form.ts';

export interface ToolApprovalProps {
  readonly card: Card;
  readonly session: Session | undefined;
  readonly density: 'full' | 'compact';
  readonly isLarge: boolean;
  /** Whether what is to be filled in has room here; if not, it opens large. */
  readonly hasFields: boolean;
}

/** What a tool wants filled in beside its approval, and the scopes that it offers: no others, for it keeps them itself. */
export function ToolApproval(props: ToolApprovalProps) {
  const { card, session, density, isLarge, hasFields } = props;
  const model = useForm(card);
  const { area, panel, close } = usePanel(card);
  return (
    <div className={cx('flex min-h-0 flex-col', density === 'full' ? 'gap-4' : 'mt-auto gap-2')}>
      {hasFields && (
        <FormFields card={card} model={model} isLarge={isLarge} isCompact={density === 'compact'} />
      )}
      {card.isEnabled && (
        <div ref={area}>
          {panel === 'deny' ? (
            <DenyPanel card={card} session={session} onClose={close} />
          ) : (
            <Actions {...props} model={model} />
          )}
        </div>
      )}
    </div>
  );
}

const actions = {
  once: 'allow',
  session: 'allow-session',
  always: 'allow-always',
} as const satisfies Record<ApprovalScope, CardAction>;

const labels: Readonly<Record<ApprovalScope, MessageKey>> = {
  once: 'ask.allow',
  session: 'ask.allowSession',
  always: 'ask.always.save.always',
};

/** Where there is little room; said in full to those who listen. */
const shortLabels: Readonly<Record<ApprovalScope, MessageKey>> = {
  once: 'ask.allow',
  session: 'ask.short.session',
  always: 'ask.short.always',
};

function Actions({ card, density, hasFields, model }: ToolApprovalProps & { readonly model: FormModel }) {
  const t = useT();
  const { interaction, draft } = card;
  const size = density === 'compact' ? 'sm' : 'md';
  const scopes = offeredScopes(interaction);
  const mustOpen = !hasFields && model.form.fields.length > 0;
  return (
    <div className="flex flex-wrap items-start gap-1.5">
      <DenyButton card={card} size={size}>
        {t('ask.deny')}
      </DenyButton>
      <div className="ml-auto flex flex-wrap justify-end gap-1.5 max-sm:w-full max-sm:*:flex-auto max-sm:*:whitespace-nowrap">
        {mustOpen ? (
          <Button
            size={size}
            icon={Maximize2}
            variant="primary"
            disabled={!isAnswerable(card.state)}
            onClick={() => openDialog({ is: 'interaction', interactionId: interaction.interactionId })}
          >
            {t('ask.answerLarge')}
          </Button>
        ) : (
          scopes.toReversed().map((scope) => (
            <AllowButton
              key={scope}
              card={card}
              size={size}
              action={actions[scope]}
              isMain={scope === scopes[0]}
              label={t(labels[scope])}
              check={model.check}
              send={approveTool(interaction, scope, draft)}
            >
              {t((density === 'compact' ? shortLabels : labels)[scope])}
            </AllowButton>
          ))
        )}
      </div>
    </div>
  );
}
