import { describe, expect, it } from 'vitest';
import { type CompletedWords, completedSummary } from '../../src/model/completed-view.ts';
import type { CompletedView, Decision, FormField } from '../../src/protocol/interaction.ts';

const words: CompletedWords = {
  action: (action) => `<${action}>`,
  value: ({ options }, value) => options?.find((option) => option.value === value)?.label ?? String(value),
};
const fields: FormField[] = [
  { id: 'size', type: 'select', label: 'Size', required: false, options: [{ value: 'l', label: 'Large' }] },
  { id: 'to', type: 'text', label: 'To', required: false },
];
const submit = (values: Record<string, unknown>): Decision => ({ type: 'submit', values });

const said = (completedView: CompletedView, decision: Decision, kind: 'approval' | 'form' = 'form') =>
  completedSummary(
    { kind, form: { message: '', presentation: 'tool', fields, completedView } },
    decision,
    words,
  );

describe('[TOOL2] the asker’s own sentence', () => {
  it('has what was done and the values put in, and nothing for what is missing', () => {
    const summaryTemplate = '{{action}}: {{size}} for {{ to }}, {{nobody}}{size}';
    expect(said({ summaryTemplate }, submit({ size: 'l', to: 'Ada' }))).toBe(
      '<submit>: Large for Ada, {size}',
    );
    expect(said({ summaryTemplate }, submit({}))).toBe('<submit>:  for , {size}');
  });

  it.each([
    ['approval', { type: 'allow', scope: 'once' }, '<approve>'],
    ['approval', { type: 'deny', message: 'No.', interrupt: false }, '<deny>'],
    ['form', { type: 'deny', message: 'No.', interrupt: false }, '<cancel>'],
    ['form', { type: 'dismiss', message: 'No.' }, '<cancel>'],
  ] as const)('on an %s knows of %o', (kind, decision, action) => {
    expect(said({ summaryTemplate: '{{action}}{{size}}' }, decision, kind)).toBe(action);
    expect(said({ summary: 'Size: {size}' }, decision, kind)).toBeUndefined();
  });

  it('[UI12] puts nothing into what was put in, and shows what could be taken for something else', () => {
    const summaryTemplate = '{{to}}';
    expect(said({ summaryTemplate }, submit({ to: '{{size}} <b>$& $1' }))).toBe('{{size}} <b>$& $1');
    expect(said({ summaryTemplate }, submit({ to: 'ev\u202eil' }))).toBe('ev\\u{202e}il');
    expect(said({ summaryTemplate }, submit({ to: 'pаypal' }))).toBe('p\\u{430}ypal');
    expect(said({ summaryTemplate: '{{constructor}}{{__proto__}}' }, submit({}))).toBe('');
  });

  it('is understood in its older spelling, for values alone', () => {
    const view = { summary: '{size} for {to}, {other}' };
    expect(said(view, submit({ size: 'l', to: '{size}' }))).toBe('Large for {size}, {other}');
    expect(said({ ...view, summaryTemplate: 'new' }, submit({}))).toBe('new');
  });

  it('is none without a word', () => {
    expect(said({ summaryTemplate: ' ', summary: '' }, submit({}))).toBeUndefined();
    expect(said({ showInputs: true }, submit({}))).toBeUndefined();
  });
});
