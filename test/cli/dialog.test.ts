import { describe, expect, it } from 'vitest';
import { type AskedInteraction, type Dialog, dialogAbout } from '../../src/cli/terminal/dialog.ts';
import { pickAnswer, pickValue } from '../../src/cli/terminal/typed-answers.ts';
import { InteractionId } from '../../src/protocol/ids.ts';
import type { FormField, Question } from '../../src/protocol/interaction.ts';

const asked = (more: Partial<AskedInteraction>): AskedInteraction => ({
  interactionId: InteractionId.parse('i'),
  kind: 'approval',
  toolName: 'Bash',
  title: 'Run',
  input: {},
  ...more,
});

const replyTo = (dialog: Dialog, ...lines: string[]) => {
  const steps = lines.map((line) => dialog.take(line));
  for (const step of steps.slice(0, -1)) expect(step.type).toBe('ask');
  return steps.at(-1);
};
const approve = (body: object) => ({
  type: 'reply',
  reply: { via: 'approve', body: { requestId: 'i', ...body } },
});

describe('answering an approval', () => {
  it.each([
    [['a'], { decision: 'allow', scope: 'once' }],
    [['Yes'], { decision: 'allow', scope: 'once' }],
    [['s'], { decision: 'allow', scope: 'session' }],
    [['always'], { decision: 'allow', scope: 'always' }],
    [['d', 'not now'], { decision: 'deny', reason: 'not now' }],
    [['d', ''], { decision: 'deny' }],
    [['deny use the other file'], { decision: 'deny', reason: 'use the other file' }],
    [['what?', '', 'a'], { decision: 'allow', scope: 'once' }],
  ])('[ASK8] %j decides %j', (lines, body) => {
    expect(replyTo(dialogAbout(asked({})), ...lines)).toEqual(approve(body));
  });

  it.each(['', ' ', 'ok then', 'all', 'a b', 's please', '1'])('[ASK8] %j decides nothing', (line) => {
    expect(dialogAbout(asked({})).take(line).type).toBe('ask');
  });

  it('[ASK8] what defaults to no wants a second word', () => {
    expect(replyTo(dialogAbout(asked({ defaultToNo: true })), 'a', 'yes')).toEqual(
      approve({ decision: 'allow', scope: 'once' }),
    );
    expect(replyTo(dialogAbout(asked({ defaultToNo: true })), 'a', 'a')).toMatchObject({ type: 'ask' });
  });

  it('[ACP3] where the agent offers several ways, one is named by its number', () => {
    const ways = [
      { id: 'restore', label: 'Yes, as before' },
      { id: 'edits', label: 'Yes, and edit' },
    ];
    expect(replyTo(dialogAbout(asked({ plan: '…', ways })), 'a', 'a 3', 'a 2')).toEqual(
      approve({ decision: 'allow', scope: 'once', way: 'edits' }),
    );
  });

  it('[ASK18] what the agent said nothing of wants a second word, and it is said why', () => {
    const dialog = dialogAbout(asked({ input: {}, defaultToNo: true }));
    expect(dialog.take('a')).toMatchObject({ type: 'ask', text: expect.stringContaining('did not say') });
    expect(dialog.take('yes')).toEqual(approve({ decision: 'allow', scope: 'once' }));
  });

  it('[ASK8] a plan can be approved with the mode to go on in', () => {
    expect(replyTo(dialogAbout(asked({ plan: '…' })), 'a acceptEdits')).toEqual(
      approve({ decision: 'allow', scope: 'once', mode: 'acceptEdits' }),
    );
  });
});

