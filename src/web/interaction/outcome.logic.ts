import { completedSummary, valuesIn } from '../../model/completed-view.ts';
import { outcomeOf } from '../../model/who.ts';
import type { ApprovalScope, Interaction, Outcome, Question } from '../../protocol/interaction.ts';
import type { EndedBy } from '../data/interactions.ts';
import type { Translate } from '../i18n/i18n.ts';
import { oneLine, plainText } from '../text/plain-text.ts';
import type { Tone } from '../ui/tone.ts';
import { editOf } from './answers-to.ts';
import { type ShownValue, shownText, shownValues } from './values.logic.ts';

export const toneOfOutcome: Readonly<Record<Outcome, Tone>> = {
  allowed: 'done',
  answered: 'done',
  submitted: 'done',
  denied: 'fail',
  lost: 'fail',
  unknown: 'fail',
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
  | { readonly is: 'scope'; readonly scope: Exclude<ApprovalScope, 'once'> };

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
      return [];
  }
}

/** What was filled in, unless the asker wants it not shown. */
export function filledIn({ decision, form }: Interaction, t: Translate): ShownValue[] {
  const values = valuesIn(decision);
  const isHidden = form?.completedView?.showInputs === false;
  return values === undefined || isHidden ? [] : shownValues(t, form, values);
}

/** The asker's own sentence on how it ended, where it has one and somebody decided. */
export function ownSummary(interaction: Interaction, t: Translate): string | undefined {
  const { decision } = interaction;
  if (decision === undefined) return undefined;
  const summary = completedSummary(interaction, decision, {
    action: (action) => t(`action.${action}`),
    value: (field, value) => shownText(t, field, value, (text) => text),
  });
  return summary === undefined ? undefined : oneLine(summary);
}

/** How it ended, in words; where that is not known, what was decided and that it may have arrived. */
export function outcomeText(t: Translate, { outcome, decision, resolvedBy, tool }: Interaction): string {
  switch (outcome) {
    case undefined:
      return '';
    case 'unknown': {
      const decided = decision && resolvedBy && t(`outcome.${outcomeOf(decision, resolvedBy)}`);
      return t('outcome.unknown', { decided: decided ?? t('outcome.answered') });
    }
    case 'withdrawn':
    case 'lost':
      // These ends may be the tool's, not the agent's.
      return tool === undefined ? t(`outcome.${outcome}`) : t(`outcome.tool.${outcome}`);
    default:
      return t(`outcome.${outcome}`);
  }
}

/** Who ended it: the record tells which browser gave the answer; where it does not, what this page saw. */
export function endedFrom({ resolvedBy }: Interaction, seen: EndedBy, browser: string): EndedBy {
  // Whoever has the token can call itself by this browser's name.
  if (resolvedBy?.via === 'token' || resolvedBy?.via === 'library') return 'another';
  if (resolvedBy?.clientId === undefined) return seen;
  return resolvedBy.clientId === browser ? 'us' : 'another';
}

/** What was decided, in the few words that fit into a line; empty when the outcome says it all. */
export function decisionInShort(interaction: Interaction, t: Translate): string {
  const { decision } = interaction;
  switch (decision?.type) {
    case 'deny':
      return interaction.outcome === 'denied' ? oneLine(decision.message) : '';
    case 'answer':
      return answersInShort(interaction.questions ?? [], decision.answers.map(answerText));
    case 'submit':
    case 'allow':
      return filledIn(interaction, t)
        .map(({ text }) => oneLine(text))
        .join(' · ');
    case 'dismiss':
    case undefined:
      return '';
  }
}

/** Of several questions each answer stands behind what it answers. */
const answersInShort = (questions: readonly Question[], answers: readonly string[]): string =>
  answers
    .map((answer, at) => {
      const { header, question = '' } = questions[at] ?? {};
      return oneLine(questions.length > 1 ? `${header ?? question}: ${answer}` : answer);
    })
    .join(' · ');

/** Whether what was decided says what was asked as well. */
export const saysWhatWasAsked = ({ decision, questions = [] }: Interaction): boolean =>
  decision?.type === 'answer' && questions.length > 1;

function answerText(answer: { selected: readonly string[]; other?: string | undefined } | undefined): string {
  const words = [...(answer?.selected ?? []), ...(answer?.other === undefined ? [] : [answer.other])];
  return plainText(words.join(', '));
}
