import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { cx } from './class-names.ts';
import { isKey, type KeyIn, keyIn } from './keys.ts';

export interface ListboxModel<Option> {
  readonly id: string;
  readonly isOpen: boolean;
  readonly options: readonly Option[];
  /** The one that Enter takes, by its place; -1 for none. */
  readonly at: number;
  /** Whether the pointer chose it: then it is in view, and the list stays where it is. */
  readonly isPointedAt: boolean;
  pointAt(at: number): void;
  pick(option: Option): void;
  /** Whether the key was meant for the list. */
  pressed(event: KeyboardEvent): boolean;
  /** What the field says of itself: while the list is open it is where one chooses from it. */
  readonly fieldProps: FieldProps;
}

interface FieldProps {
  readonly role?: 'combobox';
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-autocomplete'?: 'list';
  readonly 'aria-controls'?: string;
  readonly 'aria-activedescendant'?: string;
}

/** How far Page Up and Page Down go. */
const pageLength = 10;

/** Options to choose from with the focus in a field: what is typed there narrows them, the arrows go through them, Enter takes one. */
export function useListbox<Option>({
  sought,
  options,
  isOpen: isWanted,
  first = 0,
  onOpen,
  onClose,
  onPick,
  isSearch = false,
  isCombobox = true,
  takes = () => true,
}: {
  /** What was typed; when it changes, the choice begins anew. */
  readonly sought: string | undefined;
  readonly options: readonly Option[];
  readonly isOpen: boolean;
  /** Where the choice begins; -1 for nowhere. */
  readonly first?: number;
  /** An arrow was pressed while it was closed. */
  readonly onOpen?: () => void;
  /** Escape was pressed; without it the key goes to whoever is around. */
  readonly onClose?: () => void;
  readonly onPick: (option: Option) => void;
  /** The field is there for the list alone: Home and End are the list's, and Tab leaves. Else they are the text's, and Tab picks. */
  readonly isSearch?: boolean;
  /** Whether the field is one also while the list is closed. */
  readonly isCombobox?: boolean;
  /** Whether the key takes this option; where not, it is the field's. */
  readonly takes?: (key: 'take' | 'complete', option: Option) => boolean;
}): ListboxModel<Option> {
  const id = useId();
  const [chosen, setChosen] = useState({ sought, at: first, isPointedAt: false });
  const isOpen = isWanted && options.length > 0;
  const isCurrent = isOpen && chosen.sought === sought;
  const at = Math.min(isCurrent ? chosen.at : first, options.length - 1);
  const setAt = (to: number): void => setChosen({ sought, at: to, isPointedAt: false });

  useEffect(() => {
    // Opened again, it begins anew.
    if (!isOpen)
      setChosen((before) => (before.sought === undefined ? before : { ...before, sought: undefined }));
  }, [isOpen]);

  const pick = (option: Option): void => {
    setAt(first);
    onPick(option);
  };

  const pressed = (event: KeyboardEvent): boolean => {
    if (event.nativeEvent.isComposing) return false;
    const key = keyIn('list', event);
    const next = stepFrom(key, at, options.length, isSearch);
    if (!isOpen) {
      if (onOpen === undefined || (key !== 'next' && key !== 'previous')) return false;
      onOpen();
      setAt(Math.max(0, first));
    } else if (next !== undefined) setAt(next);
    else if (key === 'take' || (key === 'complete' && !isSearch)) {
      const current = options[at];
      if (current === undefined || !takes(key, current)) return false;
      pick(current);
    } else if (isKey('field.leave', event) && onClose !== undefined) {
      onClose();
      event.stopPropagation();
    } else return false;
    event.preventDefault();
    return true;
  };

  return {
    id,
    isOpen,
    options,
    at,
    isPointedAt: isCurrent && chosen.isPointedAt,
    pointAt: (to) => setChosen({ sought, at: to, isPointedAt: true }),
    pick,
    pressed,
    fieldProps: {
      ...((isOpen || isCombobox) && {
        role: 'combobox',
        'aria-autocomplete': 'list',
        'aria-expanded': isOpen,
      }),
      ...(isOpen && { 'aria-controls': id }),
      ...(isOpen && at >= 0 && { 'aria-activedescendant': optionId(id, at) }),
    },
  };
}

