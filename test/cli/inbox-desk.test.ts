import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { plain } from '../../src/cli/render/paint.ts';
import { InboxDesk } from '../../src/cli/terminal/inbox-desk.ts';
import { BeckonError } from '../../src/client/beckon-error.ts';
import type { Transport } from '../../src/client/transport.ts';
import { shownDigest } from '../../src/model/shown-digest.ts';
import { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import { holds } from '../support/eventually.ts';

const aboutCommand = (id: string, command: string, more: Partial<Interaction> = {}): Interaction => ({
  interactionId: InteractionId.parse(id),
  requestId: InteractionId.parse(id),
  sessionId: SessionId.parse('ses_1'),
  sessionKey: null,
  turnId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  parked: false,
  status: 'open',
  kind: 'approval',
  toolName: 'Bash',
  title: command,
  input: { command },
  ...more,
});

function openDesk() {
  const sent: Record<string, unknown>[] = [];
  let refusal: BeckonError | undefined;
  const reply = async (_session: string, body: object) => {
    sent.push({ ...body });
    if (refusal !== undefined) throw refusal;
    return { outcome: 'allowed' };
  };
  const opened: string[] = [];
  const desk = new InboxDesk({
    transport: { approve: reply, answer: reply, respond: reply } as unknown as Transport,
    paint: plain,
    now: () => Date.now(),
    redraw() {},
    open: ({ interactionId }) => opened.push(interactionId),
    leave: () => opened.push('left'),
  });
  const screen = (height = 20) => desk.rows(60, height).join('\n');
  return {
    sent,
    opened,
    screen,
    refuse: (error: BeckonError) => {
      refusal = error;
    },
    update: (...pending: Interaction[]) => desk.update(pending, []),
    press(...keys: string[]) {
      for (const key of keys) {
        desk.press(key.length === 1 ? { type: 'text', text: key } : { type: 'key', key });
        screen();
      }
    },
    type(text: string) {
      for (const letter of text) desk.press({ type: 'text', text: letter });
      desk.press({ type: 'key', key: 'Enter' });
    },
  };
}

const still = () => vi.advanceTimersByTime(500);

describe('the inbox in a terminal', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
  afterEach(() => void vi.useRealTimers());

  it('[TERM8] a key allows what is shown, by the name of what was shown, once it has been still for half a second', () => {
    const { update, press, screen, sent } = openDesk();
    const ask = aboutCommand('int_a', 'ls g\u043eogle');
    update(ask);
    screen();
    vi.advanceTimersByTime(499);
    press('a');
    expect(sent).toEqual([]);
    expect(screen()).toContain('nothing was decided');
    expect(screen()).toContain('g\\u{43e}ogle');
    vi.advanceTimersByTime(1);
    press('a');
    expect(sent).toEqual([{ requestId: 'int_a', decision: 'allow', scope: 'once', shown: shownDigest(ask) }]);
  });

  it('[TERM8] what takes the place of the ask, or changes what it shows, is not answered by the key that was under way', () => {
    const { update, press, screen, sent } = openDesk();
    update(aboutCommand('int_a', 'ls'), aboutCommand('int_b', 'rm -rf .'));
    screen();
    still();
    update(aboutCommand('int_b', 'rm -rf .'));
    press('a', 's', 'd', 'Enter');
    expect(sent).toEqual([]);
    still();
    update(aboutCommand('int_b', 'rm -rf /'));
    press('a');
    expect(sent).toEqual([]);
    still();
    press('s');
    expect(sent).toMatchObject([{ requestId: 'int_b', scope: 'session' }]);
  });

  it('[TERM8] a long ask is allowed only when its end has been on the screen; it can be denied at any time', () => {
    const { update, press, type, screen, sent } = openDesk();
    update(aboutCommand('int_a', Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n')));
    screen();
    still();
    press('a');
    expect(sent).toEqual([]);
    expect(screen()).toMatch(/lines had not been shown; nothing was decided/);
    for (let at = 0; at < 20 && !screen().includes('echo 59'); at += 1) press(' ');
    press('a');
    expect(sent).toMatchObject([{ decision: 'allow' }]);
    press('d');
    type('not now');
    expect(sent[1]).toMatchObject({ decision: 'deny', reason: 'not now' });
  });

  it('[TERM8] letters of a reason whose ask has ended do nothing', () => {
    const { update, press, type, screen, sent } = openDesk();
    const [first, second] = [aboutCommand('int_a', 'ls'), aboutCommand('int_b', 'rm -rf .')];
    update(first, second);
    screen();
    still();
    press('d', 'n', 'o');
    update(second);
    still();
    press('a', 's');
    expect(screen()).toContain('has ended meanwhile');
    type('');
    press('a');
    expect(sent).toEqual([]);
    still();
    press('a');
    expect(sent).toMatchObject([{ requestId: 'int_b' }]);
  });

  it('[TERM8] several that were seen are marked and allowed together; one that changes is no longer marked', () => {
    const { update, press, type, screen, sent } = openDesk();
    const [first, second, third] = ['int_a', 'int_b', 'int_c'].map((id) => aboutCommand(id, `ls ${id}`));
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('there are three');
    update(first, second, third);
    screen();
    still();
    press('x', 'x', 'x');
    expect(screen()).toContain('A allow 3');
    update(first, { ...second, input: { command: 'rm' } }, third);
    still();
    press('A');
    expect(screen()).toContain('Allow 2 marked asks once?');
    type('yes');
    expect(sent.map(({ requestId }) => requestId)).toEqual(['int_a', 'int_c']);
  });

  it('[TERM8] the input is changed as JSON, shown again, and then allowed', () => {
    const { update, press, type, screen, sent } = openDesk();
    update(aboutCommand('int_a', 'ls'));
    screen();
    still();
    press('e', 'Ctrl+U');
    type('{"command":"ls -l"');
    expect(screen()).toContain('That is no JSON object');
    type('{"command":"ls -l"}');
    expect(screen()).toContain('command: "ls -l"');
    type('yes');
    expect(sent).toMatchObject([{ decision: 'allow', updatedInput: { command: 'ls -l' } }]);
  });

  it('[TERM8] a question is answered, moving on is free, and a refusal is told', async () => {
    const { update, press, type, screen, sent, refuse, opened } = openDesk();
    const options = [{ label: 'Postgres' }, { label: 'SQLite' }];
    const questions = [{ question: 'Which database?', options, multiSelect: false }];
    update(
      aboutCommand('int_a', 'ls'),
      aboutCommand('int_q', '', { kind: 'question', title: 'Which?', questions }),
    );
    screen();
    still();
    press('j', 'a');
    type('2');
    expect(sent).toMatchObject([{ requestId: 'int_q', answers: [{ selected: ['SQLite'] }] }]);
    refuse(new BeckonError('interaction_already_resolved', 409, 'It was answered elsewhere.'));
    press('k', 'a');
    await holds(() => expect(screen()).toContain('It was answered elsewhere.'));
    press('Enter', 'q');
    expect(opened).toEqual(['int_a', 'left']);
  });
});
