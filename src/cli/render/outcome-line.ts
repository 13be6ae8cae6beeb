import { completedSummary, valuesIn } from '../../model/completed-view.ts';
import { whoOf } from '../../model/who.ts';
import type { Actor, Ask, Decision, Outcome } from '../../protocol/interaction.ts';
import { valueWords } from './field-words.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './safe-text.ts';

/** How an interaction ended, in words: silence is never shown as a decision. */
export function outcomeLine(
  {
    outcome,
    by,
    reason,
    decided = 'decided',
  }: {
    outcome: Outcome;
    by: Actor;
    reason?: string | undefined;
    /** What was decided, where that is not the outcome. */
    decided?: string | undefined;
  },
  isOurs: boolean,
  paint: Paint,
): string {
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  const who = isOurs ? '' : ` ${whoText(by)}`;
  switch (outcome) {
    case 'allowed':
      return paint('green', `✓ allowed${who}${why}`);
    case 'denied':
      return paint('red', `✗ denied${who}${why}`);
    case 'answered':
      return paint('green', `✓ answered${who}${why}`);
    case 'submitted':
      return paint('green', `✓ submitted${who}${why}`);
    case 'dismissed':
      return paint('dim', `– dismissed${who}${why}`);
    case 'withdrawn':
      return paint('dim', `– withdrawn by the agent${why}`);
    case 'interrupted':
      return paint('dim', `– ended by an interrupt${why}`);
    case 'expired':
      return paint('yellow', `– expired without an answer${why}`);
    case 'lost':
      return paint('red', `✗ lost: the process that asked is gone${why}`);
    case 'unknown':
      return paint('yellow', `? ${decided}${who}; may have reached the agent${why}`);
  }
}

/** What the asker wants shown when somebody has decided: a sentence of its own, and what was filled in. */
export function completedLines(ask: Pick<Ask, 'kind' | 'form'>, decision: Decision, paint: Paint): string[] {
  const summary = completedSummary(ask, decision, { action: (action) => actions[action], value: valueWords });
  const values = ask.form?.completedView?.showInputs === true ? (valuesIn(decision) ?? {}) : {};
  const filledIn = (ask.form?.fields ?? []).filter(({ id }) => Object.hasOwn(values, id));
  return [
    ...(summary === undefined ? [] : [summary]),
    ...filledIn.map((field) => `${field.label}: ${valueWords(field, values[field.id])}`),
  ].map((line) => paint('dim', `  ${oneLine(line)}`));
}

const actions = { approve: 'approved', deny: 'denied', submit: 'submitted', cancel: 'cancelled' } as const;

/** Who decided, to follow what was decided. Whoever has the token need not be a person. */
export function whoText(by: Actor): string {
  const who = whoOf(by);
  switch (who.is) {
    case 'device':
      return `by ${oneLine(who.name)}`;
    case 'terminal':
      return `in the terminal ${oneLine(who.name)}`;
    case 'token':
      return who.client === undefined ? 'with the token' : `with the token (${oneLine(who.client)})`;
    case 'library':
      return 'through the library';
    case 'somebody':
      return 'somewhere else';
    case 'grant':
      return 'by a standing approval';
    case 'trust':
      return 'in a time of trust';
    case 'rule':
      return 'by a rule';
    case 'timer':
      return 'by the time limit';
    case 'agent':
      return 'by the agent';
    case 'server':
      return 'by the server';
  }
}
