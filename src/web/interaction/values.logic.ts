import type { Form, FormField } from '../../protocol/interaction.ts';
import type { Translate } from '../i18n/i18n.ts';
import { oneLine, plainText } from '../text/plain-text.ts';

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

/** The asker's own sentence with the values put in for `{field}`; undefined without one. Each value is put in once, as text. */
export function summaryText(t: Translate, form: Form | undefined, values: Values): string | undefined {
  const template = form?.completedView?.summary;
  if (template === undefined || template.trim() === '') return undefined;
  const said = template.replace(/\{([^{}]{1,200})\}/g, (placeholder, id: string) => {
    const field = form?.fields.find((each) => each.id === id);
    if (field === undefined) return placeholder;
    return shownText(t, field, Object.hasOwn(values, id) ? values[id] : undefined) || '–';
  });
  return oneLine(said);
}

export function shownText(t: Translate, field: FormField | undefined, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return t(value ? 'form.yes' : 'form.no');
  if (typeof value === 'number') return value.toLocaleString(t.language, { maximumFractionDigits: 12 });
  if (Array.isArray(value)) return value.map((one) => optionText(field, one)).join(', ');
  if (field?.type === 'date' && typeof value === 'string') return dateText(t, value);
  return optionText(field, value);
}

function optionText(field: FormField | undefined, value: unknown): string {
  const option = field?.options?.find((each) => each.value === value);
  return plainText(option?.label ?? (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** A day is a day wherever one is: it is read as this place's own. */
function dateText(t: Translate, value: string): string {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T.+)?$/.exec(value) ?? [];
  const date = day === undefined ? undefined : new Date(time === undefined ? `${day}T00:00` : value);
  if (date === undefined || Number.isNaN(date.getTime())) return plainText(value);
  return time === undefined
    ? date.toLocaleDateString(t.language, { dateStyle: 'long' })
    : date.toLocaleString(t.language, { dateStyle: 'long', timeStyle: 'short' });
}
