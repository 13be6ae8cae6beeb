import type { Answer, Form, FormField, Interaction, Question } from '../../protocol/interaction.ts';

/** What is open beside the plain actions of an approval. */
export type Panel = 'deny' | 'edit' | 'always' | 'suggestion';

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
  /** The way to allow it, of those the agent offers; null as long as none was chosen. */
  readonly way: string | null;
  readonly answers: readonly AnswerDraft[];
  readonly values: Readonly<Record<string, FieldDraft>>;
  /** It was tried to send it: from then on every field says what is wrong with it. */
  readonly wasTried: boolean;
}

export const emptyDraft: CardDraft = {
  panel: null,
  reason: '',
  edited: null,
  pattern: null,
  grantScope: 'always',
  grantEnd: 'never',
  mode: null,
  way: null,
  answers: [],
  values: {},
  wasTried: false,
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

/** The answers with one of them as given. */
export const withAnswer = (
  draft: CardDraft,
  questions: readonly Question[],
  at: number,
  answer: AnswerDraft,
): Pick<CardDraft, 'answers'> => changed(draft, questions, at, () => answer);

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

/** What a field shows before it was touched: what was put there for this ask, else the field's own default. */
export function fieldDraft(form: Form, field: FormField, { values }: CardDraft): FieldDraft {
  const typed = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
  return typed !== undefined && fits(field, typed) ? typed : initialOf(field, initialValue(form, field));
}

/** Without anything to choose from, any text will do. */
export const isFree = ({ options = [] }: FormField): boolean => options.length === 0;

/** A list of free texts. */
const isFreeList = (field: FormField): boolean => field.type === 'multiselect' && isFree(field);

/** What was typed for an earlier attempt may be for a field of another type. */
function fits({ type }: FormField, typed: FieldDraft): boolean {
  switch (type) {
    case 'checkbox':
      return typeof typed === 'boolean';
    case 'multiselect':
      return Array.isArray(typed);
    case 'select':
    case 'text':
    case 'textarea':
    case 'radio':
    case 'number':
    case 'date':
      return typeof typed === 'string';
  }
}

const initialValue = ({ initialValues = {} }: Form, { id, defaultValue }: FormField): unknown =>
  Object.hasOwn(initialValues, id) ? initialValues[id] : defaultValue;

function initialOf(field: FormField, value: unknown): FieldDraft {
  const { type, options = [], required } = field;
  const isOffered = (one: unknown): one is string => options.some((option) => option.value === one);
  switch (type) {
    case 'checkbox':
      return value === true;
    case 'multiselect': {
      const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
      return isFreeList(field) ? texts : texts.filter(isOffered);
    }
    case 'select':
      // A select that must have a value and has only one is that one.
      if (isOffered(value) || options.length === 0) return textOf(value);
      return required && options.length === 1 ? (options[0]?.value ?? '') : '';
    case 'radio':
      return isOffered(value) || options.length === 0 ? textOf(value) : '';
    case 'text':
    case 'textarea':
    case 'number':
    case 'date':
      return textOf(value);
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A field's value as it is sent; undefined when nothing was filled in. */
export function sentValue(field: FormField, draft: FieldDraft): unknown {
  if (typeof draft === 'boolean') return draft;
  if (typeof draft !== 'string')
    return isFreeList(field) ? draft.map((each) => each.trim()).filter((each) => each !== '') : draft;
  if (draft === '' || (field.type !== 'textarea' && draft.trim() === '')) return undefined;
  return field.type === 'number' ? Number(draft.trim().replace(',', '.')) : draft;
}

export function valuesOf(form: Form, draft: CardDraft): Record<string, unknown> {
  const values = form.fields.map(
    (field) => [field.id, sentValue(field, fieldDraft(form, field, draft))] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

export const questionsOf = ({ questions }: Interaction): readonly Question[] => questions ?? none;
const none: readonly Question[] = [];
