import type { Interaction } from '../../protocol/interaction.ts';
import { verbOfAsk } from './ask-summary.logic.ts';

type Input = Interaction['input'];

/** The part of an input that a person edits: one text field of it, or the whole as JSON. */
export interface Editable {
  readonly field: string | null;
  readonly text: string;
}

const editedFields = {
  run: ['command'],
  write: ['content'],
  edit: ['new_string', 'new_source'],
  plan: ['plan'],
} as const satisfies Partial<Record<ReturnType<typeof verbOfAsk>, readonly string[]>>;

export function editableOf(interaction: Interaction): Editable {
  const verb = verbOfAsk(interaction);
  const fields: readonly string[] =
    verb in editedFields ? editedFields[verb as keyof typeof editedFields] : [];
  const field = fields.find((name) => typeof interaction.input[name] === 'string');
  return field === undefined
    ? { field: null, text: JSON.stringify(interaction.input, null, 2) }
    : { field, text: String(interaction.input[field]) };
}

export type Edited =
  | { readonly is: 'same' }
  | { readonly is: 'edited'; readonly input: Input }
  | { readonly is: 'wrong'; readonly why: 'empty' | 'not-json' | 'not-an-object' };

/** The input with the edit in it; everything else stays as it was asked. */
export function editedInput(interaction: Interaction, text: string | null): Edited {
  const { field, text: original } = editableOf(interaction);
  if (text === null || text === original) return { is: 'same' };
  if (field !== null) {
    const isNothingToRun = field === 'command' && text.trim() === '';
    return isNothingToRun
      ? { is: 'wrong', why: 'empty' }
      : { is: 'edited', input: { ...interaction.input, [field]: text } };
  }
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
export function editOf(interaction: Interaction): { readonly before: string; readonly after: string } | null {
  const { decision } = interaction;
  if (decision?.type !== 'allow' || decision.updatedInput === undefined) return null;
  const { field, text } = editableOf(interaction);
  const isOnlyField =
    field !== null &&
    typeof decision.updatedInput[field] === 'string' &&
    isSame(without(interaction.input, field), without(decision.updatedInput, field));
  return isOnlyField
    ? { before: text, after: String(decision.updatedInput[field]) }
    : { before: pretty(interaction.input), after: pretty(decision.updatedInput) };
}

function without(input: Input, field: string): Input {
  const { [field]: _, ...rest } = input;
  return rest;
}

const pretty = (input: Input): string => JSON.stringify(input, null, 2);
const isSame = (a: Input, b: Input): boolean => JSON.stringify(a) === JSON.stringify(b);