describe('[ASK8] answering the approval of an interactive tool', () => {
  const tool = { name: 'deploy', callId: 'c', attempt: 1 };
  const form = {
    message: '',
    presentation: 'tool' as const,
    fields: [
      { id: 'email', type: 'text' as const, label: 'E-mail', required: true },
      { id: 'copies', type: 'number' as const, label: 'Copies', required: false },
    ],
  };

  it('offers only the scopes that the tool does', () => {
    const once = dialogAbout(asked({ tool }));
    expect(once.opening).toBe('[a]llow once · [d]eny · [v]iew all');
    expect(once.take('s')).toMatchObject({ type: 'ask', text: expect.stringContaining('not offered') });
    expect(once.take('always')).toMatchObject({ type: 'ask' });
    expect(once.take('a')).toEqual(approve({ decision: 'allow', scope: 'once' }));
    const several = dialogAbout(asked({ tool, approvalScopes: ['session', 'always'] }));
    expect(several.opening).toBe('allow for [s]ession · allow "always" · [d]eny · [v]iew all');
    expect(several.take('a')).toMatchObject({ type: 'ask' });
    expect(several.take('always')).toEqual(approve({ decision: 'allow', scope: 'always' }));
  });

  it('goes through what is to be filled in beside it, which can be left', () => {
    const dialog = dialogAbout(asked({ tool, form, approvalScopes: ['once', 'session'] }));
    expect(replyTo(dialog, 's', '/skip', 's', '', 'jo@example.org', '2', 'yes')).toEqual({
      type: 'reply',
      reply: {
        via: 'respond',
        body: {
          interactionId: 'i',
          action: 'approve',
          approvalScope: 'session',
          input: { email: 'jo@example.org', copies: 2 },
        },
      },
    });
  });

  it('what was filled in before is the default when it is asked again', () => {
    const again = { ...form, initialValues: { email: 'jo@example.org' } };
    const dialog = dialogAbout(asked({ tool, form: again }));
    expect(dialog.take('a')).toMatchObject({ text: expect.stringContaining('[jo@example.org]') });
    expect(replyTo(dialog, '', '', 'yes')).toMatchObject({
      reply: { body: { input: { email: 'jo@example.org' } } },
    });
  });

  it('is denied as any other', () => {
    expect(replyTo(dialogAbout(asked({ tool, form })), 'd not now')).toEqual(
      approve({ decision: 'deny', reason: 'not now' }),
    );
  });
});

const database: Question = {
  question: 'Which?',
  multiSelect: false,
  options: [{ label: 'Postgres' }, { label: 'SQLite, a file' }],
};
const extras: Question = {
  question: 'Extras?',
  multiSelect: true,
  options: [{ label: 'Tests' }, { label: 'Docs' }, { label: 'CI' }],
};
const open: Question = { question: 'Name?', multiSelect: false, options: [] };

describe('answering questions', () => {
  it('[ASK9] takes one after the other: numbers, labels, several, free text', () => {
    const dialog = dialogAbout(asked({ kind: 'question', questions: [database, extras, open] }));
    const answers = [
      { selected: ['SQLite, a file'] },
      { selected: ['Docs', 'Tests'] },
      { selected: [], other: '2' },
    ];
    expect(replyTo(dialog, '2', 'docs, 1', '2')).toEqual({
      type: 'reply',
      reply: { via: 'answer', body: { requestId: 'i', answers } },
    });
  });

  it('[ASK9] asks again for what does not fit, and can be dismissed', () => {
    const dialog = dialogAbout(asked({ kind: 'question', questions: [database] }));
    expect(dialog.take('3')).toMatchObject({
      type: 'ask',
      text: expect.stringContaining('There are 2 options.'),
    });
    expect(dialog.take('1,2')).toMatchObject({ type: 'ask', text: expect.stringContaining('Only one') });
    expect(dialog.take('')).toMatchObject({ type: 'ask' });
    expect(dialog.take('/skip')).toEqual({
      type: 'reply',
      reply: { via: 'respond', body: { interactionId: 'i', action: 'cancel' } },
    });
  });

  it('[ASK9] a label with a comma is one label', () => {
    expect(pickAnswer('sqlite, A FILE', database, true)).toEqual({
      ok: true,
      value: { selected: ['SQLite, a file'] },
    });
  });

  it('[ASK9] free text must be allowed', () => {
    expect(pickAnswer('MySQL', database, true)).toEqual({
      ok: true,
      value: { selected: [], other: 'MySQL' },
    });
    expect(pickAnswer('MySQL', database, false)).toMatchObject({
      ok: false,
      hint: expect.stringContaining('Postgres'),
    });
  });
});

const field = (type: FormField['type'], more: Partial<FormField> = {}): FormField => ({
  id: type,
  type,
  label: type,
  required: true,
  ...more,
});
const sizes = {
  options: [
    { value: 's', label: 'Small' },
    { value: 'l', label: 'Large' },
  ],
};

