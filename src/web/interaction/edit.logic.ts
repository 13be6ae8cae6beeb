import { withValueAt } from '../../model/json-pointer.ts';
import { editableOf, editBetween } from '../../model/tool-call.ts';
import type { Interaction } from '../../protocol/interaction.ts';

type Input = Interaction['input'];

export type Edited =
  | { readonly is: 'same' }
  | { readonly is: 'edited'; readonly input: Input }
  | { readonly is: 'wrong'; readonly why: 'empty' | 'not-json' | 'not-an-object' };

/** The input with the edit in it; everything else stays as it was asked. */
export function editedInput(interaction: Interaction, text: string | null): Edited {
  const { what, at, text: original } = editableOf(interaction);
  if (text === null || text === original) return { is: 'same' };
  if (what === 'command' && text.trim() === '') return { is: 'wrong', why: 'empty' };
  if (what !== 'json') return { is: 'edited', input: withValueAt(interaction.input, at, text) };
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { is: 'edited', input: parsed as Input }
      : { is: 'wrong', why: 'not-an-object' };
  } catch {
    return { is: 'wrong', why: 'not-json' };
  }
}

/** Before and after of what was decided on an edited input, for showing it as an edit. */
export function editOf(interaction: Interaction): ReturnType<typeof editBetween> | null {
  const { decision } = interaction;
  return decision?.type !== 'allow' || decision.updatedInput === undefined
    ? null
    : editBetween(interaction, decision.updatedInput);
}
