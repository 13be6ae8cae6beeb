import { describe, expect, it } from 'vitest';
import { interactionOf } from '../../src/model/status.ts';
import {
  interactionFromLog,
  interactionView,
  pendingView,
  resolvedNotice,
  sessionView,
} from '../../src/model/views.ts';
import { Interaction, type Outcome } from '../../src/protocol/interaction.ts';
import { Session } from '../../src/protocol/session.ts';
import { allow, bashAsk, capabilities, PlayedSession, person } from '../support/session-states.ts';

const asking = () => {
  const played = new PlayedSession({ key: 'task-1' }).up().working();
  return { played, id: played.asks(bashAsk('r1', 'ls')) };
};

describe('[SES1] a session as callers see it', () => {
  it('fits the schema in every status, and shows what it was made with', () => {
    const played = new PlayedSession({ key: 'task-1', labels: ['a'], permissionMode: 'plan', model: 'm' });
    const seen = [sessionView(played.state)];
    played.up().working();
    seen.push(sessionView(played.state));
    played.asks(bashAsk('r1', 'ls'));
    seen.push(sessionView(played.state));
    played.command({ type: 'interrupt', by: person });
    seen.push(sessionView(played.state));
    played.command({ type: 'stop', by: person });
    seen.push(sessionView(played.state));
    for (const view of seen) expect(Session.parse(view)).toEqual(view);
    expect(seen.map((view) => view.status)).toEqual(['starting', 'running', 'waiting', 'waiting', 'stopped']);
    expect(seen.map((view) => view.pendingCount)).toEqual([0, 0, 1, 1, 0]);
    expect(seen[2]).toMatchObject({
      key: 'task-1',
      labels: ['a'],
      permissionMode: 'plan',
      model: 'm',
      agentSessionId: 'agent-1',
      agentVersion: '1',
      capabilities,
      lastSeq: played.all('interaction.requested')[0]?.seq,
    });
  });

  it('[SES13] mode and model as they are, whoever changed them', () => {
    const played = new PlayedSession().up();
    played.command({ type: 'set-mode', permissionMode: 'plan', by: person });
    played.command({ type: 'set-mode', permissionMode: 'plan', by: person });
    played.command({ type: 'set-model', model: 'big', by: person });
    played.fact({ type: 'mode-changed', permissionMode: 'default' });
    played.fact({ type: 'model-changed', model: 'big' });
    expect(played.all('mode.changed').map(({ permissionMode, by }) => [permissionMode, by.kind])).toEqual([
      ['plan', 'person'],
      ['default', 'agent'],
    ]);
    expect(played.all('model.changed')).toHaveLength(1);
    expect(sessionView(played.state)).toMatchObject({ permissionMode: 'default', model: 'big' });
  });

  it('the agent’s own id, when it changes', () => {
    const played = new PlayedSession().up();
    played.fact({ type: 'identified', agentSessionId: 'agent-2' });
    played.fact({ type: 'identified', agentSessionId: 'agent-2' });
    expect(played.all('process.identified')).toHaveLength(1);
    expect(sessionView(played.state).agentSessionId).toBe('agent-2');
  });

  it('a new title leaves the labels alone, and the other way round', () => {
    const played = new PlayedSession({ labels: ['a'] });
    played.command({ type: 'change', title: 'New', by: person });
    played.command({ type: 'change', labels: ['b', 'c'], by: person });
    expect(sessionView(played.state)).toMatchObject({ title: 'New', labels: ['b', 'c'] });
  });
});

describe('[ASK2] [ASK4] an interaction, from the state and from the log', () => {
  it('is the same while it is open, parked and decided', () => {
    const { played, id } = asking();
    const same = () => {
      const live = interactionOf(played.state, id);
      if (live === undefined) throw new Error('It is live');
      const view = interactionView(played.state, live);
      expect(interactionFromLog(played.state, played.log)).toEqual(view);
      expect(Interaction.parse(view)).toEqual(view);
      return view;
    };
    expect(same()).toMatchObject({ status: 'open', sessionKey: 'task-1', parked: false });
    expect(pendingView(played.state)).toEqual([same()]);
    played.command({ type: 'park', interactionId: id });
    expect(same().parked).toBe(true);
    played.pass(500);
    played.respond(id, allow());
    expect(same()).toMatchObject({
      status: 'resolved',
      outcome: 'allowed',
      resolvedBy: person,
      resolvedAt: played.now(),
    });
    expect(same()).not.toHaveProperty('deliveredAt');
    expect(pendingView(played.state)).toEqual([]);
  });

  it('after the end it is made from the log alone', () => {
    const { played, id } = asking();
    played.fact({ type: 'withdrawn', agentRequestId: 'r1' });
    const view = interactionFromLog(played.state, played.log);
    expect(view).toMatchObject({
      interactionId: id,
      status: 'resolved',
      outcome: 'withdrawn',
      resolvedBy: { kind: 'agent' },
      resolvedAt: played.now(),
      resolvedReason: 'The agent no longer needs an answer.',
    });
    expect(view).not.toHaveProperty('decision');
    expect(view).not.toHaveProperty('deliveredAt');
  });

  it('there is none without its request', () => {
    expect(interactionFromLog(new PlayedSession().state, [])).toBeUndefined();
  });

  it.each<[Outcome, 'allow' | 'deny' | null]>([
    ['allowed', 'allow'],
    ['denied', 'deny'],
    ['answered', null],
    ['submitted', null],
    ['dismissed', null],
    ['withdrawn', null],
    ['interrupted', null],
    ['expired', null],
    ['lost', null],
  ])('%s is told with the decision %s: only a person or a grant decides', (outcome, decision) => {
    const { played } = asking();
    const [interaction] = pendingView(played.state);
    if (interaction === undefined) throw new Error('It is open');
    const event = {
      type: 'interaction.resolved',
      interactionId: interaction.interactionId,
      outcome,
      by: person,
      delivered: false,
      seq: 9,
      at: played.now(),
    } as const;
    expect(resolvedNotice(interaction, event)).toMatchObject({
      outcome,
      decision,
      kind: 'approval',
      by: person,
    });
  });
});
