import { describe, expect, it } from 'vitest';
import type { Form, FormField, Question } from '../../src/protocol/interaction.ts';
import {
  answersOf,
  type CardDraft,
  emptyDraft,
  fieldDraft,
  valuesOf,
  withOption,
  withOther,
} from '../../src/web/interaction/draft.logic.ts';
import { faultIn, faultsIn } from '../../src/web/interaction/form.logic.ts';

const one: Question = { question: 'One?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false };
const many: Question = { question: 'Many?', options: [{ label: 'X' }, { label: 'Y' }], multiSelect: true };
const text: Question = { question: 'Say?', options: [], multiSelect: false };

/** What is in the card after these presses. */
function draftAfter(...steps: readonly ((draft: CardDraft) => Partial<CardDraft>)[]): CardDraft {
  let draft = emptyDraft;
  for (const step of steps) draft = { ...draft, ...step(draft) };
  return draft;
}

describe('answers that are being chosen', () => {
  it('[UI6] are sent only when every question is answered', () => {
    const questions = [one, many];
    const half = draftAfter((draft) => withOption(draft, questions, 0, 'A'));
    expect(answersOf(questions, half)).toBeUndefined();
    const whole = { ...half, ...withOption(half, questions, 1, 'Y') };
    expect(answersOf(questions, whole)).toEqual([{ selected: ['A'] }, { selected: ['Y'] }]);
  });

  it('[UI6] of one replace each other, of many toggle and keep the order that was offered', () => {
    const single = draftAfter(
      (draft) => withOption(draft, [one], 0, 'A'),
      (draft) => withOption(draft, [one], 0, 'B'),
    );
    expect(answersOf([one], single)).toEqual([{ selected: ['B'] }]);
    const press = (label: string) => (draft: CardDraft) => withOption(draft, [many], 0, label);
    expect(answersOf([many], draftAfter(press('Y'), press('X')))).toEqual([{ selected: ['X', 'Y'] }]);
    expect(answersOf([many], draftAfter(press('Y'), press('Y')))).toBeUndefined();
  });

  it('[UI6] [ASK9] can be another: in place of one, beside many, and never blank', () => {
    const other = (question: Question, words: string) => (draft: CardDraft) =>
      withOther(draft, [question], 0, { isOther: true, other: words });
    const pick = (question: Question, label: string) => (draft: CardDraft) =>
      withOption(draft, [question], 0, label);
    expect(answersOf([one], draftAfter(pick(one, 'A'), other(one, ' mine ')))).toEqual([
      { selected: [], other: 'mine' },
    ]);
    expect(answersOf([one], draftAfter(other(one, 'mine'), pick(one, 'A')))).toEqual([{ selected: ['A'] }]);
    expect(answersOf([many], draftAfter(pick(many, 'X'), other(many, 'mine')))).toEqual([
      { selected: ['X'], other: 'mine' },
    ]);
    expect(answersOf([one], draftAfter(other(one, '  ')))).toBeUndefined();
    expect(answersOf([text], draftAfter(other(text, 'words')))).toEqual([{ selected: [], other: 'words' }]);
  });
});

const field = (changes: Partial<FormField>): FormField => ({
  id: 'f',
  type: 'text',
  label: 'F',
  required: false,
  ...changes,
});
const typed = (value: string | boolean | readonly string[]): CardDraft => ({
  ...emptyDraft,
  values: { f: value },
});
const formOf = (...fields: readonly FormField[]): Form => ({
  message: '',
  presentation: 'tool',
  fields: [...fields],
});

describe('a form that is being filled in', () => {
  it('begins with what the asker put there, by type', () => {
    const initial = (changes: Partial<FormField>) => fieldDraft(formOf(), field(changes), emptyDraft);
    expect(initial({ defaultValue: 'a' })).toBe('a');
    expect(initial({ type: 'number', defaultValue: 4590 })).toBe('4590');
    expect(initial({ type: 'checkbox', defaultValue: true })).toBe(true);
    expect(initial({ type: 'multiselect', defaultValue: ['x', 1] })).toEqual(['x']);
    expect(initial({ type: 'select', required: true, options: [{ value: 'a', label: 'A' }] })).toBe('a');
    expect(initial({ type: 'date' })).toBe('');
  });

  it('[TOOL5] begins with what was typed before where it is asked again, and never with what is not offered', () => {
    const options = [{ value: 'a', label: 'A' }];
    const form = (value: unknown): Form => ({ ...formOf(), initialValues: { f: value } });
    const initial = (changes: Partial<FormField>, value: unknown) =>
      fieldDraft(form(value), field(changes), emptyDraft);
    expect(initial({ defaultValue: 'default' }, 'typed')).toBe('typed');
    expect(initial({ type: 'checkbox', defaultValue: true }, false)).toBe(false);
    expect(initial({ type: 'radio', options }, 'gone')).toBe('');
    expect(initial({ type: 'multiselect', options }, ['a', 'gone'])).toEqual(['a']);
    expect(fieldDraft(form('typed'), field({}), typed('more'))).toBe('more');
  });

  it('[TOOL5] does not take over what was typed for a field of another type', () => {
    expect(fieldDraft(formOf(), field({ type: 'checkbox' }), typed('text'))).toBe(false);
    expect(fieldDraft(formOf(), field({}), typed(['a']))).toBe('');
  });

  it('[TOOL3] takes any texts, one a line, for a list with nothing to choose from', () => {
    const list = field({ type: 'multiselect', required: true });
    expect(valuesOf(formOf(list), typed(['a ', '', ' b']))).toEqual({ f: ['a', 'b'] });
    expect(faultIn(formOf(), list, typed(['a', '']))).toBeUndefined();
    expect(faultIn(formOf(), list, typed(['', ' ']))?.key).toBe('form.required');
  });

  it('sends numbers as numbers, ticks as truth, and leaves out what is empty', () => {
    const form = formOf(
      field({ id: 'port', type: 'number' }),
      field({ id: 'https', type: 'checkbox' }),
      field({ id: 'name' }),
      field({ id: 'tags', type: 'multiselect' }),
    );
    const draft = { ...emptyDraft, values: { port: ' 80 ', name: '  ', tags: ['a'] } };
    expect(valuesOf(form, draft)).toEqual({ port: 80, https: false, tags: ['a'] });
  });

  it('is not fooled by a field with the name of something built in', () => {
    expect(fieldDraft(formOf(), field({ id: 'constructor' }), emptyDraft)).toBe('');
  });

  it('says what is expected where a value does not fit', () => {
    const fault = (changes: Partial<FormField>, value: string) =>
      faultIn(formOf(), field(changes), typed(value));
    expect(fault({ required: true }, '')).toEqual({ key: 'form.required', values: {} });
    expect(fault({ type: 'number', minimum: 1, maximum: 9 }, '12')).toEqual({
      key: 'form.numberAnyBetween',
      values: { minimum: 1, maximum: 9 },
    });
    expect(fault({ type: 'number', integer: true }, '1.5')?.key).toBe('form.numberWhole');
    expect(fault({ type: 'number' }, 'abc')?.key).toBe('form.numberAny');
    expect(fault({ format: 'email' }, 'nobody')?.key).toBe('form.email');
    expect(fault({ minLength: 3 }, 'ab')?.key).toBe('form.lengthFrom');
    expect(fault({ type: 'date' }, '2026-02-30')?.key).toBe('form.date');
    expect(fault({ type: 'number', maximum: 9 }, '9')).toBeUndefined();
    expect(fault({}, '')).toBeUndefined();
  });

  it('names every field that needs a look', () => {
    const form = formOf(field({ id: 'a', required: true }), field({ id: 'b', required: true }), field({}));
    expect([...faultsIn(form, emptyDraft).keys()]).toEqual(['a', 'b']);
  });
});
