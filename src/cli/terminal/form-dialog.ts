import type { FormField } from '../../protocol/interaction.ts';
import { oneLine } from '../render/safe-text.ts';
import type { AskedInteraction, Dialog, DialogStep } from './dialog.ts';
import { pickValue } from './pick-answer.ts';

/** One field after the other; an empty line takes the default. */
export function formDialog(interaction: AskedInteraction): Dialog {
  const fields = interaction.form?.fields ?? [];
  const values: Record<string, unknown> = {};
  let index = 0;

  return {
    opening: fields.length === 0 ? 'Press Enter to agree, or /skip' : promptOf(fields[0]),
    take(line) {
      if (line.trim() === '/skip') return respond('cancel');
      const field = fields[index];
      if (field !== undefined) {
        const picked = pickValue(line, field);
        if (!picked.ok) return { type: 'ask', text: `${picked.hint} ${promptOf(field)}` };
        if (picked.value !== undefined) values[field.id] = picked.value;
        index += 1;
      }
      return index < fields.length ? { type: 'ask', text: promptOf(fields[index]) } : respond('submit');
    },
  };

  function respond(action: 'submit' | 'cancel'): DialogStep {
    const { interactionId } = interaction;
    const body = { interactionId, action, ...(action === 'submit' ? { input: { ...values } } : {}) };
    return { type: 'reply', reply: { via: 'respond', body } };
  }
}

function promptOf(field: FormField | undefined): string {
  if (field === undefined) return '';
  const options = field.options?.map(({ label }, index) => `${index + 1}. ${oneLine(label)}`).join(', ');
  const byDefault =
    field.defaultValue === undefined ? '' : ` [${oneLine(JSON.stringify(field.defaultValue))}]`;
  const kind = field.type === 'checkbox' ? ' (yes or no)' : options === undefined ? '' : ` (${options})`;
  return `${oneLine(field.label)}${kind}${byDefault}${field.required ? '' : ', optional'} (/skip to dismiss)`;
}
