import { describe, expect, it } from 'vitest';
import { checkForm } from '../../src/model/form.ts';
import type { Form, FormField } from '../../src/protocol/interaction.ts';

const field = (type: FormField['type'], more: Partial<FormField> = {}): FormField => ({
  id: 'it',
  type,
  label: 'It',
  required: false,
  ...more,
});
const form = (...fields: readonly FormField[]): Form => ({
  message: 'Fill this in',
  fields: [...fields],
  presentation: 'tool',
});
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

describe('[ASK3] a form takes what fits each field', () => {
  it.each<[FormField, unknown]>([
    [field('text'), 'words'],
    [field('text', { minLength: 2, maxLength: 3 }), 'abc'],
    [field('textarea'), 'two\nlines'],
    [field('text', { format: 'email' }), 'ada@example.org'],
    [field('text', { format: 'uri' }), 'https://example.org/a?b'],
    [field('number'), 0],
    [field('number', { minimum: 1, maximum: 2 }), 2],
    [field('number', { integer: true }), 3],
    [field('checkbox', { required: true }), false],
    [field('select', { options }), 'a'],
    [field('radio', { options }), 'b'],
    [field('multiselect', { options }), ['a', 'b']],
    [field('multiselect', { options }), []],
    [field('multiselect'), ['anything', 'at all']],
    [field('multiselect', { options: [] }), ['anything']],
    [field('select'), 'anything'],
    [field('date'), '2026-02-28'],
    [field('date'), '2024-02-29'],
    [field('date'), '2026-02-28T10:00:00Z'],
  ])('%j takes %j', (one, value) => {
    expect(checkForm(form(one), { it: value })).toEqual({ ok: true, value: { it: value } });
  });

  it('fields that may be left out are left out', () => {
    expect(checkForm(form(field('text'), field('number', { id: 'n' })), { it: '', n: null })).toEqual({
      ok: true,
      value: {},
    });
  });
});

describe('[ASK3] a form refuses what does not fit, and names the field', () => {
  it.each<[FormField, unknown]>([
    [field('text'), 5],
    [field('text', { minLength: 2 }), 'a'],
    [field('text', { maxLength: 2 }), 'abc'],
    [field('text', { format: 'email' }), 'ada at example'],
    [field('text', { format: 'uri' }), 'example'],
    [field('number'), '5'],
    [field('number'), Number.NaN],
    [field('number', { minimum: 1 }), 0],
    [field('number', { maximum: 1 }), 2],
    [field('number', { integer: true }), 1.5],
    [field('checkbox'), 'true'],
    [field('select', { options }), 'c'],
    [field('select', { options }), ['a']],
    [field('radio', { options }), 'A'],
    [field('multiselect', { options }), 'a'],
    [field('multiselect', { options }), ['a', 'c']],
    [field('date'), '28.02.2026'],
    [field('date'), '2026-02-31'],
    [field('date'), '2026-13-01'],
    [field('date'), '2026-02-28 (or so)'],
    [field('text', { required: true }), ''],
    [field('text', { required: true }), undefined],
    [field('number', { required: true }), null],
    [field('multiselect', { required: true, options }), []],
    [field('multiselect', { required: true }), []],
    [field('multiselect'), 'a'],
    [field('multiselect'), ['a', 1]],
    [field('multiselect', { options: [] }), ['a', '']],
    [field('select'), 1],
    [field('radio', { options: [] }), ['a']],
  ])('%j does not take %j', (one, value) => {
    const result = checkForm(form(one), { it: value });
    expect(result).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_answer', details: { field: 'input.it' } },
    });
  });

  it('a field the form does not have', () => {
    expect(checkForm(form(field('text')), { it: 'x', other: 1 })).toMatchObject({
      ok: false,
      refusal: { details: { field: 'input.other' } },
    });
  });
});

describe('fields with the names of built-in properties', () => {
  it.each(['constructor', 'toString', '__proto__'])('"%s" may be left empty', (id) => {
    expect(checkForm(form(field('text', { id })), {})).toEqual({ ok: true, value: {} });
  });

  it.each(['constructor', 'toString', '__proto__'])('"%s" keeps what was typed', (id) => {
    const result = checkForm(form(field('text', { id })), JSON.parse(`{${JSON.stringify(id)}:"typed"}`));
    expect(JSON.stringify(result)).toBe(`{"ok":true,"value":{${JSON.stringify(id)}:"typed"}}`);
  });

  it.each(['constructor', '__proto__'])('"%s" can be required', (id) => {
    expect(checkForm(form(field('text', { id, required: true })), {}).ok).toBe(false);
  });
});
