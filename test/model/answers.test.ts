import { describe, expect, it } from 'vitest';
import { normaliseAnswers } from '../../src/model/answers.ts';
import { GivenAnswers } from '../../src/protocol/command.ts';
import type { Answer, Question } from '../../src/protocol/interaction.ts';

const question = (text: string, labels: readonly string[], multiSelect = false): Question => ({
  question: text,
  options: labels.map((label) => ({ label })),
  multiSelect,
});
const database = question('Which DB?', ['Postgres', 'SQLite']);
const extras = question('Which extras?', ['Cache', 'Queue', 'Search'], true);
const name = question('What name?', []);

const answered = (questions: readonly Question[], given: GivenAnswers): Answer[] => {
  const result = normaliseAnswers(questions, given);
  if (!result.ok) throw new Error(result.refusal.message);
  return result.value;
};
const refused = (questions: readonly Question[], given: GivenAnswers) => {
  const result = normaliseAnswers(questions, given);
  if (result.ok) throw new Error(`Accepted: ${JSON.stringify(result.value)}`);
  expect(result.refusal.code).toBe('invalid_answer');
  return result.refusal.details?.field;
};

describe('[ASK9] every accepted encoding comes to the same answers', () => {
  const questions = [database, extras];
  const stored = [{ selected: ['Postgres'] }, { selected: ['Cache', 'Search'] }];
  const encodings: Record<string, GivenAnswers> = {
    'a list': [{ selected: ['Postgres'] }, { selected: ['Cache', 'Search'] }],
    'a map by text': { 'Which DB?': 'Postgres', 'Which extras?': ['Cache', 'Search'] },
    'a map by index': { 0: 'Postgres', 1: ['Cache', 'Search'] },
    'a map by text and index': { 'Which DB?': 'Postgres', 1: ['Cache', 'Search'] },
    'a JSON array in a string': { 0: '["Postgres"]', 1: '["Cache","Search"]' },
    'a map of structured answers': { 0: { selected: ['Postgres'] }, 1: { selected: ['Cache', 'Search'] } },
    'labels given twice': [
      { selected: ['Postgres', 'Postgres'] },
      { selected: ['Cache', 'Search', 'Cache'] },
    ],
  };
  it.each(Object.entries(encodings))('%s', (_, given) => {
    expect(answered(questions, given)).toEqual(stored);
  });
});

describe('[ASK9] words of one’s own', () => {
  it.each<[string, GivenAnswers]>([
    ['a list with other', [{ selected: [], other: 'MySQL' }]],
    ['a list with only other', [{ other: ' MySQL ' }]],
    ['a map value that is no label', { 'Which DB?': 'MySQL' }],
    ['a map value by index', { 0: 'MySQL' }],
    ['an array with one stranger', { 0: ['MySQL'] }],
    ['a structured map value', { 0: { other: 'MySQL' } }],
  ])('%s', (_, given) => {
    expect(answered([database], given)).toEqual([{ selected: [], other: 'MySQL' }]);
  });

  it('stand beside labels where several may be chosen', () => {
    expect(answered([extras], { 0: ['Cache', 'Mail', 'Logs'] })).toEqual([
      { selected: ['Cache'], other: 'Mail, Logs' },
    ]);
    expect(answered([extras], [{ selected: ['Cache'], other: 'Mail' }])).toEqual([
      { selected: ['Cache'], other: 'Mail' },
    ]);
  });

  it('answer a question without options', () => {
    expect(answered([name], { 0: 'Ada' })).toEqual([{ selected: [], other: 'Ada' }]);
    expect(refused([name], [{ selected: ['Ada'] }])).toBe('answers.0.selected');
  });

  it('that begin with a bracket and are no JSON stay words', () => {
    expect(answered([name], { 0: '[draft' })).toEqual([{ selected: [], other: '[draft' }]);
    expect(answered([name], { 0: '[1, 2]' })).toEqual([{ selected: [], other: '[1, 2]' }]);
  });

  it('do not hide a label that looks like JSON', () => {
    const odd = question('Which?', ['["a"]', 'a']);
    expect(answered([odd], { 0: '["a"]' })).toEqual([{ selected: ['["a"]'] }]);
  });
});

