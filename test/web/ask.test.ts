import { describe, expect, it } from 'vitest';
import { editableOf } from '../../src/model/tool-call.ts';
import { translate } from '../../src/web/i18n/i18n.ts';
import {
  covers,
  editedInput,
  editOf,
  exactPattern,
  expiresAtOf,
  isGrantable,
} from '../../src/web/interaction/answers-to.ts';
import { callBody, summaryOf, toolOfAsk } from '../../src/web/interaction/ask-body.logic.ts';
import { leftOf } from '../../src/web/interaction/card-notes.tsx';
import { safeAddress } from '../../src/web/interaction/form.logic.ts';
import { decisionInShort, decisionParts, filledIn } from '../../src/web/interaction/outcome.logic.ts';
import { anInteraction, at } from './support/samples.ts';

const cwd = '/work/project';
const now = Date.parse(at(0));
const asking = (toolName: string, input: Record<string, unknown>) => anInteraction({ toolName, input });

describe('the thing itself that is asked about', () => {
  it('[UI5] is the whole command, with the words on it, and nothing of the input left out', () => {
    const body = callBody(
      asking('Bash', {
        command: 'a\nb',
        description: 'Tidy up',
        timeout: 5,
        dangerouslyDisableSandbox: true,
      }),
      cwd,
    );
    expect(body).toEqual({
      is: 'command',
      leadsTo: null,
      blockedPath: null,
      risks: ['sandbox-off'],
      command: 'a\nb',
      note: 'Tidy up',
      rest: [
        { at: '/timeout', name: 'timeout', text: '5', isWarning: false },
        {
          at: '/dangerouslyDisableSandbox',
          name: 'dangerouslyDisableSandbox',
          text: 'true',
          isWarning: true,
        },
      ],
    });
  });

  it('[UI12] marks letters that only look like others, in a command, a path, a host and a name', () => {
    const fake = 'g\u043e\u043egle';
    const shown = 'g\\u{43e}\\u{43e}gle';
    expect(callBody(asking('Bash', { command: `curl ${fake}` }), cwd)).toMatchObject({
      command: `curl ${shown}`,
    });
    expect(callBody(asking('Read', { file_path: fake }), cwd)).toMatchObject({ path: shown });
    expect(callBody(asking('WebFetch', { url: `https://${fake}.com` }), cwd)).toMatchObject({
      url: `https://${shown}.com`,
      host: 'xn--ggle-55da.com',
    });
    expect(callBody(asking('mcp__x__y', { host: fake, say: `${fake} it` }), cwd)).toMatchObject({
      json: `{\n  "host": "${shown}",\n  "say": "${fake} it"\n}`,
    });
  });

  it('[GRANT6] [UI5] says where a link leads', () => {
    const subject = { kind: 'path', value: '/home/me/.ssh/config', asked: `${cwd}/notes.md` } as const;
    const linked = anInteraction({
      toolName: 'Write',
      input: { file_path: `${cwd}/notes.md`, content: 'x' },
      subject,
    });
    expect(callBody(linked, cwd)).toMatchObject({
      is: 'change',
      path: 'notes.md',
      leadsTo: '/home/me/.ssh/config',
    });
    expect(summaryOf(linked, cwd)).toMatchObject({ subject: 'notes.md → /home/me/.ssh/config' });
  });

  it('[UI12] shows what is invisible in a command, a path and an input', () => {
    const hidden = 'x\u202ey\u001b[0m';
    expect(callBody(asking('Bash', { command: hidden }), cwd)).toMatchObject({
      command: 'x\\u{202e}y\\u{1b}[0m',
    });
    expect(callBody(asking('Write', { file_path: hidden, content: '' }), cwd)).toMatchObject({
      path: 'x\\u{202e}y\\u{1b}[0m',
    });
    expect(toolOfAsk(asking('mcp__a__b', {}))).toBe('a › b');
    expect(callBody(asking('mcp__a__b', { z: 'x\u202ey' }), cwd)).toMatchObject({
      json: '{\n  "z": "x\\u{202e}y"\n}',
    });
  });

  it('[UI5] is a change for an edit, several for several, and the file for a write', () => {
    const file_path = `${cwd}/src/a.ts`;
    expect(
      callBody(asking('Edit', { file_path, old_string: 'a', new_string: 'b', replace_all: true }), cwd),
    ).toMatchObject({
      is: 'change',
      path: 'src/a.ts',
      edits: [{ before: 'a', after: 'b', isEverywhere: true }],
      rest: [],
    });
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ];
    expect(callBody(asking('MultiEdit', { file_path, edits }), cwd)).toMatchObject({
      edits: [
        { before: 'a', after: 'b' },
        { before: 'c', after: '' },
      ],
    });
    expect(callBody(asking('Write', { file_path, content: 'new' }), cwd)).toMatchObject({
      edits: [{ before: '', after: 'new' }],
    });
  });

  it('does not hide an edit that it cannot read behind those that it can', () => {
    const edits = [{ old_string: 'a', new_string: 'b' }, { rm: '-rf' }];
    const body = callBody(asking('MultiEdit', { file_path: '/x', edits }), cwd);
    expect(body).toMatchObject({ is: 'input' });
    expect(JSON.stringify(body)).toContain('-rf');
  });

  it('[UI12] makes the host of an address plain, also where it pretends to be another', () => {
    expect(callBody(asking('WebFetch', { url: 'https://good.example@evil.example/x' }), cwd)).toMatchObject({
      is: 'address',
      host: 'evil.example',
    });
    expect(callBody(asking('WebFetch', { url: 'nonsense' }), cwd)).toMatchObject({ host: null });
    expect(safeAddress('javascript:alert(1)')).toBeUndefined();
    expect(safeAddress('https://пример.example/')).toMatchObject({ host: 'xn--e1afmkfd.example' });
  });
});

