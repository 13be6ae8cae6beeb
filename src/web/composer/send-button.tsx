import { ArrowUp, ChevronDown, CornerDownRight, ListPlus, Pause } from 'lucide-react';
import type { Disposition } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
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
  const send = (disposition: Disposition) => () => {
    void composer.submit(disposition);
    onSent();
  };
  const item = (disposition: 'queue' | 'interrupt' | 'steer'): MenuItem => ({
    key: disposition,
    label: t(`composer.${disposition}`),
    hint: t(`composer.${disposition}Hint`),
    icon: icons[disposition],
    ...(disposition === 'interrupt' ? { keys: 'Mod+Enter' } : {}),
    onSelect: send(disposition),
  });

  if (answers !== null)
    return (
      <Button
        type="submit"
        variant="primary"
        icon={ArrowUp}
        disabled={isDisabled}
        aria-disabled={composer.isSettling || undefined}
        isBusy={composer.isAnswering}
      >
        {t('composer.sendAnswer')}
        <EnterKey />
      </Button>
    );
  if (offer.enter !== 'queue')
    return (
      <Button type="submit" variant="primary" icon={ArrowUp} disabled={isDisabled}>
        {t('composer.send')}
        <EnterKey />
      </Button>
    );
  return (
    <div className="flex shrink-0">
      <Button
        type="submit"
        variant="primary"
        icon={ListPlus}
        disabled={isDisabled}
        className={offer.others.length > 0 ? 'rounded-r-none' : ''}
      >
        {t('composer.queue')}
        <EnterKey />
      </Button>
      {offer.others.length > 0 && (
        <Menu
          trigger={
            <Button
              variant="primary"
              icon={ChevronDown}
              aria-label={t('composer.otherWays')}
              disabled={isDisabled}
              className="-ml-px rounded-l-none border-l-faint px-1.5"
            />
          }
          groups={[[item('queue'), ...offer.others.map(item)]]}
        />
      )}
    </div>
  );
}

const icons = { queue: ListPlus, interrupt: Pause, steer: CornerDownRight } as const;

const EnterKey = () => (
  <span className="pointer-coarse:hidden">
    <Kbd keys="Enter" isInverse />
  </span>
);
