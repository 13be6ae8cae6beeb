import { describe, expect, it } from 'vitest';
import {
  answerableIn,
  joinWaiting,
  type NoticeSources,
  noticeOf,
  noticeText,
} from '../../src/model/notice.ts';
import { shownDigest } from '../../src/model/shown-digest.ts';
import type { EventOf } from '../../src/protocol/event.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';

const session = { id: 's1', key: null, title: 'Fix the parser', agent: 'demo' } as Session;

const asked = (more: Partial<Interaction> = {}): Interaction =>
  ({
    interactionId: 'i1',
    sessionId: 's1',
    kind: 'approval',
    status: 'open',
    toolName: 'Bash',
    title: 'Run it',
    input: { command: 'npm test' },
    call: { is: 'command', command: '/command' },
    ...more,
  }) as Interaction;

const command = (text: string, more: Partial<Interaction> = {}): Interaction =>
  asked({ input: { command: text }, ...more });

const sources = (more: Partial<NoticeSources> = {}): NoticeSources => ({
  session,
  interaction: () => asked(),
  isAskedOfNobody: () => false,
  isBegunByPerson: () => true,
  isFollowedByFailure: () => false,
  ...more,
});

const requested = {
  type: 'interaction.requested',
  interactionId: 'i1',
  seq: 5,
  at: 'now',
} as EventOf<'interaction.requested'>;
const waiting = (interaction: Interaction) => {
  const notice = noticeOf(requested, sources({ interaction: () => interaction }));
  if (notice?.kind !== 'waits') throw new Error('No notice');
  return notice;
};
const answerable = (interaction: Interaction) => answerableIn(waiting(interaction), 'full');

