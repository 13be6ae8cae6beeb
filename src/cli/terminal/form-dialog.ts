import type { Form, FormField } from '../../protocol/interaction.ts';
import { oneLine } from '../render/safe-text.ts';
import type { AskedInteraction, Dialog, DialogStep } from './dialog.ts';
import { fieldsOf } from './form-values.ts';
import { pickValue } from './pick-answer.ts';

/** One field after the other; an empty line takes the default. */
export function formDialog(interaction: AskedInteraction): Dialog {
  const { interactionId } = interaction;
  return fieldsDialog(interaction.form, {
    done: (input) => respond({ action: 'submit', input }),
    skipped: () => respond({ action: 'cancel' }),
  });

  function respond(how: { action: 'submit' | 'cancel'; input?: Record<string, unknown> }): DialogStep {
    return { type: 'reply', reply: { via: 'respond', body: { interactionId, ...how } } };
  }
}

export function fieldsDialog(
  form: Form | undefined,
  then: {
    readonly done: (values: Record<string, unknown>) => DialogStep;
    readonly skipped: () => DialogStep;
  },
): Dialog {
  const fields = fieldsOf(form);
  const values: Record<string, unknown> = {};
  let index = 0;

  return {
    opening: fields.length === 0 ? 'Press Enter to agree, or /skip' : promptOf(fields[0]),
    take(line) {
      if (line.trim() === '/skip') return then.skipped();
      const field = fields[index];
      if (field !== undefined) {
        const picked = pickValue(line, field);
        if (!picked.ok) return { type: 'ask', text: `${picked.hint} ${promptOf(field)}` };
        if (picked.value !== undefined) values[field.id] = picked.value;
        index += 1;
      }
      return index < fields.length
        ? { type: 'ask', text: promptOf(fields[index]) }
        : then.done({ ...values });
    },
  };
}

function promptOf(field: FormField | undefined): string {
  if (field === undefined) return '';
  const options = field.options?.map(({ label }, index) => `${index + 1}. ${oneLine(label)}`).join(', ');
  const byDefault =
    field.defaultValue === undefined ? '' : ` [${oneLine(JSON.stringify(field.defaultValue))}]`;
  const kind = field.type === 'checkbox' ? ' (yes or no)' : options === undefined ? '' : ` (${options})`;
  return `${oneLine(field.label)}${kind}${byDefault}${field.required ? '' : ', optional'} (/skip to dismiss)`;
}
