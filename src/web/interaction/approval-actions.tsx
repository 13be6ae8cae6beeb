import { Ellipsis, Maximize2, Pencil, ShieldCheck } from 'lucide-react';
import { Suspense } from 'react';
import type { Session } from '../../protocol/session.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { canEditInput } from '../session/abilities.logic.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { AllowButton } from './allow-button.tsx';
import { AlwaysPanel } from './always-panel.tsx';
import { allowForSession, allowOnce, approvePlan, isGrantable } from './answers-to.ts';
import type { Panel } from './draft.logic.ts';
import { isAnswerable } from './interaction-card.logic.ts';
import { DenyButton, DenyPanel, EditPanel, usePanel } from './panel.tsx';
import { PlanMode, Ways } from './plan.tsx';
import { buttonState, type Card } from './use-card.ts';

// They are an offer: where they cannot be had, nothing is said in their place.
const SuggestionLine = lazyPart(
  async () => (await import('./suggestion.tsx')).SuggestionLine,
  () => null,
);
const SuggestionPanel = lazyPart(
  async () => (await import('./suggestion.tsx')).SuggestionPanel,
  ({ children }) => children,
);

export interface ApprovalActionsProps {
  readonly card: Card;
  readonly session: Session | undefined;
  readonly density: 'full' | 'compact';
}

/** Deny · Edit · Always… · Allow for session · Allow: in this order, everywhere. A panel takes the place of the row. */
export function ApprovalActions(props: ApprovalActionsProps) {
  const { card, session, density } = props;
  const { area, panel, close } = usePanel(card);
  return (
    <div ref={area}>
      {panel === 'deny' ? (
        <DenyPanel card={card} session={session} onClose={close} />
      ) : panel === 'edit' && density === 'full' ? (
        <EditPanel card={card} session={session} onClose={close} />
      ) : panel === 'always' && density === 'full' ? (
        <AlwaysPanel card={card} onClose={close} />
      ) : panel === 'suggestion' && density === 'full' ? (
        <Suspense fallback={<Row {...props} />}>
          <SuggestionPanel card={card} onClose={close}>
            <Row {...props} />
          </SuggestionPanel>
        </Suspense>
      ) : (
        <>
          <Row {...props} />
          {isGrantable(card.interaction) && (
            <Suspense>
              <SuggestionLine card={card} density={density} />
            </Suspense>
          )}
        </>
      )}
    </div>
  );
}

function Row({ card, session, density }: ApprovalActionsProps) {
  const t = useT();
  const { interaction } = card;
  const isPlan = interaction.plan !== undefined;
  const isCompact = density === 'compact';
  const size = isCompact ? 'sm' : 'md';
  return (
    <div className={cx('flex flex-wrap items-center gap-x-1.5 gap-y-1.5', !isCompact && 'gap-x-2')}>
      <DenyButton card={card} size={size}>
        {isPlan ? t('ask.sendBack') : t('ask.deny')}
      </DenyButton>
      {isCompact ? (
        <More card={card} session={session} />
      ) : (
        canEditInput(session) && (
          <Button size={size} data-opens="edit" {...buttonState(card)} onClick={() => card.openPanel('edit')}>
            {t('ask.edit.open')}
          </Button>
        )
      )}
      <span className="flex-1" />
      {interaction.ways !== undefined && <Ways card={card} />}
      {isPlan && !isCompact && interaction.ways === undefined && <PlanMode card={card} session={session} />}
      {isGrantable(interaction) && !isCompact && (
        <Button
          size={size}
          variant="ghost"
          data-opens="always"
          {...buttonState(card)}
          onClick={() => card.openPanel('always')}
        >
          {t('ask.always.open')}
        </Button>
      )}
      {/* What allows stays together and at the end, also where the row is too long for one line. */}
      <div className={cx('ml-auto flex gap-1.5', !isCompact && 'gap-2 max-sm:w-full max-sm:*:flex-auto')}>
        {isGrantable(interaction) && (
          <AllowButton
            card={card}
            size={size}
            action="allow-session"
            label={t('ask.allowSession')}
            send={allowForSession(interaction)}
          >
            {t(isCompact ? 'ask.short.session' : 'ask.allowSession')}
          </AllowButton>
        )}
        <AllowButton
          card={card}
          size={size}
          action="allow"
          send={isPlan ? approvePlan(interaction, card.draft, session) : allowOnce(interaction, card.draft)}
        >
          {isPlan ? t('ask.approvePlan') : t('ask.allow')}
        </AllowButton>
      </div>
    </div>
  );
}

/** What a small card has no room for opens large. */
function More({ card, session }: Pick<ApprovalActionsProps, 'card' | 'session'>) {
  const t = useT();
  const { interactionId } = card.interaction;
  const openLarge = (panel: Panel | null): void => {
    if (panel !== null) card.openPanel(panel);
    openDialog({ is: 'interaction', interactionId });
  };
  const edit: MenuItem[] = canEditInput(session)
    ? [{ key: 'edit', label: t('ask.edit.open'), icon: Pencil, onSelect: () => openLarge('edit') }]
    : [];
  const always: MenuItem[] = isGrantable(card.interaction)
    ? [{ key: 'always', label: t('ask.always.open'), icon: ShieldCheck, onSelect: () => openLarge('always') }]
    : [];
  return (
    <Menu
      align="start"
      trigger={<IconButton icon={Ellipsis} label={t('ask.more')} disabled={!isAnswerable(card.state)} />}
      groups={[
        [...edit, ...always],
        [{ key: 'large', label: t('ask.large'), icon: Maximize2, onSelect: () => openLarge(null) }],
      ]}
    />
  );
}
