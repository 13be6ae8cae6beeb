import type { Form, Interaction, Outcome } from '../../protocol/interaction.ts';
import { oneLine, plainText } from '../text/plain-text.ts';
import type { Tone } from '../ui/tone.ts';
import { editOf } from './edit.logic.ts';

export const toneOfOutcome: Readonly<Record<Outcome, Tone>> = {
  allowed: 'done',
  answered: 'done',
  submitted: 'done',
  denied: 'fail',
  lost: 'fail',
  dismissed: 'neutral',
  withdrawn: 'neutral',
  interrupted: 'neutral',
  expired: 'neutral',
};

/** What was decided, beyond its outcome. */
export type DecisionPart =
  | { readonly is: 'said'; readonly label: string; readonly text: string }
  | { readonly is: 'reason'; readonly text: string; readonly isInterrupting: boolean }
  | { readonly is: 'edit'; readonly before: string; readonly after: string }
  | { readonly is: 'mode'; readonly mode: string }
  | { readonly is: 'scope'; readonly scope: 'session' | 'always' };

export function decisionParts(interaction: Interaction): DecisionPart[] {
  const { decision } = interaction;
  switch (decision?.type) {
    case undefined:
      return [];
    case 'allow': {
      const edit = editOf(interaction);
      return [
        ...(edit === null ? [] : [{ is: 'edit', ...edit } as const]),
        ...(decision.mode === undefined ? [] : [{ is: 'mode', mode: decision.mode } as const]),
        ...(decision.scope === 'once' ? [] : [{ is: 'scope', scope: decision.scope } as const]),
      ];
    }
    case 'deny':
      return [{ is: 'reason', text: plainText(decision.message), isInterrupting: decision.interrupt }];
    case 'dismiss':
      return [{ is: 'reason', text: plainText(decision.message), isInterrupting: false }];
    case 'answer':
      return (interaction.questions ?? []).map(({ question }, at) => ({
        is: 'said',
        label: plainText(question),
        text: answerText(decision.answers[at]),
      }));
    case 'submit':
      return Object.entries(decision.values).map(([id, value]) => said(interaction.form, id, value));
  }
}

/** What was decided, in the few words that fit into a line; empty when the outcome says it all. */
export function decisionInShort(interaction: Interaction): string {
  const { decision } = interaction;
  switch (decision?.type) {
    case 'deny':
      return interaction.outcome === 'denied' ? oneLine(decision.message) : '';
    case 'answer':
      return decision.answers.map(answerText).map(oneLine).join(' · ');
    case 'submit':
      return Object.entries(decision.values)
        .map(([id, value]) => oneLine(said(interaction.form, id, value).text))
        .join(' · ');
    case 'allow':
    case 'dismiss':
    case undefined:
      return '';
  }
}

function answerText(answer: { selected: readonly string[]; other?: string | undefined } | undefined): string {
  const words = [...(answer?.selected ?? []), ...(answer?.other === undefined ? [] : [answer.other])];
  return plainText(words.join(', '));
}

function said(form: Form | undefined, id: string, value: unknown) {
  const field = form?.fields.find((each) => each.id === id);
  const labelOf = (one: unknown): string =>
    field?.options?.find((option) => option.value === one)?.label ?? textOf(one);
  const text = Array.isArray(value) ? value.map(labelOf).join(', ') : labelOf(value);
  return { is: 'said', label: plainText(field?.label ?? id), text: plainText(text) } as const;
}

const textOf = (value: unknown): string => {
  if (value === true) return '✓';
  if (value === false) return '✗';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
