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
  /** What is chosen where the answer is in words of one's own, if something must be. */
  readonly none?: string;
  readonly question: Question;
}

/**
 * A form of nothing but choices, each with a field for words of one's own beside it, is a list of questions: so does
 * Claude's adapter put those of its model, and Codex's with title and description the other way round. They are shown and
 * answered as questions are.
 */
function questionsIn(request: JsonObject): readonly AskedField[] {
  const properties = Object.entries(objectAt(objectAt(request, 'requestedSchema') ?? {}, 'properties') ?? {});
  const names = new Set(properties.map(([name]) => name));
  const asked = properties.flatMap(([field, schema]): AskedField[] => {
    if (!isObject(schema)) return [];
    const isOfCodex = objectAt(objectAt(schema, '_meta') ?? {}, 'codex') !== undefined;
    const other = isOfCodex ? `${field}_note` : `${field}_custom`;
    const none = isOfCodex ? noneOfThem : undefined;
    const options = choicesIn(schema).filter(({ label }) => label !== none);
    if (options.length === 0 || !names.has(other)) return [];
    const [title, description] = [textAt(schema, 'title'), textAt(schema, 'description')];
    const [header, asked] = isOfCodex ? [description, title] : [title, description];
    const question = asked ?? textAt(request, 'message') ?? field;
    const multiSelect = schema.type === 'array';
    return [
      {
        field,
        other,
        ...(none !== undefined && { none }),
        question: { question, ...(header !== undefined && { header }), options, multiSelect },
      },
    ];
  });
  return asked.length * 2 === properties.length ? asked : [];
}

/** What Codex offers beside the answers, for those who write one. */
const noneOfThem = 'None of the above';

function choicesIn(schema: JsonObject): Question['options'] {
  const holder = objectAt(schema, 'items') ?? schema;
  return [...listAt(holder, 'oneOf'), ...listAt(holder, 'anyOf')].flatMap((choice) => {
    const label = textAt(choice, 'const');
    const description = textAt(choice, 'description');
    return label === undefined ? [] : [{ label, ...(description !== undefined && { description }) }];
  });
}

function contentOf(asked: readonly AskedField[], answers: readonly Answer[]): JsonObject {
  const entries = asked.flatMap(({ field, other, none, question }, index): [string, unknown][] => {
    const { selected = [], other: words } = answers[index] ?? {};
    const value = question.multiSelect ? selected : (selected[0] ?? none);
    return [
      ...(selected.length > 0 || none !== undefined ? [[field, value] satisfies [string, unknown]] : []),
      ...(words ? [[other, words] satisfies [string, unknown]] : []),
    ];
  });
  return Object.fromEntries(entries);
}
