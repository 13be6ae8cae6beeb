import type { ReactNode } from 'react';
import type { RoomCalls } from '../../client/calls.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { CardAction } from '../data/interactions.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { afterPress } from './after-press.ts';
import { useIsNew } from './stillness.ts';
import { buttonState, type Card } from './use-card.ts';

export interface AllowButtonProps {
  readonly card: Card;
  readonly action: Extract<CardAction, `allow${string}`>;
  readonly send: (transport: RoomCalls) => Promise<Interaction>;
  readonly size?: 'sm' | 'md';
  readonly disabled?: boolean;
  /** The one that stands out among its neighbours. */
  readonly isMain?: boolean;
  /** Goes on only when what belongs to it is filled in. */
  readonly check?: (goOn: () => void) => void;
  /** What it is called in full, where what is written on it is shorter. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** An ask that defaults to no is not made easy: nothing stands out, and it wants a second press. So does one that could not be seen wholly yet. */
export function AllowButton({
  card,
  action,
  send,
  size = 'md',
  disabled = false,
  isMain = action === 'allow',
  check = (goOn) => goOn(),
  label,
  children,
}: AllowButtonProps) {
  const t = useT();
  const { state, interaction } = card;
  const confirming = state.is === 'pending' && state.confirming?.action === action ? state.confirming : null;
  const isNew = useIsNew(confirming?.since) && confirming !== null;
  const look = buttonState(card, action);
  return (
    <Button
      size={size}
      variant={isMain && interaction.defaultToNo !== true ? 'allow' : 'allow-quiet'}
      {...look}
      disabled={look.disabled || disabled}
      aria-disabled={look['aria-disabled'] ?? (isNew || undefined)}
      aria-label={confirming === null ? label : undefined}
      title={label}
      // Its words become shorter with it: not under a press on something else in the card.
      onBlur={() => afterPress(card.stepBack)}
      onClick={() => check(() => card.press(action, send))}
    >
      {confirming === null
        ? children
        : t(confirming.doubt === 'unread' ? 'ask.allowUnread' : 'ask.pressAgain')}
    </Button>
  );
}
