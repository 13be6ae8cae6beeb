import { isObject, type JsonObject, objectsAt, stringAt } from '../json.ts';
import { changeMode } from '../session.ts';
import { refusedInput, type Tool } from './tool.ts';

/** Its answers come in with the allow, keyed by the exact text of each question; other keys are lost. */
export const askUserQuestion: Tool = {
  name: 'AskUserQuestion',
  kind: 'person',
  concurrent: false,
  subject: () => '',
  run: (input) => {
    const questions = objectsAt(input, 'questions');
    if (questions.length === 0) return refusedInput('AskUserQuestion', 'questions');
    const answers = isObject(input.answers) ? input.answers : {};
    const answered = answersTo(input, answers).map(({ question, answer }) => `"${question}"="${answer}"`);
    return {
      content:
        answered.length === 0
          ? 'The user did not answer the questions.'
          : `Your questions have been answered: ${answered.join(', ')}. You can now continue with these answers in mind.`,
      structured: { questions, answers },
    };
  },
};

export const exitPlanMode: Tool = {
  name: 'ExitPlanMode',
  kind: 'person',
  concurrent: false,
  subject: () => '',
  run: async (input, { session }) => {
    if (session.permission.mode === 'plan') await changeMode(session, session.permission.beforePlan);
    return {
      content: 'User has approved your plan. You can now start coding.',
      structured: { plan: stringAt(input, 'plan') ?? null, isAgent: false },
    };
  },
};

export interface Answered {
  readonly question: string;
  readonly answer: string;
}

export function answersTo(input: JsonObject, answers: JsonObject): readonly Answered[] {
  return objectsAt(input, 'questions').flatMap((entry) => {
    const question = stringAt(entry, 'question') ?? '';
    const answer = stringAt(answers, question);
    return answer === undefined ? [] : [{ question, answer }];
  });
}
