import { useId, useState } from 'react';
import type { FormField } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/field.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { FieldGroup, labelOf } from './field-frame.tsx';
import { found } from './find-option.logic.ts';

/** More than these are searched rather than read. */
const mostInList = 10;
const shortLabel = 28;

/** Something to choose from, with all of it in sight: one, or several. */
export function ChoiceField({
  field,
  error,
  chosen,
  onChange,
  onLeave,
}: {
  readonly field: FormField;
  readonly error: string | undefined;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly onLeave: () => void;
}) {
  const t = useT();
  const name = useId();
  const [sought, setSought] = useState('');
  const isMany = field.type === 'multiselect';
  const options = (field.options ?? []).map(({ value, label }) => ({ value, label: plainText(label) }));
  const isLong = options.length > mostInList;
  const shown = isLong ? found(options, sought) : options;
  const isInColumns = options.length > 3 && options.every(({ label }) => label.length <= shortLabel);
  const press = (value: string): void => {
    if (!isMany) onChange([value]);
    else onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  };
  const list = (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that the choices in it were left
    <div
      className={cx('grid gap-x-4', isInColumns && 'sm:grid-cols-2')}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onLeave();
      }}
    >
      {shown.map(({ value, label }) => (
        <label
          key={value}
          className="flex min-h-7 min-w-0 items-start gap-2.5 py-1 pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(value)}
            aria-invalid={isMany && error !== undefined ? true : undefined}
            onChange={() => press(value)}
            className="mt-0.75 shrink-0 accent-ink pointer-coarse:mt-0"
          />
          <span className="min-w-0 wrap-anywhere">{label}</span>
        </label>
      ))}
    </div>
  );
  return (
    <FieldGroup field={field} error={error} hint={isMany ? t('form.several') : undefined} isOneOf={!isMany}>
      {isLong ? (
        <div className="flex flex-col rounded-ui border border-line-strong">
          <div className="flex items-center gap-2 border-line border-b p-1.5">
            <Input
              type="search"
              value={sought}
              autoComplete="off"
              aria-label={t('form.findIn', { label: labelOf(field) })}
              placeholder={t('form.find')}
              onChange={({ target }) => setSought(target.value)}
              className="border-transparent"
            />
            <span role="status" className="shrink-0 pr-2 text-faint text-xs">
              {t('form.chosen', { count: chosen.length })}
            </span>
          </div>
          <ScrollArea className="max-h-56 px-2.5 py-1">
            {shown.length === 0 ? <p className="py-1 text-faint text-sm">{t('form.notFound')}</p> : list}
          </ScrollArea>
        </div>
      ) : (
        list
      )}
    </FieldGroup>
  );
}