describe('an edited input', () => {
  it('[ASK6] changes the one field that was edited and keeps the rest as it was asked', () => {
    const run = asking('Bash', { command: 'a', timeout: 5 });
    expect(editableOf(run)).toEqual({ what: 'command', at: '/command', text: 'a' });
    expect(editedInput(run, 'b')).toEqual({ is: 'edited', input: { command: 'b', timeout: 5 } });
    expect(editedInput(run, 'a')).toEqual({ is: 'same' });
    expect(editedInput(run, null)).toEqual({ is: 'same' });
    expect(editedInput(run, '  ')).toEqual({ is: 'wrong', why: 'empty' });
  });

  it('[ASK6] edits the content of a file, the new text of an edit, a plan, and anything else as JSON', () => {
    expect(editableOf(asking('Write', { file_path: '/a', content: 'x' })).what).toBe('content');
    expect(editableOf(asking('Edit', { file_path: '/a', old_string: 'x', new_string: 'y' })).what).toBe(
      'newText',
    );
    expect(
      editableOf(anInteraction({ toolName: 'ExitPlanMode', plan: 'p', input: { plan: 'p' } })).what,
    ).toBe('plan');
    const other = asking('mcp__x__y', { content: 'x' });
    expect(editableOf(other)).toEqual({ what: 'json', at: '', text: '{\n  "content": "x"\n}' });
    expect(editedInput(other, '{"content":"y"}')).toEqual({ is: 'edited', input: { content: 'y' } });
    expect(editedInput(other, '{"content":')).toEqual({ is: 'wrong', why: 'not-json' });
    expect(editedInput(other, '[1]')).toEqual({ is: 'wrong', why: 'not-an-object' });
  });

  it('[ASK6] is told as an edit afterwards: the field alone where only that was changed', () => {
    const allowed = (updatedInput: Record<string, unknown>) =>
      editOf({
        ...asking('Bash', { command: 'a', timeout: 5 }),
        decision: { type: 'allow', scope: 'once', updatedInput },
      });
    expect(allowed({ command: 'b', timeout: 5 })).toEqual({ before: 'a', after: 'b' });
    expect(allowed({ command: 'b', timeout: 9 })?.before).toContain('"timeout": 5');
    expect(editOf(asking('Bash', { command: 'a' }))).toBeNull();
  });
});

