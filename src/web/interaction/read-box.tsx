import { ChevronDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { useOverflow } from '../ui/use-overflow.ts';
import { useReadPart } from './use-reading.ts';

/** How high a box may be on a page that scrolls: what is usual has room in it. */
export const tall = 'max-h-[max(50vh,30rem)]';

/** Less than this below the edge is no line. */
const slack = 4;

/** What a person decides on, in a box that says how much of it is not in view. It is read when its end has been. */
export function ReadBox({
  className,
  isWhole = true,
  takesFocus = false,
  children,
}: {
  readonly className: string;
  /** False while something is left out of what is in it. */
  readonly isWhole?: boolean;
  /** It came in place of what was pressed to open it: the keys go on here. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const overflow = useOverflow(box);
  const below = overflow === null || overflow.below <= slack ? 0 : overflow.below;
  useReadPart(isWhole && overflow?.isVisible === true && below === 0);
  useEffect(() => {
    if (takesFocus) box.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  // It keeps its place once it was there, so that nothing moves when the end is reached.
  const [wasLonger, setWasLonger] = useState(false);
  if (below > 0 && !wasLonger) setWasLonger(true);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is kept from others, and does what it does by itself */}
      <div
        ref={box}
        // To the end of this, not of the conversation around it.
        onKeyDown={(event) => event.key === 'End' && below > 0 && event.stopPropagation()}
        tabIndex={overflow?.isLonger ? 0 : takesFocus ? -1 : undefined}
        data-more={below > 0 || undefined}
        className={cx(
          'overflow-auto data-more:[mask-image:linear-gradient(to_top,transparent,black_1.5rem)]',
          className,
        )}
      >
        {children}
      </div>
      {wasLonger && (
        <MoreButton
          isHidden={below === 0}
          onPress={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.9 })}
        >
          {t('ask.moreLines', { count: Math.max(1, Math.ceil(below / lineHeightIn(box.current))) })}
        </MoreButton>
      )}
    </>
  );
}

/** Says how much is not shown, and shows it. */
export const MoreButton = ({
  isHidden = false,
  onPress,
  children,
}: {
  readonly isHidden?: boolean;
  readonly onPress: () => void;
  readonly children: string;
}) => (
  <button
    type="button"
    onClick={onPress}
    className={cx(
      'flex min-h-6 items-center gap-1 self-start rounded-tight px-1 font-sans text-faint text-xs hover:text-ink pointer-coarse:min-h-11',
      isHidden && 'invisible',
    )}
  >
    <ChevronDown aria-hidden className="size-3.5 shrink-0" />
    {children}
  </button>
);

const lineHeightIn = (element: HTMLElement | null): number =>
  (element === null ? Number.NaN : Number.parseFloat(getComputedStyle(element).lineHeight)) || 20;