/** Where a key leads; undefined for one that leads nowhere. */
function stepFrom(
  key: KeyIn<'list'> | undefined,
  at: number,
  count: number,
  isSearch: boolean,
): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'next':
      return at >= last ? 0 : at + 1;
    case 'previous':
      return at <= 0 ? last : at - 1;
    case 'page-down':
      return Math.min(last, Math.max(at, 0) + pageLength);
    case 'page-up':
      return Math.max(0, at - pageLength);
    case 'first':
      return isSearch ? 0 : undefined;
    case 'last':
      return isSearch ? last : undefined;
    default:
      return undefined;
  }
}

/** Options for what is being typed in a text, which may be anything else as well. */
export function useCompletion<Option>({
  sought,
  options,
  isFocused,
  setFocused,
  onPick,
  isTypedInFull = () => false,
  textOf,
}: {
  /** What was typed of an option; undefined while none is being typed. */
  readonly sought: string | undefined;
  readonly options: readonly Option[];
  /** Kept by the caller, who asks for options only while they are wanted. */
  readonly isFocused: boolean;
  readonly setFocused: (isFocused: boolean) => void;
  readonly onPick: (option: Option) => void;
  /** Then there is nothing left to choose, and Enter is not the list's. */
  readonly isTypedInFull?: (option: Option) => boolean;
  /** What stands in the field after a pick, where the option is all of it: then nothing is chosen before an arrow is pressed. */
  readonly textOf?: (option: Option) => string;
}): ListboxModel<Option> & { readonly fieldProps: { onFocus(): void; onBlur(): void } } {
  const isWhole = textOf !== undefined;
  const [closedAt, setClosedAt] = useState<string | null>(isWhole ? (sought ?? null) : null);
  const isOver = sought === undefined;
  useEffect(() => {
    // The next one is begun afresh.
    if (isOver) setClosedAt(null);
  }, [isOver]);
  const isClosed = isWhole ? closedAt === sought : closedAt !== null;
  const list = useListbox({
    sought,
    options,
    isOpen: isFocused && !isOver && !isClosed,
    first: isWhole ? -1 : 0,
    isCombobox: isWhole,
    onClose: () => setClosedAt(sought ?? null),
    onPick: (option) => {
      if (textOf !== undefined) setClosedAt(textOf(option));
      onPick(option);
    },
    takes: (key, option) => key === 'complete' || !isTypedInFull(option),
    ...(isWhole && { onOpen: () => setClosedAt(null) }),
  });
  const fieldProps = {
    ...list.fieldProps,
    onFocus: () => {
      setFocused(true);
      if (isWhole) setClosedAt(sought ?? null);
    },
    onBlur: () => setFocused(false),
  };
  return { ...list, fieldProps };
}

/** Beside its field in a box that is positioned, or in the flow of what is around it. */
type Placement = 'above' | 'below' | 'inline';

const placements: Readonly<Record<Placement, string>> = {
  above: 'absolute -inset-x-px bottom-full z-30 mb-1 animate-appear shadow-float',
  below: 'absolute -inset-x-px top-full z-30 mt-1 animate-appear shadow-float',
  inline: '',
};

/** More than a screen of options: as many are drawn at first, and as many more when one scrolls on. */
const drawnAtOnce = 60;

