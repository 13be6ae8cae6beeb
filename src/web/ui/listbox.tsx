import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { cx } from './class-names.ts';

export interface ListboxModel<Option> {
  readonly id: string;
  readonly isOpen: boolean;
  readonly options: readonly Option[];
  /** The one that Enter takes, by its place; -1 for none. */
  readonly at: number;
  setAt(at: number): void;
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
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** Options for what is being typed in a field, which keeps the focus. */
export function useListbox<Option>({
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
  /**
   * What stands in the field after a pick. Where it is given, anything else may stand there, too: the list opens when something is typed,
   * and chooses nothing by itself.
   */
  readonly textOf?: (option: Option) => string;
}): ListboxModel<Option> {
  const id = useId();
  const isFree = textOf !== undefined;
  const [closedAt, setClosedAt] = useState<string | null>(isFree ? (sought ?? null) : null);
  const none = isFree ? -1 : 0;
  const [chosen, setChosen] = useState({ sought, at: none });
  const isOver = sought === undefined;
  useEffect(() => {
    // The next one is begun afresh.
    if (isOver) setClosedAt(null);
  }, [isOver]);

  const isClosed = isFree ? closedAt === sought : closedAt !== null;
  const isOpen = isFocused && !isOver && !isClosed && options.length > 0;
  const at = chosen.sought === sought ? Math.min(chosen.at, options.length - 1) : none;
  const setAt = (to: number): void => setChosen({ sought, at: to });
  const pick = (option: Option): void => {
    if (isFree) setClosedAt(textOf(option));
    setAt(none);
    onPick(option);
  };

  const pressed = (event: KeyboardEvent): boolean => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (!isOpen && isFree && event.key === 'ArrowDown' && options.length > 0) {
      setClosedAt(null);
      setAt(0);
      event.preventDefault();
      return true;
    }
    if (!isOpen) return false;
    const current = options[at];
    switch (event.key) {
      case 'ArrowDown':
        setAt((at + 1) % options.length);
        break;
      case 'ArrowUp':
        setAt(at <= 0 ? options.length - 1 : at - 1);
        break;
      case 'Enter':
      case 'Tab':
        if (current === undefined || (event.key === 'Enter' && isTypedInFull(current))) return false;
        pick(current);
        break;
      case 'Escape':
        setClosedAt(sought);
        event.stopPropagation();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };

  const isCombobox = isOpen || isFree;
  return {
    id,
    isOpen,
    options,
    at,
    setAt,
    pick,
    pressed,
    fieldProps: {
      onFocus: () => {
        setFocused(true);
        if (isFree) setClosedAt(sought ?? null);
      },
      onBlur: () => setFocused(false),
      ...(isCombobox && { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': isOpen }),
      ...(isOpen && { 'aria-controls': id }),
      ...(isOpen && at >= 0 && { 'aria-activedescendant': optionId(id, at) }),
    },
  };
}

/** The list itself, above or below its field, in a box that is positioned. */
export function Listbox<Option>({
  list,
  label,
  keyOf,
  isBelow = false,
  isSmall = false,
  children,
}: {
  readonly list: ListboxModel<Option>;
  readonly label: string;
  readonly keyOf: (option: Option) => string;
  readonly isBelow?: boolean;
  /** In a monitor, which is hardly higher than the list. */
  readonly isSmall?: boolean;
  readonly children: (option: Option) => ReactNode;
}) {
  if (!list.isOpen) return null;
  return (
    <div
      id={list.id}
      role="listbox"
      aria-label={label}
      className={cx(
        'absolute -inset-x-px z-30 animate-appear overflow-y-auto overscroll-contain rounded-ui border border-line bg-raised p-1 shadow-float',
        isBelow ? 'top-full mt-1' : 'bottom-full mb-1',
        isSmall ? 'max-h-36' : 'max-h-[min(18rem,40dvh)]',
      )}
    >
      {list.options.map((option, index) => {
        const isChosen = index === list.at;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read where one types
          <div
            key={keyOf(option)}
            id={optionId(list.id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen}
            ref={isChosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            // The field keeps the focus, or the list would be gone before the press ends.
            onMouseDown={(event) => event.preventDefault()}
            onPointerMove={() => list.setAt(index)}
            onClick={() => list.pick(option)}
            className={cx(
              'flex cursor-pointer flex-col justify-center rounded-tight px-2.5 py-1.5 pointer-coarse:min-h-11',
              isChosen && 'bg-sunken',
            )}
          >
            {children(option)}
          </div>
        );
      })}
    </div>
  );
}

const optionId = (listId: string, at: number): string => `${listId}-${at}`;
