import { describe, expect, it } from 'vitest';
import { withoutMoving } from '../../src/web/pages/control/use-calm-order.ts';
import { activityOf } from '../../src/web/session/activity.logic.ts';
import { groupByNeed, monitorOrder } from '../../src/web/session/need.logic.ts';
import { beginning, lastUsedOf, requestOf, withAgent } from '../../src/web/session/new-session.logic.ts';
import { anAgent, aSession, at, called, conversationOf } from './support/samples.ts';

describe('sessions by need', () => {
  const sessions = [
    aSession({ id: 'idle' }),
    aSession({ id: 'young', status: 'waiting', since: at(9) }),
    aSession({ id: 'busy', status: 'running', createdAt: at(5) }),
    aSession({ id: 'old', status: 'waiting', since: at(1) }),
    aSession({ id: 'gone', status: 'stopped' }),
    aSession({ id: 'asleep', status: 'asleep' }),
    aSession({ id: 'broken', status: 'failed' }),
  ];

  it('[SES4] groups them in the order in which they concern a person', () => {
    expect(
      groupByNeed(sessions).map(({ need, sessions: group }) => [need, group.map(({ id }) => id)]),
    ).toEqual([
      ['needs-you', ['old', 'young']],
      ['working', ['busy']],
      ['idle', ['idle']],
      ['asleep', ['asleep']],
      ['ended', ['broken', 'gone']],
    ]);
  });

  it('[UI1] shows monitors that need you first, and does not move the others when they begin or end a turn', () => {
    const order = (all: typeof sessions): string[] => monitorOrder(all).map(({ id }) => id);
    expect(order(sessions)).toEqual(['old', 'young', 'busy', 'broken', 'idle']);
    const flipped = sessions.map((each) =>
      each.id === 'idle' ? { ...each, status: 'running' as const } : each,
    );
    expect(order(flipped)).toEqual(order(sessions));
  });

  it('keeps what is shown in its place while it must not move', () => {
    expect(withoutMoving(['a', 'b', 'c'], ['c', 'new', 'a'])).toEqual(['a', 'c', 'new']);
  });
});

describe('what a session does', () => {
  it('[SES4] tells of a session at work what it runs, once that is known', () => {
    const session = aSession({ status: 'running', waitingOn: 'tool', awaited: { what: 'Bash', id: 't1' } });
    expect(activityOf(session, undefined)).toEqual({ is: 'tool', verb: 'fields', subject: 'Bash' });
    expect(activityOf(session, conversationOf(called('t1')))).toEqual({
      is: 'tool',
      verb: 'command',
      subject: 'npm test',
    });
  });
});

it('[SES15] says of an agent that asks too much that it is held', () => {
  const held = { since: at(1), reason: 'asks' } as const;
  expect(activityOf(aSession({ status: 'waiting', held }), undefined)).toEqual({
    is: 'phrase',
    phrase: 'held',
  });
});

describe('a new session', () => {
  it('begins a new session as the last one, as far as that is still there', () => {
    const agents = [
      anAgent(),
      anAgent({ name: 'claude', label: 'Claude Code' }),
      anAgent({ name: 'gone', available: false }),
    ];
    const plan = { permissionMode: 'plan', model: 'm' };
    const last = { agent: 'claude', cwd: '/w', choices: { claude: plan } };
    expect(beginning(agents, last)).toMatchObject({ agent: 'claude', cwd: '/w', ...plan });
    expect(beginning(agents, last, 'demo')).toMatchObject({
      agent: 'demo',
      cwd: '/w',
      permissionMode: '',
      model: '',
    });
    expect(beginning(agents, { agent: 'gone' })).toMatchObject({ agent: 'claude' });
    const unknown = { ...last, choices: { claude: { permissionMode: 'unknown' } } };
    expect(beginning(agents, unknown)).toMatchObject({ permissionMode: '' });
  });

  it('leaves to the server what was left empty', () => {
    const form = beginning([anAgent()], {});
    expect(requestOf({ ...form, prompt: '  Fix it ' }, anAgent())).toEqual({
      agent: 'demo',
      prompt: 'Fix it',
    });
  });

  it('[UI23] remembers what was chosen for each agent, and nothing of an environment', () => {
    const claude = anAgent({ name: 'claude', thinkingVariable: 'THINK' });
    const form = beginning([claude, anAgent()], {});
    const variables = [{ id: '1', name: 'TOKEN', value: 'hush' }];
    const filled = { ...form, model: 'm', thinking: '4000', variables, isEphemeral: true };
    expect(requestOf(filled, claude)).toEqual({
      agent: 'claude',
      model: 'm',
      env: { THINK: '4000', TOKEN: 'hush' },
      ephemeral: true,
    });
    const last = lastUsedOf(filled, { choices: { demo: { permissionMode: 'plan' } } });
    expect(JSON.stringify(last)).not.toMatch(/TOKEN|hush/);
    const other = withAgent(filled, anAgent(), last);
    expect(other).toMatchObject({ agent: 'demo', permissionMode: 'plan', model: '', thinking: '' });
    expect(withAgent(other, claude, last)).toMatchObject({ agent: 'claude', model: 'm', thinking: '4000' });
  });
});
