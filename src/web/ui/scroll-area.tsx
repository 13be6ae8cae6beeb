import { type ComponentProps, useRef } from 'react';
import { cx } from './class-names.ts';
import { useOverflow } from './use-overflow.ts';

/** A box whose content may be longer than it is. Only then can it have the focus, to be scrolled with the keys. */
export function ScrollArea({ className, children, ...rest }: ComponentProps<'div'>) {
  const ref = useRef<HTMLDivElement>(null);
  const overflow = useOverflow(ref);
  return (
    <div
      ref={ref}
      tabIndex={overflow?.isLonger ? 0 : undefined}
      className={cx('overflow-auto', className)}
      {...rest}
    >
      {children}
    </div>
  );
}
