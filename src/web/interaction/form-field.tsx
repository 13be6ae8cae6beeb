import { Maximize2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { Form, FormField } from '../../protocol/interaction.ts';
import { openDialog } from '../frame/dialogs.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Input, Select, Textarea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { type FieldDraft, fieldDraft, isFree } from './draft.logic.ts';
import { Fault, FieldFrame, FieldGroup, Help, labelOf } from './field-frame.tsx';
import { found, LongSelect, mostInSelect } from './long-select.tsx';
import type { Card } from './use-card.ts';

export interface FormFieldProps {
  readonly form: Form;
  readonly field: FormField;
  readonly card: Card;
  readonly error: string | undefined;
  /** In a dialog of its own: there is room for long texts. */
  readonly isLarge: boolean;
  readonly onLeave: () => void;
  readonly onTouch: () => void;
}

/** One field of a form, by its type. */
export function FormFieldView(props: FormFieldProps) {
  const { field } = props;
  switch (field.type) {
    case 'textarea':
      return <LongText {...props} />;
    case 'text':
    case 'number':
    case 'date':
      return <ShortText {...props} />;
    case 'select':
      return isFree(field) ? <ShortText {...props} /> : <OneOf {...props} />;
    case 'checkbox':
      return <Tick {...props} />;
    case 'multiselect':
      return isFree(field) ? <LongText {...props} /> : <Choices {...props} />;
    case 'radio':
      return isFree(field) ? <ShortText {...props} /> : <Choices {...props} />;
  }
}

function useValue({ form, field, card, onTouch }: FormFieldProps) {
  const set = (value: FieldDraft): void => {
    onTouch();
    card.setDraft({ values: { ...card.draft.values, [field.id]: value } });
  };
  return [fieldDraft(form, field, card.draft), set] as const;
}

const textIn = (value: FieldDraft): string => (typeof value === 'string' ? value : '');

function ShortText(props: FormFieldProps) {
  const { field, error, onLeave } = props;
  const [value, set] = useValue(props);
  const text = textIn(value);
  return (
    <FieldFrame field={field} error={error}>
      {(ids) => (
        <Input
          {...ids}
          {...lookOf(field, text)}
          value={text}
          autoComplete="off"
          aria-required={field.required}
          onBlur={onLeave}
          onChange={({ target }) => set(target.value)}
        />
      )}
    </FieldFrame>
  );
}

function lookOf(field: FormField, text: string) {
  switch (field.type) {
    case 'number':
      return { inputMode: field.integer === true ? 'numeric' : 'decimal', className: 'max-w-48' } as const;
    case 'date':
      return { type: text.includes('T') ? 'text' : 'date', className: 'max-w-48' };
    default:
      return { type: inputTypes[field.format ?? ''] ?? 'text' };
  }
}

const inputTypes: Readonly<Record<string, string>> = { email: 'email', uri: 'url' };

/** A text of several lines, or a list with one entry a line; it can be given more room. */
function LongText(props: FormFieldProps) {
  const t = useT();
  const { field, error, card, isLarge, onLeave } = props;
  const [value, set] = useValue(props);
  const isList = typeof value !== 'string';
  const { interactionId } = card.interaction;
  return (
    <FieldFrame
      field={field}
      error={error}
      hint={isList ? t('form.onePerLine') : undefined}
      action={
        !isLarge && (
          <IconButton
            icon={Maximize2}
            label={t('form.largeField', { label: labelOf(field) })}
            onClick={() => openDialog({ is: 'interaction', interactionId, field: field.id })}
            className="-my-1 size-6 pointer-coarse:-my-0"
          />
        )
      }
    >
      {(ids) => (
        <Textarea
          {...ids}
          rows={3}
          value={Array.isArray(value) ? value.join('\n') : textIn(value)}
          aria-required={field.required}
          onBlur={onLeave}
          onChange={({ target }) => set(isList ? target.value.split('\n') : target.value)}
          className={isLarge ? 'max-h-[60vh] min-h-56!' : 'max-h-80 min-h-16!'}
        />
      )}
    </FieldFrame>
  );
}

function OneOf(props: FormFieldProps) {
  const t = useT();
  const { field, error, onLeave } = props;
  const [value, set] = useValue(props);
  const text = textIn(value);
  const options = (field.options ?? []).map((option) => ({ ...option, label: plainText(option.label) }));
  return (
    <FieldFrame field={field} error={error}>
      {(ids) =>
        options.length > mostInSelect ? (
          <LongSelect
            {...ids}
            aria-required={field.required}
            options={field.required ? options : [{ value: '', label: t('form.nothing') }, ...options]}
            value={text}
            onChange={set}
            onLeave={onLeave}
          />
        ) : (
          <Select
            {...ids}
            value={text}
            aria-required={field.required}
            onBlur={onLeave}
            onChange={({ target }) => set(target.value)}
          >
            {(text === '' || !field.required) && (
              <option value="">{field.required || text === '' ? t('form.choose') : t('form.nothing')}</option>
            )}
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </Select>
        )
      }
    </FieldFrame>
  );
}

function Choices(props: FormFieldProps) {
  const { field, error, onLeave } = props;
  const [value, set] = useValue(props);
  return (
    <ChoiceField
      field={field}
      error={error}
      chosen={Array.isArray(value) ? value : value === '' ? [] : [String(value)]}
      onChange={(chosen) => set(field.type === 'radio' ? (chosen.at(-1) ?? '') : chosen)}
      onLeave={onLeave}
    />
  );
}

function Tick(props: FormFieldProps) {
  const { field, error } = props;
  const [value, set] = useValue(props);
  const id = useId();
  const about = [
    ...(field.description === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  return (
    <div data-field={field.id} className="flex flex-col gap-1">
      <label className="flex items-start gap-2.5 self-start pointer-coarse:min-h-11 pointer-coarse:items-center">
        <input
          type="checkbox"
          checked={value === true}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={about.length === 0 ? undefined : about.join(' ')}
          onChange={(event) => set(event.target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-ink pointer-coarse:mt-0"
        />
        <span className="min-w-0 font-medium text-sm wrap-anywhere">{labelOf(field)}</span>
      </label>
      <div className="flex flex-col gap-1 pl-6.5 empty:hidden">
        <Help id={`${id}-hint`} field={field} />
        <Fault id={`${id}-error`}>{error}</Fault>
      </div>
    </div>
  );
}

/** More than these are searched rather than read. */
const mostInList = 10;
const shortLabel = 28;

/** Something to choose from, with all of it in sight: one, or several. */
function ChoiceField({
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
