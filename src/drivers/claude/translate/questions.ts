import type { Question } from '../../../protocol/interaction.ts';
import { type JsonObject, listAt, textAt } from '../../fields.ts';

/** Undefined when the input is not what the tool's own description says: then it is asked as any other call. */
export function questionsOf(input: JsonObject): Question[] | undefined {
  const questions = listAt(input, 'questions').map(toQuestion);
  const whole = questions.filter((question) => question !== undefined);
  return whole.length > 0 && whole.length === questions.length ? whole : undefined;
}

function toQuestion(given: JsonObject): Question | undefined {
  const question = textAt(given, 'question');
  if (question === undefined) return undefined;
  const header = textAt(given, 'header');
  return {
    question,
    ...(header !== undefined && { header }),
    options: listAt(given, 'options').flatMap(toOption),
    multiSelect: given.multiSelect === true,
  };
}

function toOption(given: JsonObject): Question['options'] {
  const label = textAt(given, 'label');
  const description = textAt(given, 'description');
  return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
}
