import type { ReactNode } from 'react';

/** Why something did not work, read aloud when it appears. */
export const ErrorNote = ({
  isSmall = false,
  children,
}: {
  readonly isSmall?: boolean;
  readonly children: ReactNode;
}) => (
  <p role="alert" className={`text-fail-ink wrap-anywhere ${isSmall ? 'text-xs' : 'text-sm'}`}>
    {children}
  </p>
);
