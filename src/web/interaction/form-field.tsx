import { type ReactNode, useId } from 'react';
import type { FormField } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { Field, Input, Select, Textarea } from '../ui/field.tsx';
import { type FieldDraft, fieldDraft } from './draft.logic.ts';
import type { Card } from './use-card.ts';

export interface FormFieldProps {
  readonly field: FormField;
  readonly card: Card;
  readonly error: string | undefined;
  readonly onLeave: () => void;
}

/** One field of a form, by its type. */
export function FormFieldView(props: FormFieldProps) {
  switch (props.field.type) {
    case 'text':
    case 'textarea':
    case 'number':
    case 'date':
    case 'select':
      return <TypedField {...props} />;
    case 'checkbox':
      return <Tick {...props} />;
    case 'radio':
    case 'multiselect':
      return <Choices {...props} />;
  }
}

const labelOf = ({ label, id }: FormField): string => plainText(label || id);

function useValue({ field, card }: FormFieldProps): [FieldDraft, (value: FieldDraft) => void] {
  const set = (value: FieldDraft): void =>
    card.setDraft({ values: { ...card.draft.values, [field.id]: value } });
  return [fieldDraft(field, card.draft), set];
}

function TypedField(props: FormFieldProps) {
  const t = useT();
  const { field, error, onLeave } = props;
  const [value, set] = useValue(props);
  const text = typeof value === 'string' ? value : '';
  const label = field.required ? labelOf(field) : t('form.optional', { label: labelOf(field) });
  return (
    <Field
      label={label}
      error={error}
      {...(field.description === undefined ? {} : { hint: plainText(field.description) })}
    >
      {(ids) => {
        const common = {
          ...ids,
          value: text,
          onBlur: onLeave,
          'aria-required': field.required,
          onChange: ({ target }: { target: { value: string } }) => set(target.value),
        };
        switch (field.type) {
          case 'textarea':
            return <Textarea {...common} rows={3} className="max-h-80" />;
          case 'select':
            return (
              <Select {...common}>
                {(text === '' || !field.required) && <option value="">{t('form.choose')}</option>}
                {(field.options ?? []).map((option) => (
                  <option key={option.value} value={option.value}>
                    {plainText(option.label)}
                  </option>
                ))}
              </Select>
            );
          case 'number':
            return <Input {...common} inputMode={field.integer === true ? 'numeric' : 'decimal'} />;
          case 'date':
            return <Input {...common} type={text.includes('T') ? 'text' : 'date'} className="max-w-48" />;
          default:
            return <Input {...common} type={inputTypes[field.format ?? ''] ?? 'text'} />;
        }
      }}
    </Field>
  );
}

const inputTypes: Readonly<Record<string, string>> = { email: 'email', uri: 'url' };

function Tick(props: FormFieldProps) {
  const { field, error } = props;
  const [value, set] = useValue(props);
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="flex items-start gap-2.5 pointer-coarse:min-h-11 pointer-coarse:items-center">
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={error === undefined ? undefined : id}
          onChange={(event) => set(event.target.checked)}
          className="mt-0.75 size-4 shrink-0 accent-ink"
        />
        <span className="flex min-w-0 flex-col">
          <span className="font-medium text-sm wrap-anywhere">{labelOf(field)}</span>
          {field.description !== undefined && (
            <span className="text-faint text-xs wrap-anywhere">{plainText(field.description)}</span>
          )}
        </span>
      </label>
      <Note id={id} isWrong>
        {error}
      </Note>
    </div>
  );
}

function Choices(props: FormFieldProps) {
  const t = useT();
  const { field, error } = props;
  const [value, set] = useValue(props);
  const name = useId();
  const noteId = `${name}-note`;
  const isMany = field.type === 'multiselect';
  const chosen = Array.isArray(value) ? value : [value];
  const press = (option: string): void => {
    if (!isMany) set(option);
    else set(chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option]);
  };
  return (
    <fieldset
      aria-describedby={error === undefined && field.description === undefined ? undefined : noteId}
      className="flex flex-col gap-1"
    >
      <legend className="mb-1 font-medium text-sm wrap-anywhere">
        {field.required ? labelOf(field) : t('form.optional', { label: labelOf(field) })}
      </legend>
      <div className="flex flex-col gap-1">
        {(field.options ?? []).map((option) => (
          <label
            key={option.value}
            className="flex items-start gap-2.5 pointer-coarse:min-h-11 pointer-coarse:items-center"
          >
            <input
              type={isMany ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen.includes(option.value)}
              onChange={() => press(option.value)}
              className="mt-0.75 shrink-0 accent-ink"
            />
            <span className="min-w-0 wrap-anywhere">{plainText(option.label)}</span>
          </label>
        ))}
      </div>
      <Note id={noteId} isWrong={error !== undefined}>
        {error ?? (field.description === undefined ? undefined : plainText(field.description))}
      </Note>
    </fieldset>
  );
}

const Note = ({
  id,
  isWrong,
  children,
}: {
  readonly id: string;
  readonly isWrong: boolean;
  readonly children: ReactNode;
}) =>
  children === undefined ? null : (
    <p id={id} className={cx('text-xs', isWrong ? 'text-fail-ink' : 'text-faint')}>
      {children}
    </p>
  );
