import { describe, expect, test } from 'vitest';
import { answerTo } from '../../../src/drivers/claude/answer.ts';
import type { Ask } from '../../../src/protocol/interaction.ts';

const approval: Ask = {
  kind: 'approval',
  agentRequestId: 'r',
  toolName: 'Bash',
  title: 'Bash: ls',
  input: { command: 'ls', description: 'List' },
};

describe('approvals', () => {
  test('[ASK6] an allow carries the whole stored input', () => {
    expect(answerTo(approval, { type: 'allow', scope: 'always' })).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'ls', description: 'List' },
    });
  });

  test('[ASK8] an edited input takes its place', () => {
    const answer = answerTo(approval, { type: 'allow', scope: 'once', updatedInput: { command: 'ls -l' } });
    expect(answer).toEqual({ behavior: 'allow', updatedInput: { command: 'ls -l' } });
  });

  test('[ASK8] a plan is approved together with the mode to go on in', () => {
    const plan = { ...approval, toolName: 'ExitPlanMode', input: { plan: '# P' }, plan: '# P' };
    expect(answerTo(plan, { type: 'allow', scope: 'once', mode: 'acceptEdits' })).toEqual({
      behavior: 'allow',
      updatedInput: { plan: '# P' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
  });

  test('[ASK8] a denial always has words', () => {
    expect(answerTo(approval, { type: 'deny', message: 'Too risky', interrupt: false })).toEqual({
      behavior: 'deny',
      message: 'Too risky',
    });
    expect(answerTo(approval, { type: 'deny', message: ' ', interrupt: true })).toEqual({
      behavior: 'deny',
      message: 'Denied.',
      interrupt: true,
    });
  });
});

describe('questions', () => {
  const question: Ask = {
    ...approval,
    kind: 'question',
    toolName: 'AskUserQuestion',
    input: { questions: [{ question: 'Which DB? ' }, { question: '__proto__' }, { question: 'Extras' }] },
    questions: [
      { question: 'Which DB? ', options: [], multiSelect: false },
      { question: '__proto__', options: [], multiSelect: false },
      { question: 'Extras', options: [], multiSelect: true },
    ],
  };

  test('[ASK9] answers are keyed by the exact text of the question, labels joined, other words last', () => {
    const answers = [
      { selected: ['PG'] },
      { selected: [], other: 'mine' },
      { selected: ['A', 'B'], other: 'C' },
    ];
    const reply = answerTo(question, { type: 'answer', answers });
    expect(JSON.stringify(reply)).toBe(
      JSON.stringify({ behavior: 'allow', updatedInput: { ...question.input } }).replace(
        /\}\}$/,
        ',"answers":{"Which DB? ":"PG","__proto__":"mine","Extras":"A, B, C"}}}',
      ),
    );
  });

  test('[ASK4] a dismissed question is denied with the words for it', () => {
    expect(answerTo(question, { type: 'dismiss', message: 'Not now' })).toEqual({
      behavior: 'deny',
      message: 'Not now',
    });
  });
});

describe('forms', () => {
  const form: Ask = {
    ...approval,
    kind: 'form',
    form: { message: 'm', fields: [], presentation: 'questionnaire' },
  };

  test('[TOOL11] submitted, declined and cancelled are different words', () => {
    expect(answerTo(form, { type: 'submit', values: { port: 80 } })).toEqual({
      action: 'accept',
      content: { port: 80 },
    });
    expect(answerTo(form, { type: 'deny', message: 'no', interrupt: false })).toEqual({ action: 'decline' });
    expect(answerTo(form, { type: 'dismiss', message: 'later' })).toEqual({ action: 'cancel' });
  });

  test('a decision of another kind is a fault, not a guess', () => {
    expect(() => answerTo(form, { type: 'answer', answers: [] })).toThrow(TypeError);
    expect(() => answerTo(approval, { type: 'submit', values: {} })).toThrow(TypeError);
  });
});
