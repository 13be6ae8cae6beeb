import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';

export const Card = ({ className, ...rest }: ComponentProps<'section'>) => (
  <section className={cx('rounded-ui border border-line bg-surface', className)} {...rest} />
);
