import type { Answer, Ask, Decision } from '../../protocol/interaction.ts';
import type { JsonObject } from '../fields.ts';
import { formAnswer } from '../form-fields.ts';

/** The reply to an agent's request: built from the ask as it was stored, and from nothing a client claims. */
export function answerTo(ask: Ask, decision: Decision): JsonObject {
  return ask.kind === 'form' ? { ...formAnswer(decision) } : permissionAnswer(ask, decision);
}

function permissionAnswer(ask: Ask, decision: Decision): JsonObject {
  switch (decision.type) {
    case 'allow':
      return allow(decision.updatedInput ?? ask.input, decision.mode);
    case 'answer':
      return allow({ ...ask.input, answers: answersByQuestion(ask, decision.answers) });
    case 'deny':
      return deny(decision.message, decision.interrupt);
    case 'dismiss':
      return deny(decision.message, false);
    case 'submit':
      throw new TypeError(`A ${ask.kind} cannot be settled by submitted values`);
  }
}

/** Older versions fail the call when the input is left out, so it is always sent. */
function allow(updatedInput: JsonObject, mode?: string): JsonObject {
  const change = { type: 'setMode', mode, destination: 'session' };
  return { behavior: 'allow', updatedInput, ...(mode !== undefined && { updatedPermissions: [change] }) };
}

/** A denial without words is refused by the program. */
function deny(message: string, interrupt: boolean): JsonObject {
  return { behavior: 'deny', message: message.trim() || 'Denied.', ...(interrupt && { interrupt }) };
}

/** Keys that are not a question's exact text are lost without a word. */
function answersByQuestion(ask: Ask, answers: readonly Answer[]): JsonObject {
  const entries = (ask.questions ?? []).map(({ question }, index) => [question, inWords(answers[index])]);
  return Object.fromEntries(entries);
}

function inWords(answer: Answer | undefined): string {
  return [...(answer?.selected ?? []), ...(answer?.other ? [answer.other] : [])].join(', ');
}
