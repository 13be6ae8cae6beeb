import type { Answer, Ask, Decision, Question } from '../../../protocol/interaction.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../fields.ts';
import { type FormAnswer, formAnswer, formFields } from '../../form-fields.ts';
import { askTitle } from '../../tool-calls.ts';
import { toolNameOf } from './describe-call.ts';
import type { Memory } from './memory.ts';

/** A form that the agent wants filled in, questions it asks, or an address it wants visited. */
export function elicitationAsk(memory: Memory, agentRequestId: string, request: JsonObject): Ask {
  const message = textAt(request, 'message') ?? '';
  const url = textAt(request, 'url');
  const toolCallId = textAt(request, 'toolCallId');
  const call = toolCallId === undefined ? undefined : memory.calls.get(toolCallId);
  const toolName = call ? toolNameOf(call.fields) : 'Form';
  const common = {
    agentRequestId,
    toolName,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(call?.parentToolCallId !== undefined && { parentToolCallId: call.parentToolCallId }),
    input: { ...request },
    requiresPerson: true,
  };
  const questions = questionsIn(request);
  if (questions.length > 0) {
    const title = questions.map(({ question }) => question.question).join(' · ');
    return {
      ...common,
      kind: 'question',
      title: askTitle(title),
      questions: questions.map(({ question }) => question),
    };
  }
  const fields = formFields(objectAt(request, 'requestedSchema') ?? {});
  return {
    ...common,
    kind: 'form',
    title: askTitle(message || toolName),
    form: { message, fields, presentation: 'questionnaire', ...(url !== undefined && { url }) },
  };
}

export const elicitationReply = (ask: Ask, decision: Decision): FormAnswer =>
  decision.type === 'answer'
    ? { action: 'accept', content: contentOf(questionsIn(ask.input), decision.answers) }
    : formAnswer(decision);

interface AskedField {
  readonly field: string;
  readonly other: string;
  readonly question: Question;
}

/**
 * A form of nothing but choices, each with a field for words of one's own beside it, is a list of questions: so does
 * Claude's adapter put those of its model. They are shown and answered as questions are.
 */
function questionsIn(request: JsonObject): readonly AskedField[] {
  const properties = Object.entries(objectAt(objectAt(request, 'requestedSchema') ?? {}, 'properties') ?? {});
  const names = new Set(properties.map(([name]) => name));
  const asked = properties.flatMap(([field, schema]): AskedField[] => {
    const other = `${field}_custom`;
    const options = isObject(schema) ? choicesIn(schema) : [];
    if (!isObject(schema) || options.length === 0 || !names.has(other)) return [];
    const header = textAt(schema, 'title');
    const question = textAt(schema, 'description') ?? textAt(request, 'message') ?? field;
    const multiSelect = schema.type === 'array';
    return [
      { field, other, question: { question, ...(header !== undefined && { header }), options, multiSelect } },
    ];
  });
  return asked.length * 2 === properties.length ? asked : [];
}

function choicesIn(schema: JsonObject): Question['options'] {
  const holder = objectAt(schema, 'items') ?? schema;
  return [...listAt(holder, 'oneOf'), ...listAt(holder, 'anyOf')].flatMap((choice) => {
    const label = textAt(choice, 'const');
    const description = textAt(choice, 'description');
    return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
  });
}

function contentOf(asked: readonly AskedField[], answers: readonly Answer[]): JsonObject {
  const entries = asked.flatMap(({ field, other, question }, index): [string, unknown][] => {
    const { selected = [], other: words } = answers[index] ?? {};
    const value = question.multiSelect ? selected : selected[0];
    return [
      ...(selected.length > 0 ? [[field, value] satisfies [string, unknown]] : []),
      ...(words ? [[other, words] satisfies [string, unknown]] : []),
    ];
  });
  return Object.fromEntries(entries);
}
