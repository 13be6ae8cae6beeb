import { ChevronsUpDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { findWords, hasWords } from '../../model/find-session.ts';
import { useT } from '../i18n/i18n.ts';
import { Input } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';
import { Listbox, useListbox } from '../ui/listbox.tsx';
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
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [sought, setSought] = useState<string | null>(null);
  const isChosen = (option: Option): boolean => option.value === value;
  const shown = found(options, sought ?? '');

  // What is typed next looks anew, instead of behind what was chosen.
  useEffect(() => {
    if (!isOpen && document.activeElement === input.current) input.current?.select();
  }, [isOpen]);

  const open = (): void => setOpen(true);
  const close = (): void => {
    setOpen(false);
    setSought(null);
  };
  const list = useListbox({
    sought: sought ?? '',
    options: shown,
    isOpen,
    first: sought === null ? Math.max(0, shown.findIndex(isChosen)) : 0,
    isSearch: true,
    onOpen: open,
    onClose: close,
    onPick: (option) => {
      onChange(option.value);
      close();
    },
  });
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="relative">
        <Input
          {...ids}
          {...list.fieldProps}
          ref={input}
          type="text"
          autoComplete="off"
          value={sought ?? (value === '' ? '' : (options.find(isChosen)?.label ?? ''))}
          placeholder={t('form.chooseOf', { count: options.length })}
          onChange={({ target }) => {
            setSought(target.value);
            open();
          }}
          onFocus={(event) => event.currentTarget.select()}
          onClick={open}
          onKeyDown={(event) => {
            if (list.pressed(event) || !isOpen) return;
            // Nothing matches: Enter sends no form, and Escape leaves the search.
            if (!isKey('field.leave', event) && !isKey('list.take', event)) return;
            close();
            event.preventDefault();
            event.stopPropagation();
          }}
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
      <Listbox
        list={list}
        label={t('form.options')}
        keyOf={(option) => option.value}
        isSelected={isChosen}
        placement="inline"
        className="max-h-56 rounded-ui border border-line-strong bg-raised p-1"
      >
        {({ label }) => label}
      </Listbox>
      {isOpen && shown.length === 0 && (
        <p role="status" className="text-faint text-xs">
          {t('form.notFound')}
        </p>
      )}
    </div>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** The options that have every word sought in their label, whatever its case or accents. */
export function found(options: readonly Option[], sought: string): readonly Option[] {
  const words = findWords(folded(sought));
  return words.length === 0 ? options : options.filter(({ label }) => hasWords(folded(label), words));
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
