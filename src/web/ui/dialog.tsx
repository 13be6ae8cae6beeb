import { X } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { cx } from './class-names.ts';
import { IconButton } from './icon-button.tsx';
import { LiveRegions, useModal } from './live-regions.tsx';
import { OverlayContainer } from './overlay-container.tsx';
import { ScrollArea } from './scroll-area.tsx';

export interface DialogProps {
  readonly ref?: Ref<HTMLDivElement>;
  readonly title: string;
  readonly isTitleHidden?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly size?: 'md' | 'lg' | 'xl';
}

/**
 * A modal dialog, there as long as it is rendered. The browser's own: it keeps the focus inside,
 * makes the rest inert, and gives the focus back to where it was.
 */
export function Dialog({
  ref: content,
  title,
  isTitleHidden = false,
  onClose,
  children,
  footer,
  size = 'md',
}: DialogProps) {
  const t = useT();
  const ref = useRef<HTMLDialogElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const titleId = useId();
  const beganBeside = useRef(false);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    setContainer(dialog);
    return () => dialog.close();
  }, []);

  useModal(container);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape comes as the cancel event
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        close.current();
      }}
      onPointerDown={(event) => {
        beganBeside.current = event.target === ref.current;
      }}
      onClick={(event) => {
        // A selection that is dragged out of the dialog ends beside it, and is no wish to close it.
        if (event.target === ref.current && beganBeside.current) close.current();
      }}
      className={cx(
        'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-1rem)] animate-appear overflow-hidden rounded-ui border border-line bg-raised p-0 text-ink shadow-float sm:mt-[12vh]',
        widths[size],
      )}
    >
      <OverlayContainer value={container}>
        <div ref={content} className="flex max-h-[calc(100dvh-2rem)] flex-col sm:max-h-[80vh]">
          <header
            className={cx(
              'flex items-center justify-between gap-4 px-4 pt-3 pb-1',
              isTitleHidden && 'sr-only',
            )}
          >
            <h2 id={titleId} className="font-semibold text-lg">
              {title}
            </h2>
            {!isTitleHidden && <IconButton icon={X} label={t('ui.close')} onClick={onClose} />}
          </header>
          <ScrollArea className="min-h-0 flex-1 outline-offset-[-2px]">{children}</ScrollArea>
          {footer !== undefined && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-4 py-3">
              {footer}
            </footer>
          )}
        </div>
        <LiveRegions within={container} />
      </OverlayContainer>
    </dialog>
  );
}

const widths = { md: 'max-w-lg', lg: 'max-w-2xl', xl: 'max-w-4xl sm:mt-[6vh]' } as const;
