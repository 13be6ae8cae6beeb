import type { GivenAnswers } from '../protocol/command.ts';
import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { Answer, Question } from '../protocol/interaction.ts';

/**
 * Brings answers, in whichever accepted encoding, into the stored one: a list with one entry for each question.
 * A list is taken by its word: a label that was not offered is an error. In a map, keyed by question text or by index,
 * a value that is no label is what the person typed under "Other".
 */
export function normaliseAnswers(questions: readonly Question[], given: GivenAnswers): Result<Answer[]> {
  const byQuestion = Array.isArray(given) ? fromList(questions, given) : fromMap(questions, given);
  if (!byQuestion.ok) return byQuestion;
  for (const [index, question] of questions.entries()) {
    const refusal = check(question, index, byQuestion.value[index]);
    if (refusal !== undefined) return refusal;
  }
  return byQuestion;
}

type Loose = { selected?: string[] | undefined; other?: string | undefined };

function fromList(questions: readonly Question[], given: readonly Loose[]): Result<Answer[]> {
  if (given.length > questions.length) {
    return refuse('invalid_answer', `There are ${questions.length} questions and ${given.length} answers.`, {
      field: `answers.${questions.length}`,
    });
  }
  for (const [index, answer] of given.entries()) {
    const offered = labelsOf(questions[index]);
    const stranger = (answer.selected ?? []).find((label) => !offered.includes(label));
    if (stranger !== undefined) {
      return refuse(
        'invalid_answer',
        `"${stranger}" was not offered. Use "other" for an answer of your own.`,
        {
          field: `answers.${index}.selected`,
          offered,
        },
      );
    }
  }
  return accept(questions.map((_, index) => tidy(given[index] ?? {})));
}

function fromMap(questions: readonly Question[], given: Exclude<GivenAnswers, unknown[]>): Result<Answer[]> {
  const answers: Answer[] = questions.map(() => ({ selected: [] }));
  const done = new Set<number>();
  for (const [key, value] of Object.entries(given)) {
    const index = indexOf(questions, key);
    if (index === undefined) {
      return refuse('invalid_answer', `"${key}" is neither the text nor the index of a question.`, {
        field: `answers.${key}`,
        questions: questions.map((question) => question.question),
      });
    }
    if (done.has(index)) {
      return refuse('invalid_answer', `"${key}" answers a question that another key answers, too.`, {
        field: `answers.${key}`,
      });
    }
    done.add(index);
    answers[index] = read(questions[index], value);
  }
  return accept(answers);
}

function indexOf(questions: readonly Question[], key: string): number | undefined {
  const byText = questions.findIndex((question) => question.question === key);
  if (byText >= 0) return byText;
  const number = /^\d{1,3}$/.test(key) ? Number(key) : -1;
  return number >= 0 && number < questions.length ? number : undefined;
}

function read(question: Question | undefined, value: string | string[] | Loose): Answer {
  if (typeof value === 'object' && !Array.isArray(value)) return tidy(value);
  const offered = labelsOf(question);
  const words = Array.isArray(value) ? value : wordsOf(value, offered);
  const selected = words.filter((word) => offered.includes(word));
  const others = words.filter((word) => !offered.includes(word) && word.trim() !== '');
  return tidy({ selected, other: others.length === 0 ? undefined : others.join(', ') });
}

/** A string is one label, several as a JSON array, or the person's own words. */
function wordsOf(value: string, offered: readonly string[]): string[] {
  if (offered.includes(value) || !value.startsWith('[')) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed) && parsed.every((word) => typeof word === 'string')) return parsed;
  } catch {
    // Not JSON after all: words that happen to begin with a bracket.
  }
  return [value];
}

function check(
  question: Question,
  index: number,
  answer: Answer | undefined,
): ReturnType<typeof refuse> | undefined {
  const field = `answers.${index}`;
  const offered = labelsOf(question);
  const stranger = answer?.selected.find((label) => !offered.includes(label));
  if (stranger !== undefined) {
    return refuse('invalid_answer', `"${stranger}" was not offered.`, {
      field: `${field}.selected`,
      offered,
    });
  }
  const given = (answer?.selected.length ?? 0) + (answer?.other === undefined ? 0 : 1);
  if (given === 0) {
    return refuse('invalid_answer', `"${question.question}" is not answered.`, { field });
  }
  if (!question.multiSelect && given > 1) {
    return refuse('invalid_answer', `"${question.question}" takes one answer.`, { field });
  }
  return undefined;
}

const labelsOf = (question: Question | undefined): string[] =>
  question?.options.map((option) => option.label) ?? [];

function tidy(answer: Loose): Answer {
  const selected = [...new Set(answer.selected ?? [])];
  const other = answer.other?.trim();
  return other === undefined || other === '' ? { selected } : { selected, other };
}