describe('a pattern for a standing approval', () => {
  const command = (value: string) => anInteraction({ subject: { kind: 'command', value } });

  it('[GRANT2] starts with exactly what was asked, where a link leads to', () => {
    expect(exactPattern(command('npm test -- a'))).toBe('npm test -- a');
    const subject = { kind: 'path', value: '/away/x', asked: '/repo/x' } as const;
    expect(exactPattern(anInteraction({ subject }))).toBe('/away/x');
  });

  it('[GRANT2] must match what is asked now', () => {
    expect(covers('npm *', command('npm test'))).toBe(true);
    expect(covers('yarn *', command('npm test'))).toBe(false);
    expect(covers(' ', command('npm test'))).toBe(false);
  });

  it('[GRANT5] is not offered for what needs a person, a plan, or an ask without a call', () => {
    expect(isGrantable(anInteraction())).toBe(true);
    expect(isGrantable(anInteraction({ requiresPerson: true }))).toBe(false);
    expect(isGrantable(anInteraction({ plan: 'p' }))).toBe(false);
    const { toolCallId: _, ...loose } = anInteraction();
    expect(isGrantable(loose)).toBe(false);
  });

  it('[GRANT1] can have an end', () => {
    expect(expiresAtOf('never', now)).toBeUndefined();
    expect(expiresAtOf('hour', now)).toBe(at(3600));
  });
});

describe('what is left of the time to answer', () => {
  it('[ASK7] counts down to none, and never promises more than there was', () => {
    const limited = { createdAt: at(0), expiresAt: at(300) };
    expect(leftOf(limited, now + 60_000)).toBe(240_000);
    expect(leftOf(limited, now + 900_000)).toBe(0);
    expect(leftOf(limited, now - 3_600_000)).toBe(300_000);
    expect(leftOf({ createdAt: at(0) }, now)).toBeUndefined();
  });
});

const t = translate();

describe('what was decided', () => {
  it('[ASK4] tells the answers given, by question', () => {
    const answered = anInteraction({
      kind: 'question',
      questions: [
        { question: 'Which?', options: [{ label: 'A' }], multiSelect: false },
        { question: 'More?', options: [], multiSelect: true },
      ],
      status: 'resolved',
      outcome: 'answered',
      decision: { type: 'answer', answers: [{ selected: ['A'] }, { selected: [], other: 'my own' }] },
    });
    expect(decisionParts(answered)).toEqual([
      { is: 'said', label: 'Which?', text: 'A' },
      { is: 'said', label: 'More?', text: 'my own' },
    ]);
    expect(decisionInShort(answered, t)).toBe('Which?: A · More?: my own');
  });

  it('[ASK4] tells the reason of a denial, and does not make one of a time limit', () => {
    const decision = { type: 'deny', message: 'No,\nuse pnpm', interrupt: true } as const;
    const denied = anInteraction({ status: 'resolved', outcome: 'denied', decision });
    expect(decisionInShort(denied, t)).toBe('No, use pnpm');
    expect(decisionParts(denied)).toEqual([{ is: 'reason', text: 'No,\nuse pnpm', isInterrupting: true }]);
    expect(decisionInShort({ ...denied, outcome: 'expired' }, t)).toBe('');
  });

  it('[ASK4] tells the values of a form by their labels', () => {
    const field = { id: 'size', type: 'select', label: 'Size', required: true } as const;
    const submitted = anInteraction({
      kind: 'form',
      form: {
        message: '',
        presentation: 'tool',
        fields: [{ ...field, options: [{ value: 's', label: 'Small' }] }],
      },
      decision: { type: 'submit', values: { size: 's', https: true } },
    });
    expect(filledIn(submitted, t)).toEqual([
      { id: 'size', label: 'Size', text: 'Small' },
      { id: 'https', label: 'https', text: 'Yes' },
    ]);
    expect(decisionInShort(submitted, t)).toBe('Small · Yes');
  });
});
