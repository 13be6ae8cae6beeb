import type { Form, FormField } from '../../protocol/interaction.ts';
import { UsageError } from '../failure.ts';
import { pickValue } from './pick-answer.ts';

/** The values of a form from `FIELD=VALUE` words; what is left out keeps its default. */
export function formValues(form: Form | undefined, pairs: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(form);
  const values: Record<string, unknown> = {};
  for (const field of fields) if (field.defaultValue !== undefined) values[field.id] = field.defaultValue;
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    const field = fields.find(({ id }) => id === name);
    if (field === undefined || value === undefined) {
      throw new UsageError(
        `"${pair}" is not FIELD=VALUE; the fields are ${fields.map(({ id }) => id).join(', ')}`,
      );
    }
    const picked = pickValue(value, field);
    if (!picked.ok) throw new UsageError(`${field.id}: ${picked.hint}`);
    values[field.id] = picked.value;
  }
  return values;
}

/** The fields of a form; where it is asked again, what was filled in before is the default. */
export function fieldsOf(form: Form | undefined): FormField[] {
  const before = form?.initialValues ?? {};
  return (form?.fields ?? []).map((field) =>
    Object.hasOwn(before, field.id) ? { ...field, defaultValue: before[field.id] } : field,
  );
}
