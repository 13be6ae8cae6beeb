import type { Form, FormField } from '../../protocol/interaction.ts';
import { UsageError } from '../failure.ts';
import { pickValue } from './pick-answer.ts';

/**
 * The values of a form from `FIELD=VALUE` words; what is left out keeps its default. Where there is one field alone its name may be
 * left out, too; one that takes several choices may be named several times.
 */
export function formValues(form: Form | undefined, words: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(form);
  const values: Record<string, unknown> = {};
  for (const field of fields) if (field.defaultValue !== undefined) values[field.id] = field.defaultValue;
  for (const [field, typed] of byField(fields, words)) {
    if (typed.length > 1 && field.type !== 'multiselect') throw new UsageError(`${field.id} is given twice`);
    const picked = pickValue(typed.join(','), field);
    if (!picked.ok) throw new UsageError(`${field.id}: ${picked.hint}`);
    values[field.id] = picked.value;
  }
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