/** The list itself. */
export function Listbox<Option>({
  list,
  label,
  keyOf,
  groupOf,
  isSelected,
  placement = 'above',
  className = 'max-h-[min(18rem,40dvh)] rounded-ui border border-line bg-raised p-1',
  children,
}: {
  readonly list: ListboxModel<Option>;
  readonly label: string;
  readonly keyOf: (option: Option) => string;
  /** What those around it have in common, said above them. */
  readonly groupOf?: (option: Option) => string | undefined;
  /** Whether it holds already; else the one that Enter takes is the selected one. */
  readonly isSelected?: (option: Option) => boolean;
  readonly placement?: Placement;
  readonly className?: string;
  readonly children: (option: Option) => ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { from, to, more } = useDrawnPart(list, box);
  if (!list.isOpen) return null;
  const row = (option: Option, index: number) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read where one types
    <div
      key={keyOf(option)}
      id={optionId(list.id, index)}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected === undefined ? index === list.at : isSelected(option)}
      aria-posinset={index + 1}
      aria-setsize={list.options.length}
      // The field keeps the focus, or the list would be gone before the press ends.
      onMouseDown={(event) => event.preventDefault()}
      onPointerMove={() => index !== list.at && list.pointAt(index)}
      onClick={() => list.pick(option)}
      className={cx(
        'flex min-h-8 cursor-pointer flex-col justify-center rounded-tight px-2.5 py-1.5 wrap-anywhere pointer-coarse:min-h-11',
        index === list.at && 'bg-hover',
        isSelected?.(option) === true && 'font-semibold',
      )}
    >
      {children(option)}
    </div>
  );
  return (
    <div
      ref={box}
      id={list.id}
      role="listbox"
      aria-label={label}
      onScroll={more}
      className={cx(
        'overflow-y-auto overscroll-contain [overflow-anchor:none]',
        placements[placement],
        className,
      )}
    >
      {groupsOf(list.options, from, to, groupOf).map(({ name, start, own }) =>
        name === undefined ? (
          own.map((option, at) => row(option, start + at))
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, which no element of a form is
          <div key={`group-${start}`} role="group" aria-label={name}>
            <div aria-hidden className="truncate px-2.5 pt-2 pb-1 font-medium text-faint text-xs">
              {name}
            </div>
            {own.map((option, at) => row(option, start + at))}
          </div>
        ),
      )}
    </div>
  );
}

/** The options from one place to another, cut where a group begins. */
function groupsOf<Option>(
  options: readonly Option[],
  from: number,
  to: number,
  groupOf: (option: Option) => string | undefined = () => undefined,
) {
  const groups: { readonly name: string | undefined; readonly start: number; readonly own: Option[] }[] = [];
  for (const [index, option] of options.slice(from, to).entries()) {
    const name = groupOf(option);
    const last = groups.at(-1);
    if (last?.name === name && last !== undefined) last.own.push(option);
    else groups.push({ name, start: from + index, own: [option] });
  }
  return groups;
}

/** Thousands of options are drawn only around the chosen one, and further where one scrolls to. */
function useDrawnPart<Option>(
  { isOpen, options, at, isPointedAt, id }: ListboxModel<Option>,
  box: RefObject<HTMLDivElement | null>,
) {
  const [part, setPart] = useState({ from: 0, to: drawnAtOnce });
  const isIn = at < 0 || (part.from <= at && at < part.to);
  const around = Math.max(0, Math.min(at - drawnAtOnce / 2, options.length - drawnAtOnce));
  const { from, to } = isIn && isOpen ? part : { from: around, to: around + drawnAtOnce };
  const heightBefore = useRef<number>(undefined);

  useLayoutEffect(() => {
    setPart((before) => (before.from === from && before.to === to ? before : { from, to }));
    // What was put above must not move what is looked at.
    const before = heightBefore.current;
    heightBefore.current = undefined;
    if (box.current !== null && before !== undefined)
      box.current.scrollTop += box.current.scrollHeight - before;
  }, [from, to, box]);

  useLayoutEffect(() => {
    if (isOpen && !isPointedAt && at >= 0)
      document.getElementById(optionId(id, at))?.scrollIntoView?.({ block: 'nearest' });
  }, [isOpen, isPointedAt, at, id]);

  const more = (): void => {
    const { current } = box;
    if (current === null) return;
    const { scrollTop, clientHeight, scrollHeight } = current;
    if (scrollTop < clientHeight && from > 0) {
      heightBefore.current = scrollHeight;
      setPart({ from: Math.max(0, from - drawnAtOnce), to });
    } else if (scrollHeight - scrollTop < 2 * clientHeight && to < options.length)
      setPart({ from, to: to + drawnAtOnce });
  };
  return { from, to, more };
}

const optionId = (listId: string, at: number): string => `${listId}-${at}`;
