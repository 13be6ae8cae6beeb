import { describe, expect, it } from 'vitest';
import { lateAnswerText } from '../../src/model/late-answer.ts';
import type { Decision, FormField } from '../../src/protocol/interaction.ts';

const field = (id: string, label = id): FormField => ({ id, label, type: 'text', required: false });
const formOf = (...fields: FormField[]) => ({ message: '', fields, presentation: 'tool' as const });

describe('[TOOL6] a late answer in plain words', () => {
  it.each<[string, Decision, string]>([
    ['an approval', { type: 'allow', scope: 'once' }, 'approved.'],
    ['one for the session', { type: 'allow', scope: 'session' }, 'approved, for the rest of this session.'],
    ['one for good', { type: 'allow', scope: 'always' }, 'approved, from now on.'],
    ['a denial', { type: 'deny', message: 'Not on a Friday.', interrupt: false }, 'denied. Not on a Friday.'],
    [
      'a dismissal',
      { type: 'dismiss', message: 'Nobody knows.' },
      'dismissed without an answer. Nobody knows.',
    ],
    [
      'an answer',
      { type: 'answer', answers: [{ selected: ['A', 'B'], other: 'and C' }, { selected: ['D'] }] },
      'A, B, and C; D',
    ],
  ])('%s', (_, decision, words) => {
    expect(lateAnswerText({ title: 'Deploy?' }, decision)).toBe(
      `Answer to your earlier question "Deploy?": ${words}`,
    );
  });

  it('one value stands for itself, several are named by label and id', () => {
    const one = { title: 'Whom?', form: formOf(field('email', 'E-mail')) };
    expect(lateAnswerText(one, { type: 'submit', values: { email: 'jo@example.org' } })).toBe(
      'Answer to your earlier question "Whom?": jo@example.org',
    );
    const several = { title: 'Whom?', form: formOf(field('email', 'E-mail'), field('cc'), field('tags')) };
    expect(
      lateAnswerText(several, {
        type: 'submit',
        values: { email: 'jo@example.org', cc: false, tags: ['a', 'b'] },
      }),
    ).toBe(
      'Answer to your earlier question "Whom?":\n- E-mail (email): jo@example.org\n- cc: no\n- tags: a, b',
    );
    expect(lateAnswerText(several, { type: 'submit', values: { cc: 3 } })).toBe(
      'Answer to your earlier question "Whom?":\n- cc: 3',
    );
  });

  it('nothing filled in is said so, and values beside an approval are told with it', () => {
    const ask = { title: 'Whom?', form: formOf(field('email', 'E-mail')) };
    expect(lateAnswerText(ask, { type: 'submit', values: {} })).toBe(
      'Answer to your earlier question "Whom?": submitted, with nothing filled in.',
    );
    expect(lateAnswerText(ask, { type: 'allow', scope: 'once', values: { email: 'x@y.z' } })).toBe(
      'Answer to your earlier question "Whom?": approved.\n- E-mail (email): x@y.z',
    );
  });

  it('a long question of many lines is one short line', () => {
    const text = lateAnswerText(
      { title: `Really?\n\n${'x'.repeat(1000)}` },
      { type: 'allow', scope: 'once' },
    );
    expect(text).toMatch(/^Answer to your earlier question "Really\? x+…": approved\.$/);
    expect(text.length).toBeLessThan(400);
  });
});
