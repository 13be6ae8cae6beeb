import { fieldFault } from '../../model/form.ts';
import type { Answer, Form, FormField, Question } from '../../protocol/interaction.ts';
import { UsageError } from '../failure.ts';

export type Picked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly hint: string };

/**
 * What a person typed, as the answer to a question: an option's label, its number, or several with commas.
 * Anything else is free text, if `mayBeText`.
 */
export function pickAnswer(typed: string, question: Question, mayBeText: boolean): Picked<Answer> {
  const text = typed.trim();
  if (text === '') return { ok: false, hint: 'Nothing was picked.' };
  if (question.options.length === 0) return { ok: true, value: { selected: [], other: text } };
  const whole = optionOf(text, question);
  if (whole !== undefined) return { ok: true, value: { selected: [whole] } };

  const parts = text.split(',').map((part) => part.trim());
  const labels = parts.map((part) => optionOf(part, question));
  if (labels.every((label) => label !== undefined)) {
    const selected = [...new Set(labels)];
    return selected.length > 1 && !question.multiSelect
      ? { ok: false, hint: 'Only one option may be picked.' }
      : { ok: true, value: { selected } };
  }
  if (parts.every((part) => /^\d+$/.test(part))) {
    return { ok: false, hint: `There are ${question.options.length} options.` };
  }
  return mayBeText
    ? { ok: true, value: { selected: [], other: text } }
    : { ok: false, hint: `"${text}" is no option of "${question.question}": ${labelsOf(question)}` };
}

/** What a person typed, as the value of a form's field that keeps to what is asked for; an empty line takes the default. */
export function pickValue(typed: string, field: FormField): Picked<unknown> {
  const read = readValue(typed, field);
  if (!read.ok || read.value === undefined) return read;
  const fault = fieldFault(field, read.value);
  return fault === undefined ? read : { ok: false, hint: `"${field.label}" ${fault}.` };
}

function readValue(typed: string, field: FormField): Picked<unknown> {
  const text = typed.trim();
  if (text === '') {
    if (field.defaultValue !== undefined) return { ok: true, value: field.defaultValue };
    return field.required
      ? { ok: false, hint: `"${field.label}" is required.` }
      : { ok: true, value: undefined };
  }
  switch (field.type) {
    case 'text':
    case 'textarea':
    case 'date':
      return { ok: true, value: text };
    case 'number':
      return Number.isFinite(Number(text))
        ? { ok: true, value: Number(text) }
        : { ok: false, hint: 'A number is wanted.' };
    case 'checkbox':
      if (/^(y|yes|true|1|on|j|ja)$/i.test(text)) return { ok: true, value: true };
      return /^(n|no|false|0|off|nein)$/i.test(text)
        ? { ok: true, value: false }
        : { ok: false, hint: 'Say yes or no.' };
    case 'select':
    case 'radio': {
      const value = choiceOf(text, field);
      return value === undefined ? { ok: false, hint: choices(field) } : { ok: true, value };
    }
    case 'multiselect': {
      const values = text.split(',').map((part) => choiceOf(part.trim(), field));
      return values.some((value) => value === undefined)
        ? { ok: false, hint: choices(field) }
        : { ok: true, value: values };
    }
  }
}

function optionOf(text: string, question: Question): string | undefined {
  const byLabel = question.options.find(({ label }) => label.toLowerCase() === text.toLowerCase());
  return byLabel?.label ?? (/^\d+$/.test(text) ? question.options[Number(text) - 1]?.label : undefined);
}

function choiceOf(text: string, field: FormField): string | undefined {
  const options = field.options ?? [];
  if (options.length === 0) return text === '' ? undefined : text;
  const named = options.find(
    ({ value, label }) => value === text || label.toLowerCase() === text.toLowerCase(),
  );
  return named?.value ?? (/^\d+$/.test(text) ? options[Number(text) - 1]?.value : undefined);
}

const labelsOf = (question: Question): string => question.options.map(({ label }) => label).join(', ');

const choices = (field: FormField): string =>
  `Pick of: ${(field.options ?? []).map(({ label }, index) => `${index + 1}. ${label}`).join(', ')}`;

/**
 * The values of a form from `FIELD=VALUE` words; what is left out keeps its default. Where there is one field alone its name may be
 * left out, too; one that takes several choices may be named several times.
 */
export function formValues(form: Form | undefined, words: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(form);
  const values: Record<string, unknown> = {};
  for (const field of fields) if (field.defaultValue !== undefined) values[field.id] = field.defaultValue;
  const faults: string[] = [];
  for (const [field, typed] of byField(fields, words)) {
    if (typed.length > 1 && field.type !== 'multiselect') throw new UsageError(`${field.id} is given twice`);
    const picked = pickValue(typed.join(','), field);
    if (picked.ok) values[field.id] = picked.value;
    else faults.push(`${field.id}: ${picked.hint}`);
  }
  // All at once: whoever mends one should not meet the next.
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return values;
}

function byField(fields: readonly FormField[], words: readonly string[]): Map<FormField, string[]> {
  const typed = new Map<FormField, string[]>();
  for (const word of words) {
    const [, name, value = word] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    // With a "=" it is meant to be a name, and may be mistyped.
    const isAlone = name === undefined && fields.length === 1;
    const field = isAlone ? fields[0] : fields.find(({ id }) => id === name);
    if (field === undefined) {
      throw new UsageError(
        `"${word}" is not FIELD=VALUE; the fields are ${fields.map(({ id }) => id).join(', ')}`,
      );
    }
    typed.set(field, [...(typed.get(field) ?? []), value]);
  }
  return typed;
}

/** The fields of a form; where it is asked again, what was filled in before is the default. */
export function fieldsOf(form: Form | undefined): FormField[] {
  const before = form?.initialValues ?? {};
  return (form?.fields ?? []).map((field) =>
    Object.hasOwn(before, field.id) ? { ...field, defaultValue: before[field.id] } : field,
  );
}
