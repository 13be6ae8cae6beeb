import type { Form, FormField } from '../../protocol/interaction.ts';
import type { Translate } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';

/** A value as it was filled in, for reading. */
export interface ShownValue {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

type Values = Readonly<Record<string, unknown>>;

/** What was filled in, in the order of the form; what the form does not know comes last, under its own name. */
export function shownValues(t: Translate, form: Form | undefined, values: Values): ShownValue[] {
  const fields = form?.fields ?? [];
  const known = fields.filter(({ id }) => Object.hasOwn(values, id));
  const strangers = Object.keys(values).filter((id) => !fields.some((field) => field.id === id));
  return [
    ...known.map((field) => ({
      id: field.id,
      label: plainText(field.label || field.id),
      text: shownText(t, field, values[field.id]),
    })),
    ...strangers.map((id) => ({ id, label: plainText(id), text: shownText(t, undefined, values[id]) })),
  ].filter(({ text }) => text !== '');
}

/** In a sentence of the asker's the value is made safe as a whole, so it is left as it is here. */
export function shownText(
  t: Translate,
  field: FormField | undefined,
  value: unknown,
  asText: (text: string) => string = plainText,
): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'form.yes' : 'form.no');
  if (typeof value === 'number') return value.toLocaleString(t.language, { maximumFractionDigits: 12 });
  if (Array.isArray(value)) return value.map((one) => optionText(field, one, asText)).join(', ');
  if (field?.type === 'date' && typeof value === 'string') return dateText(t, value, asText);
  return optionText(field, value, asText);
}

function optionText(field: FormField | undefined, value: unknown, asText: (text: string) => string): string {
  const option = field?.options?.find((each) => each.value === value);
  return asText(option?.label ?? (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** A day is a day wherever one is: it is read as this place's own. */
function dateText(t: Translate, value: string, asText: (text: string) => string): string {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T.+)?$/.exec(value) ?? [];
  const date = day === undefined ? undefined : new Date(time === undefined ? `${day}T00:00` : value);
  if (date === undefined || Number.isNaN(date.getTime())) return asText(value);
  return time === undefined
    ? date.toLocaleDateString(t.language, { dateStyle: 'long' })
    : date.toLocaleString(t.language, { dateStyle: 'long', timeStyle: 'short' });
}
