import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { Form, FormField } from '../protocol/interaction.ts';

/** Checks what a person filled in against the stored form; the refusal names the first field that does not fit. */
export function checkForm(
  form: Form,
  given: Readonly<Record<string, unknown>>,
): Result<Record<string, unknown>> {
  const values: [string, unknown][] = [];
  const stranger = Object.keys(given).find((id) => !form.fields.some((field) => field.id === id));
  if (stranger !== undefined) return wrong(stranger, 'is not a field of this form');
  for (const field of form.fields) {
    // A field may be called "constructor": only what was given counts.
    const value = Object.hasOwn(given, field.id) ? given[field.id] : undefined;
    const nothingChosen = Array.isArray(value) && value.length === 0;
    if (field.required && (isEmpty(value) || nothingChosen)) {
      return wrong(field.id, 'is required', field.label);
    }
    if (isEmpty(value)) continue;
    const fault = fieldFault(field, value);
    if (fault !== undefined) return wrong(field.id, fault, field.label);
    values.push([field.id, value]);
  }
  return accept(Object.fromEntries(values));
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

const wrong = (id: string, fault: string, label = id) =>
  refuse('invalid_answer', `"${label}" ${fault}.`, { field: `input.${id}` });

/** What is wrong with a value that is given, to follow the name of its field. */
export function fieldFault(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case 'text':
    case 'textarea':
      return textFault(field, value);
    case 'date':
      return isDate(value) ? undefined : 'must be a date';
    case 'number':
      return numberFault(field, value);
    case 'checkbox':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'select':
    case 'radio':
      return isOffered(field, value) ? undefined : 'must be one of the options';
    case 'multiselect':
      return Array.isArray(value) && value.every((one) => isOffered(field, one))
        ? undefined
        : field.options === undefined || field.options.length === 0
          ? 'must be a list of texts'
          : 'must be a list of the options';
  }
}

/** A choice without options would be one that nobody can make: then any text is taken. */
function isOffered({ options = [] }: FormField, value: unknown): boolean {
  if (options.length === 0) return typeof value === 'string' && value !== '';
  return options.some((option) => option.value === value);
}

/** Also with a time. A day that the month does not have is no date, though the platform would roll it over. */
function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(value))
    return false;
  const day = value.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(value)) &&
    !Number.isNaN(parsed.getTime()) &&
    parsed.toISOString().startsWith(day)
  );
}

function textFault(field: FormField, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  if (field.minLength !== undefined && value.length < field.minLength) {
    return `must have at least ${field.minLength} characters`;
  }
  if (field.maxLength !== undefined && value.length > field.maxLength) {
    return `must have at most ${field.maxLength} characters`;
  }
  if (field.format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
    return 'must be an e-mail address';
  if (field.format === 'uri' && !URL.canParse(value)) return 'must be a web address';
  return undefined;
}

function numberFault(field: FormField, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (field.integer === true && !Number.isInteger(value)) return 'must be a whole number';
  if (field.minimum !== undefined && value < field.minimum) return `must be at least ${field.minimum}`;
  if (field.maximum !== undefined && value > field.maximum) return `must be at most ${field.maximum}`;
  return undefined;
}
