import type { Ask, Decision, FormField } from '../protocol/interaction.ts';
import { showValue } from './suspicious-text.ts';

/** What a person did, as a tool hears it: an approval is approved or denied, a form submitted or cancelled. */
export type Action = 'approve' | 'deny' | 'submit' | 'cancel';

export function actionOf(kind: Ask['kind'], decision: Decision): Action {
  switch (decision.type) {
    case 'allow':
      return 'approve';
    case 'deny':
      return kind === 'approval' ? 'deny' : 'cancel';
    case 'submit':
    case 'answer':
      return 'submit';
    case 'dismiss':
      return 'cancel';
  }
}

/** What was filled in: all of a form, or what stood beside an approval. */
export const valuesIn = (decision: Decision | undefined): Readonly<Record<string, unknown>> | undefined =>
  decision?.type === 'submit' || decision?.type === 'allow' ? decision.values : undefined;

/** How a place says what a person did, and what a field holds. */
export interface CompletedWords {
  action(action: Action): string;
  value(field: FormField, value: unknown): string;
}

/**
 * The asker's own sentence on how it ended; undefined where it has none. Each value is put in once and as text: braces in it are no
 * places to put in more, and what could be taken for something else is shown by its code point.
 */
export function completedSummary(
  { kind, form }: Pick<Ask, 'kind' | 'form'>,
  decision: Decision,
  words: CompletedWords,
): string | undefined {
  const { summaryTemplate, summary } = form?.completedView ?? {};
  const values = valuesIn(decision);
  const fieldOf = (id: string) => form?.fields.find((field) => field.id === id);
  const said = (id: string): string => {
    const field = fieldOf(id);
    const value = values !== undefined && Object.hasOwn(values, id) ? values[id] : undefined;
    return field === undefined || value === undefined ? '' : showValue(words.value(field, value));
  };
  if (summaryTemplate !== undefined && summaryTemplate.trim() !== '') {
    return summaryTemplate.replace(/\{\{\s*([^{}]{1,200}?)\s*\}\}/g, (_, name: string) =>
      name === 'action' ? words.action(actionOf(kind, decision)) : said(name),
    );
  }
  // The older spelling speaks of values alone, and leaves other braces as they are.
  if (summary === undefined || summary.trim() === '' || values === undefined) return undefined;
  return summary.replace(/\{([^{}]{1,200})\}/g, (braces, id: string) =>
    fieldOf(id) === undefined ? braces : said(id),
  );
}
