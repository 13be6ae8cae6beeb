import { cx } from './class-names.ts';

/** The shape of what is about to be there. */
export const Skeleton = ({ className }: { readonly className?: string }) => (
  <div aria-hidden className={cx('animate-shimmer rounded-tight bg-sunken', className)} />
);