describe('[ASK3] [ASK9] answers that do not fit are refused and name the field', () => {
  it.each<[string, readonly Question[], GivenAnswers, string]>([
    ['a label that was not offered', [database], [{ selected: ['MySQL'] }], 'answers.0.selected'],
    ['a label of another case', [database], [{ selected: ['postgres'] }], 'answers.0.selected'],
    ['a stranger in a structured map', [database], { 0: { selected: ['MySQL'] } }, 'answers.0.selected'],
    ['no answer at all, as a list', [database], [], 'answers.0'],
    ['no answer at all, as a map', [database], {}, 'answers.0'],
    ['an empty choice', [database], [{ selected: [] }], 'answers.0'],
    ['an empty array', [extras], { 0: [] }, 'answers.0'],
    ['an empty JSON array', [extras], { 0: '[]' }, 'answers.0'],
    ['blank words', [database], [{ other: '  ' }], 'answers.0'],
    ['a blank value', [database], { 0: '' }, 'answers.0'],
    ['the second question open', [database, extras], [{ selected: ['SQLite'] }], 'answers.1'],
    ['the first question open', [database, extras], { 1: 'Cache' }, 'answers.0'],
    ['two labels for a single choice', [database], { 0: ['Postgres', 'SQLite'] }, 'answers.0'],
    [
      'a label and words for a single choice',
      [database],
      [{ selected: ['SQLite'], other: 'x' }],
      'answers.0',
    ],
    ['more answers than questions', [database], [{ selected: ['SQLite'] }, { other: 'x' }], 'answers.1'],
    ['a key that names no question', [database], { 'Which database?': 'SQLite' }, 'answers.Which database?'],
    ['an index too high', [database], { 1: 'SQLite' }, 'answers.1'],
    ['an index that is no number', [database], { '0x0': 'SQLite' }, 'answers.0x0'],
    [
      'one question answered twice',
      [database],
      { 0: 'SQLite', 'Which DB?': 'Postgres' },
      'answers.Which DB?',
    ],
  ])('%s', (_, questions, given, field) => {
    expect(refused(questions, given)).toBe(field);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__', 'length'])(
    'the key "%s" is no question',
    (key) => {
      const given = GivenAnswers.parse(JSON.parse(`{${JSON.stringify(key)}:"SQLite"}`));
      expect(refused([database], given)).toMatch(/^answers\./);
    },
  );

  it('labels such as "constructor" are taken only where they are offered', () => {
    expect(refused([database], [{ selected: ['constructor'] }])).toBe('answers.0.selected');
    const odd = question('constructor', ['toString', 'valueOf']);
    expect(answered([odd], { constructor: 'toString' })).toEqual([{ selected: ['toString'] }]);
  });
});

describe('[ASK9] questions with the same text', () => {
  const twice = [question('Sure?', ['Yes', 'No']), question('Sure?', ['Yes', 'No'])];
  it('are told apart by their index', () => {
    expect(answered(twice, { 0: 'Yes', 1: 'No' })).toEqual([{ selected: ['Yes'] }, { selected: ['No'] }]);
    expect(answered(twice, [{ selected: ['No'] }, { selected: ['Yes'] }])).toEqual([
      { selected: ['No'] },
      { selected: ['Yes'] },
    ]);
  });

  it('are not both answered by one text', () => {
    expect(refused(twice, { 'Sure?': 'Yes' })).toBe('answers.1');
  });

  it('a text that looks like an index is a text first', () => {
    const numbered = [question('1', ['A']), question('0', ['B'])];
    expect(answered(numbered, { 1: 'A', 0: 'B' })).toEqual([{ selected: ['A'] }, { selected: ['B'] }]);
  });
});
