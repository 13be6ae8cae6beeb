import { showValue } from '../../model/suspicious-text.ts';
import type { FormField } from '../../protocol/interaction.ts';
import { oneLine } from './safe-text.ts';

/** What may be filled in: "whole number, 1 to 65535", "e-mail address", "text, at most 40 characters". */
export function kindWords(field: FormField): string {
  switch (field.type) {
    case 'text':
    case 'textarea': {
      const kind = formatWords[field.format ?? ''] ?? field.type;
      return [kind, range(field.minLength, field.maxLength, 'characters')]
        .filter((part) => part !== '')
        .join(', ');
    }
    case 'number': {
      const kind = field.integer === true ? 'whole number' : 'number';
      return [kind, range(field.minimum, field.maximum, '')].filter((part) => part !== '').join(', ');
    }
    case 'date':
      return 'date, as 2026-01-31';
    case 'checkbox':
      return 'yes or no';
    case 'select':
    case 'radio':
      return field.options === undefined || field.options.length === 0 ? 'text' : 'one of the options';
    case 'multiselect':
      return field.options === undefined || field.options.length === 0
        ? 'several, with commas'
        : 'options, with commas';
  }
}

const formatWords: Readonly<Record<string, string>> = {
  email: 'e-mail address',
  uri: 'web address',
  password: 'hidden text',
};

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const words =
    from !== undefined && to !== undefined
      ? `${from} to ${to}`
      : from !== undefined
        ? `at least ${from}`
        : to !== undefined
          ? `at most ${to}`
          : '';
  return words === '' || unit === '' ? words : `${words} ${unit}`;
}

export const isSecretField = ({ format }: FormField): boolean => format === 'password';

/** A value as a person would say it: options by their names. */
export function valueWords(field: FormField, value: unknown): string {
  if (isSecretField(field)) return '••••';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const words = [value]
    .flat()
    .map((one) => field.options?.find((option) => option.value === one)?.label ?? one)
    .map((one) => (typeof one === 'string' ? one : (JSON.stringify(one) ?? '')));
  return oneLine(showValue(words.join(', ')));
}
