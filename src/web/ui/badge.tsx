import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { type Tone, toneChip } from './tone.ts';

/** A word or a count on a quiet chip. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) => (
  <span
    className={cx(
      'inline-flex min-w-4.5 items-center justify-center gap-1 rounded-tight px-1 font-medium text-2xs leading-4.5',
      toneChip[tone],
    )}
  >
    {children}
  </span>
);
