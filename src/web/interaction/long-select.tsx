import { ChevronsUpDown } from 'lucide-react';
import { type ChangeEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import type { FieldIds } from './field-frame.tsx';

/** More than these are not looked through, but searched. */
export const mostInSelect = 12;

/** One of many: a field to type in, and below it what fits. The list stands in the flow of the page, so that nothing covers it. */
export function LongSelect({
  options,
  value,
  onChange,
  onLeave,
  ...ids
}: FieldIds & {
  readonly 'aria-required': boolean;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}) {
  const t = useT();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [sought, setSought] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const chosen = options.find((option) => option.value === value && value !== '');
  const shown = found(options, sought ?? '');
  const optionId = (at: number): string => `${listId}-${at}`;

  useEffect(() => {
    if (isOpen) list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' });
  }, [isOpen, active]);

  // What is typed next looks anew, instead of behind what was chosen.
  useEffect(() => {
    if (!isOpen && document.activeElement === input.current) input.current?.select();
  }, [isOpen]);

  const open = (): void => {
    setOpen(true);
    setActive(
      Math.max(
        0,
        shown.findIndex((option) => option.value === value),
      ),
    );
  };
  const close = (): void => {
    setOpen(false);
    setSought(null);
  };
  const choose = (option: Option | undefined): void => {
    if (option !== undefined) onChange(option.value);
    close();
  };
  const typed = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    setSought(target.value);
    setActive(0);
    setOpen(true);
  };
  const pressed = (event: KeyboardEvent): void => {
    const isStep = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (isStep && !isOpen) open();
    else if (isStep) setActive(stepped(active, event.key === 'ArrowDown' ? 1 : -1, shown.length));
    else if (event.key === 'Enter' && isOpen && !event.ctrlKey && !event.metaKey) choose(shown[active]);
    else if (event.key === 'Escape' && isOpen) {
      close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="relative">
        <Input
          {...ids}
          ref={input}
          type="text"
          role="combobox"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-activedescendant={isOpen && shown.length > 0 ? optionId(active) : undefined}
          value={sought ?? chosen?.label ?? ''}
          placeholder={t('form.chooseOf', { count: options.length })}
          onChange={typed}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => {
            if (!isOpen) open();
          }}
          onKeyDown={pressed}
          onBlur={() => {
            close();
            onLeave();
          }}
          className="pr-8"
        />
        <ChevronsUpDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-faint"
        />
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={t('form.options')}
        hidden={!isOpen}
        className="max-h-56 overflow-y-auto rounded-ui border border-line-strong bg-raised py-1"
      >
        {isOpen &&
          shown.map((option, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
            // biome-ignore lint/a11y/useFocusableInteractive: the field says which one is meant
            <div
              key={option.value}
              id={optionId(at)}
              role="option"
              aria-selected={option.value === value}
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setActive(at)}
              onClick={() => choose(option)}
              className={cx(
                'flex min-h-7 cursor-pointer items-center px-2.5 py-1 wrap-anywhere pointer-coarse:min-h-11',
                at === active && 'bg-hover',
                option.value === value && 'font-semibold',
              )}
            >
              {option.label}
            </div>
          ))}
      </div>
      {isOpen && shown.length === 0 && (
        <p role="status" className="text-faint text-xs">
          {t('form.notFound')}
        </p>
      )}
    </div>
  );
}

const stepped = (at: number, by: number, count: number): number =>
  count === 0 ? 0 : (at + by + count) % count;

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** The options that have every word sought in their label, whatever its case or accents. */
export function found(options: readonly Option[], sought: string): readonly Option[] {
  const words = folded(sought)
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length === 0
    ? options
    : options.filter(({ label }) => {
        const text = folded(label);
        return words.every((word) => text.includes(word));
      });
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
