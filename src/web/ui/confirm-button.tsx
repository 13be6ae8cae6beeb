import { useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { isKey } from './keys.ts';

/** Wants a second press for what cannot be undone; looking away takes the first one back. */
export function ConfirmButton({
  confirm,
  onConfirm,
  children,
  ...rest
}: Omit<ButtonProps, 'onClick' | 'onBlur'> & {
  /** What the button says after the first press. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Button
      {...rest}
      {...(isAsked ? { 'aria-label': confirm } : {})}
      variant={isAsked ? 'danger' : (rest.variant ?? 'secondary')}
      onBlur={() => setAsked(false)}
      onKeyDown={(event) => isKey('field.leave', event) && setAsked(false)}
      onClick={() => {
        setAsked(!isAsked);
        if (isAsked) onConfirm();
      }}
    >
      {isAsked ? confirm : children}
    </Button>
  );
}
