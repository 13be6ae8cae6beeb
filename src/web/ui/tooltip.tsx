import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Kbd } from './kbd.tsx';
import type { KeyName } from './keys.ts';
import { placeBeside, type Side } from './place-beside.ts';

/** A few words on hover or focus. Nothing may be found only here: the child says the same to assistive technology. */
export const Tooltip = ({
  text,
  shortcut,
  side = 'top',
  children,
}: {
  readonly text: string;
  readonly shortcut?: KeyName | undefined;
  readonly side?: Side;
  readonly children: ReactElement<object>;
}) =>
  cloneElement(children, { 'data-tip': text, 'data-tip-keys': shortcut, 'data-tip-side': side } as object);

/** One box for the words of all: there are thousands of buttons, and one pointer. */
export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <>
    {children}
    <TooltipBox />
  </>
);

const showAfterMs = 450;
/** Long enough to get from the button to the words, which may be wanted under a magnifier. */
const hideAfterMs = 120;

function TooltipBox() {
  const box = useRef<HTMLDivElement>(null);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);

  useEffect(() => {
    const over = new AbortController();
    let wanted: HTMLElement | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const want = (next: HTMLElement | null): void => {
      if (next === wanted) return;
      wanted = next;
      clearTimeout(timer);
      timer = setTimeout(() => setAnchor(next), next === null ? hideAfterMs : showAfterMs);
    };
    const hide = (): void => {
      wanted = null;
      clearTimeout(timer);
      setAnchor(null);
    };
    const tipped = (target: EventTarget | null): HTMLElement | null =>
      target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
    const listen = { capture: true, passive: true, signal: over.signal };
    document.addEventListener(
      'pointerover',
      ({ target, pointerType }) => {
        if (target instanceof Node && box.current?.contains(target)) clearTimeout(timer);
        else want(pointerType === 'touch' ? null : tipped(target));
      },
      listen,
    );
    document.addEventListener(
      'focusin',
      ({ target }) =>
        want(target instanceof Element && target.matches(':focus-visible') ? tipped(target) : null),
      listen,
    );
    for (const event of ['pointerdown', 'keydown', 'scroll', 'focusout'] as const)
      document.addEventListener(event, hide, listen);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, []);

  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || anchor === null) return;
    // Above everything, also above a dialog.
    current.showPopover?.();
    placeBeside(current, anchor, { side: anchor.dataset.tipSide as Side, align: 'center', gap: 6 });
    return () => current.hidePopover?.();
  }, [anchor]);

  const { tip, tipKeys } = anchor?.isConnected ? anchor.dataset : {};
  return (
    <div
      ref={box}
      popover="manual"
      hidden={tip === undefined}
      className="fixed inset-auto m-0 flex max-w-80 items-center gap-2 rounded-ui border-0 bg-ink px-2 py-1 text-inverse text-xs shadow-float not-popover-open:hidden"
    >
      {tip}
      {tipKeys !== undefined && <Kbd shortcut={tipKeys as KeyName} isInverse />}
    </div>
  );
}
