import type { Answer, Form, FormField, Interaction, Question } from '../../protocol/interaction.ts';

/** What is open beside the plain actions of an approval. */
export type Panel = 'deny' | 'edit' | 'always';

export type GrantScope = 'session' | 'always';
export const grantEnds = ['never', 'hour', 'day', 'week'] as const;
export type GrantEnd = (typeof grantEnds)[number];

export interface AnswerDraft {
  readonly selected: readonly string[];
  readonly isOther: boolean;
  readonly other: string;
}

/** A text as it was typed, a tick, or the choices ticked. */
export type FieldDraft = string | boolean | readonly string[];

/** What a person has typed or chosen and not sent yet. */
export interface CardDraft {
  readonly panel: Panel | null;
  readonly reason: string;
  /** The editable part of the input; null as long as it was not touched. */
  readonly edited: string | null;
  /** The pattern to be allowed; null as long as it was not touched. */
  readonly pattern: string | null;
  readonly grantScope: GrantScope;
  readonly grantEnd: GrantEnd;
  /** The mode to go on in after a plan; null as long as none was chosen. */
  readonly mode: string | null;
  readonly answers: readonly AnswerDraft[];
  readonly values: Readonly<Record<string, FieldDraft>>;
}

export const emptyDraft: CardDraft = {
  panel: null,
  reason: '',
  edited: null,
  pattern: null,
  grantScope: 'always',
  grantEnd: 'never',
  mode: null,
  answers: [],
  values: {},
};

const unanswered: AnswerDraft = { selected: [], isOther: false, other: '' };

export const answerDraft = ({ answers }: CardDraft, at: number): AnswerDraft => answers[at] ?? unanswered;

/** The answers with one option pressed: a choice of one replaces what was chosen, a choice of many toggles. */
export function withOption(
  draft: CardDraft,
  questions: readonly Question[],
  at: number,
  label: string,
): Pick<CardDraft, 'answers'> {
  return changed(draft, questions, at, (before, question) => {
    if (!question.multiSelect) return { ...before, selected: [label], isOther: false };
    const selected = before.selected.includes(label)
      ? before.selected.filter((each) => each !== label)
      : [...before.selected, label];
    return { ...before, selected };
  });
}

export function withOther(
  draft: CardDraft,
  questions: readonly Question[],
  at: number,
  { isOther, other }: { readonly isOther: boolean; readonly other?: string },
): Pick<CardDraft, 'answers'> {
  return changed(draft, questions, at, (before, { multiSelect }) => ({
    selected: isOther && !multiSelect ? [] : before.selected,
    isOther,
    other: other ?? before.other,
  }));
}

function changed(
  draft: CardDraft,
  questions: readonly Question[],
  at: number,
  change: (before: AnswerDraft, question: Question) => AnswerDraft,
): Pick<CardDraft, 'answers'> {
  return {
    answers: questions.map((question, index) => {
      const before = answerDraft(draft, index);
      return index === at ? change(before, question) : before;
    }),
  };
}

export const isAnswered = (question: Question, { selected, isOther, other }: AnswerDraft): boolean =>
  question.options.length === 0 || isOther ? other.trim() !== '' : selected.length > 0;

/** What is sent; undefined until every question is answered. */
export function answersOf(questions: readonly Question[], draft: CardDraft): Answer[] | undefined {
  const answers = questions.map((question, at) => ({ question, answer: answerDraft(draft, at) }));
  if (!answers.every(({ question, answer }) => isAnswered(question, answer))) return undefined;
  return answers.map(({ question, answer: { selected, isOther, other } }) => ({
    selected: question.options.map(({ label }) => label).filter((label) => selected.includes(label)),
    ...(isOther || question.options.length === 0 ? { other: other.trim() } : {}),
  }));
}

/** What a field shows before it was touched: what the asker put there. */
export function fieldDraft(field: FormField, { values }: CardDraft): FieldDraft {
  const typed = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
  return typed ?? initialOf(field);
}

function initialOf({ type, defaultValue, options = [], required }: FormField): FieldDraft {
  switch (type) {
    case 'checkbox':
      return defaultValue === true;
    case 'multiselect':
      return Array.isArray(defaultValue) ? defaultValue.filter((each) => typeof each === 'string') : [];
    case 'select':
      // A select that must have a value and has only one is that one.
      return textOf(defaultValue) || (required && options.length === 1 ? (options[0]?.value ?? '') : '');
    case 'text':
    case 'textarea':
    case 'radio':
    case 'number':
    case 'date':
      return textOf(defaultValue);
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A field's value as it is sent; undefined when nothing was filled in. */
export function sentValue(field: FormField, draft: FieldDraft): unknown {
  if (typeof draft !== 'string') return draft;
  if (draft === '' || (field.type !== 'textarea' && draft.trim() === '')) return undefined;
  return field.type === 'number' ? Number(draft.trim().replace(',', '.')) : draft;
}

export function valuesOf(form: Form, draft: CardDraft): Record<string, unknown> {
  const values = form.fields.map((field) => [field.id, sentValue(field, fieldDraft(field, draft))] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export const questionsOf = ({ questions }: Interaction): readonly Question[] => questions ?? none;
const none: readonly Question[] = [];