describe('notices', () => {
  it('[REACH1] what is asked is told with the title of its session, and with the command only where that was chosen', () => {
    const notice = waiting(asked());
    expect(noticeText(notice, 'title')).toEqual({ title: 'Fix the parser', body: 'Waits for you' });
    expect(noticeText(notice, 'full')).toEqual({ title: 'Fix the parser', body: 'Bash: npm test' });
    const question = asked({
      kind: 'question',
      questions: [{ question: 'Which  DB?', options: [], multiSelect: false }],
    });
    expect(noticeText(waiting(question), 'full').body).toBe('Asks: Which DB?');
  });

  it('[REACH1] a sub-agent asks under the name of its session, and what nobody is asked is not told', () => {
    const notice = waiting(asked({ parentToolCallId: 'call-1' }));
    expect(noticeText(notice, 'full')).toEqual({
      title: 'Fix the parser',
      body: 'Bash (a sub-agent): npm test',
    });
    expect(noticeOf(requested, sources({ isAskedOfNobody: () => true }))).toBeUndefined();
  });

  it.each([
    ['completed', true, 'done'],
    ['failed', true, 'failed'],
    ['interrupted', true, undefined],
    ['suspended', true, undefined],
    ['lost', true, undefined],
    ['completed', false, undefined],
  ] as const)(
    '[REACH1] a turn that ended as %s, begun by a person: %s, is told as %s',
    (outcome, isBegun, kind) => {
      const event = { type: 'turn.ended', turnId: 't1', outcome, seq: 9, at: 'now' } as EventOf<'turn.ended'>;
      expect(noticeOf(event, sources({ isBegunByPerson: () => isBegun }))?.kind).toBe(kind);
    },
  );

  it('[REACH1] a crash is told once, also where the session failed with it', () => {
    const exited = {
      type: 'process.exited',
      crashed: true,
      reason: 'It was\nkilled',
      seq: 7,
      at: 'now',
    } as EventOf<'process.exited'>;
    expect(noticeOf(exited, sources())).toMatchObject({ kind: 'failed', reason: 'It was killed' });
    expect(noticeOf(exited, sources({ isFollowedByFailure: () => true }))).toBeUndefined();
    expect(noticeOf({ ...exited, crashed: false }, sources())).toBeUndefined();
  });

  it('[REACH2] a short plain command can be answered from its notice, bound to what it shows', () => {
    expect(answerable(asked())).toEqual({ interactionId: 'i1', shown: shownDigest(asked()) });
    expect(answerableIn(waiting(asked()), 'title')).toBeUndefined();
    const described = asked({
      input: { command: 'npm test', description: 'Run the tests' },
      call: { is: 'command', command: '/command', description: '/description' },
    });
    expect(noticeText(waiting(described), 'full').body).toBe('Bash: npm test\nRun the tests');
    expect(answerable(described)).toBeDefined();
    const file = asked({ input: { path: '/work/a.ts' }, call: { is: 'read', path: '/path' } });
    expect(answerable(file)).toBeDefined();
  });

  it.each([
    ['is long', command(`echo ${'x'.repeat(130)}`)],
    ['has several lines', command('ls\nls')],
    ['has an operator', command('npm test && git status')],
    ['substitutes', command('echo $HOME')],
    ['hides a letter behind another', command('сat file')],
    ['hides an invisible character', command('npm te\u200bst')],
    ['is pushed out of sight', command(`npm test${' '.repeat(60)}x`)],
    ['removes', command('rm file')],
    ['removes through another program', command('timeout 5 /bin/rm file')],
    ['removes in a quoted word', command('bash -c "rm file"')],
    ['pushes', command('git push')],
    ['sets a variable before it', command('PATH=x npm test')],
    ['has a field beside it', command('npm test', { input: { command: 'npm test', timeout: 5 } })],
    [
      'works in another directory',
      command('npm test', {
        input: { command: 'npm test', cwd: '/' },
        call: { is: 'command', command: '/command', directory: '/cwd' },
      }),
    ],
    [
      'has a risk',
      command('npm test', {
        call: { is: 'command', command: '/command', risks: [{ kind: 'sandbox-off', at: '/command' }] },
      }),
    ],
    ['needs a person', command('npm test', { requiresPerson: true })],
    ['is advised against', command('npm test', { defaultToNo: true })],
    ['was blocked for a path', command('npm test', { blockedPath: '/etc' })],
    [
      'can be allowed in two ways',
      command('npm test', {
        ways: [
          { id: 'a', label: 'A' },
          { id: 'b', label: 'B' },
        ],
      }),
    ],
    ['leads elsewhere', command('npm test', { subject: { kind: 'path', value: '/b', asked: '/a' } })],
    ['is of a tool', command('npm test', { tool: { name: 'x', callId: 'c', attempt: 1 } })],
    ['is a plan', asked({ plan: 'Do it' })],
    ['says nothing', asked({ input: {}, defaultToNo: true })],
    ['is known by its fields only', asked({ call: { is: 'fields' } })],
    ['reads a secret', asked({ input: { path: '/work/.env' }, call: { is: 'read', path: '/path' } })],
    [
      'changes a file',
      asked({
        input: { path: '/a', text: 'b' },
        call: { is: 'change', does: 'write', path: '/path', edits: [{ after: '/text' }] },
      }),
    ],
    ['is a question', asked({ kind: 'question' })],
    ['is over', asked({ status: 'resolved' })],
  ])('[REACH2] an approval that %s is only opened from its notice', (_, interaction) => {
    expect(answerable(interaction)).toBeUndefined();
  });

  it('[REACH2] several that wait are one notice that is only opened', () => {
    const joined = joinWaiting([waiting(asked()), waiting(command('ls'))]);
    if (joined === undefined) throw new Error('No notice');
    expect(noticeText(joined, 'title').body).toBe('2 things wait for you');
    expect(noticeText(joined, 'full').body).toBe('2 things wait for you:\n· Bash: npm test\n· Bash: ls');
    expect(answerableIn(joined, 'full')).toBeUndefined();
  });

  it('[REACH1] whatever an agent says, a notice stays small and shows what is invisible', () => {
    const notice = waiting(command(`echo \u202e${'x'.repeat(100_000)}`));
    const { body } = noticeText(notice, 'full');
    expect(body).toContain('\\u{202e}');
    expect(JSON.stringify(notice).length).toBeLessThan(2_000);
    const many = joinWaiting(Array.from({ length: 200 }, () => notice));
    expect(many && noticeText(many, 'full').body.length).toBeLessThan(2_500);
  });
});