describe('filling in a form', () => {
  it('[TOOL3] goes through the fields, with defaults for empty lines', () => {
    const fields = [
      field('text'),
      field('number', { required: false }),
      field('checkbox', { defaultValue: true }),
      field('select', sizes),
    ];
    const dialog = dialogAbout(asked({ kind: 'form', form: { message: '', fields, presentation: 'tool' } }));
    expect(replyTo(dialog, '', 'Jo', '', '', '2', 'y')).toEqual({
      type: 'reply',
      reply: {
        via: 'respond',
        body: { interactionId: 'i', action: 'submit', input: { text: 'Jo', checkbox: true, select: 'l' } },
      },
    });
  });

  it.each([
    ['12.5', field('number'), 12.5],
    ['no', field('checkbox'), false],
    ['small', field('radio', sizes), 's'],
    ['2, s', field('multiselect', sizes), ['l', 's']],
    ['2026-01-02', field('date'), '2026-01-02'],
    ['anything', field('select'), 'anything'],
    ['a, b', field('multiselect', { options: [] }), ['a', 'b']],
  ] as const)('[TOOL3] takes %j as the value of a field', (text, of, value) => {
    expect(pickValue(text, of)).toEqual({ ok: true, value });
  });

  it.each([
    ['many', field('number')],
    ['maybe', field('checkbox')],
    ['huge', field('select', sizes)],
    ['1,9', field('multiselect', sizes)],
    ['', field('text')],
    ['a,,b', field('multiselect')],
  ] as const)('[TOOL3] asks again for %j', (text, of) => {
    expect(pickValue(text, of).ok).toBe(false);
  });

  const server = () =>
    dialogAbout(
      asked({
        kind: 'form',
        form: {
          message: '',
          presentation: 'tool',
          fields: [
            field('number', {
              id: 'port',
              label: 'Port',
              minimum: 1,
              maximum: 65535,
              integer: true,
              description: 'Where it listens.',
            }),
            field('text', {
              id: 'mail',
              label: 'Mail',
              format: 'email',
              required: false,
              defaultValue: 'a@b.example',
            }),
            field('text', { id: 'key', label: 'Key', format: 'password', required: false }),
            field('select', { id: 'size', label: 'Size', ...sizes }),
          ],
        },
      }),
    );
  const textOf = (step: ReturnType<Dialog['take']>) => (step.type === 'ask' ? step.text : step.type);

  it('[TERM9] a field is told with its kind, its bounds, what it is for, its default and its options', () => {
    const dialog = server();
    expect(dialog.opening).toBe(
      '1/4 Port (whole number, 1 to 65535)\n  Where it listens.\n(/skip to dismiss)',
    );
    expect(textOf(dialog.take('80'))).toBe(
      '2/4 Mail (e-mail address, optional) [a@b.example]\n(Enter takes what is in brackets; /none leaves it empty; /back; /skip to dismiss)',
    );
    dialog.take('/none');
    expect(textOf(dialog.take(''))).toBe(
      '4/4 Size (one of the options)\n  1. Small  2. Large\n(/back; /skip to dismiss)',
    );
  });

  it('[TERM9] a value that does not fit is told at once, and leaves the others as they are', () => {
    const dialog = server();
    expect(textOf(dialog.take('70000'))).toMatch(/^"Port" must be at most 65535\. 1\/4 Port/);
    expect(textOf(dialog.take('1.5'))).toMatch(/^"Port" must be a whole number\./);
    dialog.take('80');
    expect(textOf(dialog.take('nobody'))).toMatch(/^"Mail" must be an e-mail address\./);
    expect(textOf(dialog.take('/back'))).toContain('Port (whole number, 1 to 65535) [80]');
    dialog.take('');
    dialog.take('jo@example.org');
    expect(dialog.isSecret?.()).toBe(true);
    dialog.take('hunter2');
    expect(dialog.isSecret?.()).toBe(false);
    const review = textOf(dialog.take('large'));
    expect(review).toBe(
      'This is what you filled in:\n  1. Port: 80\n  2. Mail: jo@example.org\n  3. Key: ••••\n  4. Size: Large\n"yes" sends it · a number changes that one · /skip dismisses',
    );
    expect(textOf(dialog.take(''))).toBe(review);
    dialog.take('4');
    expect(textOf(dialog.take('1'))).toContain('4. Size: Small');
    expect(dialog.take('yes')).toMatchObject({
      reply: { body: { input: { port: 80, mail: 'jo@example.org', key: 'hunter2', size: 's' } } },
    });
    expect(dialog.again?.()).toContain('Not sent.\n  1. Port: 80');
  });
});
