import { ArrowUp, ChevronDown, CornerDownRight, ListPlus, Pause } from 'lucide-react';
import type { Disposition, WhileBusy } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import type { Offer } from './composer.logic.ts';
import type { ComposerModel } from './use-composer.ts';

/** Says what Enter does; while the agent works, the other ways to send are one press away. */
export function SendButton({
  composer,
  onSent,
}: {
  readonly composer: ComposerModel;
  readonly onSent: () => void;
}) {
  const t = useT();
  const { offer, answers, isEmpty, blocked } = composer;
  const isDisabled = isEmpty || blocked !== null;
  const isWaiting = composer.isSettling || undefined;
  const send = (disposition: Disposition) => () => {
    void composer.submit(disposition);
    onSent();
  };
  const way = (disposition: Offer['ways'][number]): MenuItem => ({
    key: disposition,
    label: t(`composer.${disposition}`),
    hint: t(`composer.${disposition}Hint`),
    icon: wayIcons[disposition],
    isDisabled,
    ...(disposition === offer.enter && { shortcut: 'composer.send' as const }),
    ...(disposition === offer.modEnter && { shortcut: 'composer.send-otherwise' as const }),
    onSelect: send(disposition),
  });
  const setting = (whileBusy: WhileBusy): MenuItem => ({
    key: `enter-${whileBusy}`,
    label: t(`composer.enter.${whileBusy}`),
    isChecked: whileBusy === offer.enter,
    onSelect: () => {
      composer.setWhileBusy(whileBusy);
      onSent();
    },
  });

  if (answers !== null)
    return (
      <Button
        type="submit"
        variant="primary"
        icon={ArrowUp}
        disabled={isDisabled}
        isBusy={composer.isAnswering}
      >
        {t(composer.hasMore ? 'composer.nextAnswer' : 'composer.sendAnswer')}
        <EnterKey />
      </Button>
    );
  if (offer.enter === 'send' || offer.enter === 'wake')
    return (
      <Button type="submit" variant="primary" icon={ArrowUp} disabled={isDisabled} aria-disabled={isWaiting}>
        {t('composer.send')}
        <EnterKey />
      </Button>
    );
  return (
    <div className="flex shrink-0">
      <Button
        type="submit"
        variant="primary"
        icon={wayIcons[offer.enter]}
        disabled={isDisabled}
        aria-disabled={isWaiting}
        className={offer.ways.length > 1 ? 'rounded-r-none' : ''}
      >
        {t(`composer.${offer.enter}`)}
        <EnterKey />
      </Button>
      {offer.ways.length > 1 && (
        <Menu
          trigger={
            <Button
              variant="primary"
              icon={ChevronDown}
              aria-label={t('composer.otherWays')}
              disabled={blocked !== null}
              className={cx('-ml-px rounded-l-none border-l-faint px-1.5', isDisabled && 'opacity-50')}
            />
          }
          groups={[
            offer.ways.map(way),
            offer.modEnter === null ? [] : [setting('queue'), setting('interrupt')],
          ]}
        />
      )}
    </div>
  );
}

export const wayIcons = { queue: ListPlus, interrupt: Pause, steer: CornerDownRight } as const;

const EnterKey = () => (
  <span className="pointer-coarse:hidden">
    <Kbd shortcut="composer.send" isInverse />
  </span>
);
