import type { KeyboardEvent, ReactNode } from 'react';

/** A part of a card that was opened: Escape closes it and nothing else. */
export function CardPanel({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink with the card it is in
    <div role="group" aria-label={label} onKeyDown={onKeyDown} className="flex flex-col gap-2">
      {children}
    </div>
  );
}

export const PanelActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-end gap-2">{children}</div>
);
