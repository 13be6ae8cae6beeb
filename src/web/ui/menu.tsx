import { Check, type LucideIcon } from 'lucide-react';
import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { cx } from './class-names.ts';
import { Kbd } from './kbd.tsx';
import { characterOf, isKey, type KeyName, keyIn, spokenKeys } from './keys.ts';
import { useOverlayContainer } from './overlay-container.tsx';
import { placeBeside } from './place-beside.ts';

export interface MenuItem {
  readonly key: string;
  readonly label: string;
  /** A sentence on what it does. */
  readonly hint?: string;
  readonly shortcut?: KeyName;
  readonly icon?: LucideIcon;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** One of several, of which one holds: the one that does has a tick. */
  readonly isChecked?: boolean;
  readonly onSelect: () => void;
}

/** By a key, the first item is chosen at once; by the pointer, none is. */
export type OpenedBy = 'key' | 'pointer';
export const openedBy = ({ detail }: MouseEvent): OpenedBy => (detail === 0 ? 'key' : 'pointer');

interface MenuProps {
  /** A button. */
  readonly trigger: ReactElement<object>;
  /** An inner list is a group, set apart by a line. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly align?: 'start' | 'end';
  readonly isOpenAtFirst?: OpenedBy | false;
}

/** A menu behind a button. */
export function Menu({ trigger, groups, align = 'end', isOpenAtFirst = false }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<OpenedBy | false>(isOpenAtFirst);
  const own = {
    ref: button,
    id,
    'aria-haspopup': 'menu',
    'aria-expanded': opened !== false,
    'data-state': opened === false ? 'closed' : 'open',
    onClick: (event: MouseEvent) => setOpened(opened === false ? openedBy(event) : false),
    onKeyDown: (event: KeyboardEvent) => {
      if (keyIn('list', event) !== 'next') return;
      event.preventDefault();
      setOpened('key');
    },
  };
  return (
    <>
      {cloneElement(trigger, own)}
      {opened !== false && (
        <OpenMenu
          button={button}
          labelId={id}
          groups={groups.filter((group) => group.length > 0)}
          align={align}
          isFirstChosen={opened === 'key'}
          onClose={() => setOpened(false)}
        />
      )}
    </>
  );
}

function OpenMenu({
  button,
  labelId,
  groups,
  align,
  isFirstChosen,
  onClose,
}: Required<Pick<MenuProps, 'groups' | 'align'>> & {
  readonly button: React.RefObject<HTMLButtonElement | null>;
  readonly labelId: string;
  readonly isFirstChosen: boolean;
  readonly onClose: () => void;
}) {
  const container = useOverlayContainer();
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });

  useLayoutEffect(() => {
    const [{ current: box }, { current: anchor }] = [menu, button];
    if (box === null || anchor === null) return;
    const place = (): void => placeBeside(box, anchor, { side: 'bottom', align, gap: 4 });
    box.showPopover?.();
    place();
    (isFirstChosen ? itemsIn(box)[0] : box)?.focus({ preventScroll: true });
    const over = new AbortController();
    const listen = { capture: true, passive: true, signal: over.signal };
    window.addEventListener('resize', place, listen);
    window.addEventListener('scroll', place, listen);
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        if (target instanceof Node && !box.contains(target) && !anchor.contains(target)) close.current();
      },
      listen,
    );
    return () => over.abort();
  }, [button, align, isFirstChosen]);

  /** The focus goes back before anything is done, so that what is done can take it. */
  const leave = (): void => {
    button.current?.focus({ preventScroll: true });
    onClose();
  };
  const pressed = (event: KeyboardEvent<HTMLDivElement>): void => {
    // The page around it has keys of its own.
    event.stopPropagation();
    const items = itemsIn(event.currentTarget);
    const at = items.findIndex((item) => item.matches(':focus'));
    const key = keyIn('list', event);
    const character = characterOf(event)?.trim().toLowerCase();
    if (key === 'complete') {
      // It goes on from the button.
      leave();
      return;
    }
    if (isKey('field.leave', event)) leave();
    else if (key === 'next') items[(at + 1) % items.length]?.focus();
    else if (key === 'previous') items.at(at <= 0 ? -1 : at - 1)?.focus();
    else if (key === 'first') items[0]?.focus();
    else if (key === 'last') items.at(-1)?.focus();
    else if (character) {
      const begins = (item: HTMLElement): boolean =>
        item.textContent.trim().toLowerCase().startsWith(character);
      [...items.slice(at + 1), ...items].find(begins)?.focus();
    } else return;
    event.preventDefault();
  };

  return createPortal(
    <div
      ref={menu}
      role="menu"
      tabIndex={-1}
      aria-labelledby={labelId}
      popover="manual"
      onKeyDown={pressed}
      className="fixed inset-auto m-0 min-w-44 max-w-[calc(100vw-1rem)] animate-appear overflow-y-auto rounded-ui border border-line bg-raised p-1 text-ink shadow-float outline-none"
    >
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other name than their place
        // biome-ignore lint/a11y/useSemanticElements: a group of a menu, which no element of a form is
        <div key={at} role="group">
          {at > 0 && <hr className="-mx-1 my-1 border-line" />}
          {group.map(({ key, onSelect, ...item }) => (
            <Item
              key={key}
              {...item}
              onClick={() => {
                leave();
                onSelect();
              }}
            />
          ))}
        </div>
      ))}
    </div>,
    container ?? document.body,
  );
}

function Item({
  label,
  hint,
  shortcut,
  icon: Icon,
  isDanger,
  isDisabled,
  isChecked,
  onClick,
}: Omit<MenuItem, 'key' | 'onSelect'> & { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      {...(isChecked === undefined
        ? { role: 'menuitem' }
        : { role: 'menuitemradio', 'aria-checked': isChecked })}
      aria-keyshortcuts={spokenKeys(shortcut)}
      tabIndex={-1}
      disabled={isDisabled}
      onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
      onPointerLeave={({ currentTarget }) => currentTarget.closest<HTMLElement>('[role=menu]')?.focus()}
      onClick={onClick}
      className={cx(
        'flex min-h-8 w-full select-none items-center gap-2 rounded-tight px-2 text-start outline-none focus:bg-hover disabled:opacity-50 pointer-coarse:min-h-11',
        isDanger === true && 'text-fail-ink',
      )}
    >
      {isChecked !== undefined && (
        <Check aria-hidden className={cx('size-4 shrink-0', !isChecked && 'invisible')} />
      )}
      {Icon !== undefined && <Icon aria-hidden className="size-4 shrink-0 opacity-70" />}
      {hint === undefined ? (
        label
      ) : (
        <span className="flex min-w-0 max-w-72 flex-1 flex-col py-1">
          {label}
          <span className="text-faint text-xs">{hint}</span>
        </span>
      )}
      {shortcut !== undefined && (
        <span className="ml-auto pl-3">
          <Kbd shortcut={shortcut} />
        </span>
      )}
    </button>
  );
}

const itemsIn = (menu: HTMLElement): readonly HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^=menuitem]:not([disabled])'),
];
