import { describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../src/model/command.ts';
import { canSleep, interactionOf, wantsProcess } from '../../src/model/status.ts';
import { interactionFromLog, pendingView, queueView, sessionView } from '../../src/model/views.ts';
import { InteractionId, MessageId } from '../../src/protocol/ids.ts';
import { allow, bashAsk, deployAsk, emailForm, PlayedSession, person } from '../support/session-states.ts';

const working = () => new PlayedSession().up().working();
const deliverLate = (interactionId: InteractionId, text = 'It was approved.'): SessionCommand => ({
  type: 'deliver-late',
  interactionId,
  messageId: MessageId.parse(`late-${interactionId}`),
  text,
});
const leaveOpen = (interactionId: InteractionId, message?: string): SessionCommand => ({
  type: 'leave-open',
  interactionId,
  ...(message === undefined ? {} : { message }),
});
const crash = { type: 'exited', code: 1, signal: null, stderr: [] } as const;

describe('[ASK1] an interactive tool asks', () => {
  it('and the ask belongs to the turn and the process that run, under a request id that no agent uses', () => {
    const played = working();
    const id = played.toolAsks(deployAsk({ expiresAt: '2026-01-01T00:05:00.000Z' }));
    expect(played.last('interaction.requested')).toMatchObject({
      interactionId: id,
      turnId: played.state.turn?.id,
      processId: 'run_1',
      ask: { toolName: 'mcp__beckon__deploy', agentRequestId: `tool:${id}`, tool: { name: 'deploy' } },
      expiresAt: '2026-01-01T00:05:00.000Z',
    });
    expect(sessionView(played.state)).toMatchObject({ status: 'waiting', pendingCount: 1 });
    expect(pendingView(played.state)[0]).toMatchObject({ tool: { callId: 'toolu_1', attempt: 1 } });
  });

  it('out of a turn, of no turn', () => {
    const played = new PlayedSession().up();
    played.toolAsks();
    expect(played.last('interaction.requested').turnId).toBeNull();
  });

  it.each<[string, () => PlayedSession, string]>([
    ['that has no process yet', () => new PlayedSession(), 'agent_not_running'],
    [
      'whose process is being closed',
      () => {
        const played = new PlayedSession().up();
        played.command({ type: 'close-process', cause: 'sleep' });
        return played;
      },
      'agent_not_running',
    ],
    [
      'that is stopped',
      () => {
        const played = working();
        played.command({ type: 'stop', by: person });
        return played;
      },
      'session_stopped',
    ],
    [
      'that has failed',
      () => {
        const played = working();
        played.fact(crash);
        played.up('run_2').working();
        played.fact(crash);
        return played;
      },
      'session_failed',
    ],
  ])('in a session %s it is refused, and nothing is stored', (_, make, code) => {
    const played = make();
    const { length } = played.log;
    const { expiresAt: _limit, ...ask } = deployAsk();
    expect(played.command({ type: 'tool-ask', interactionId: InteractionId.parse('x'), ask })).toMatchObject({
      code,
      message: expect.stringMatching(/\.$/),
    });
    expect(played.log).toHaveLength(length);
  });

  it('[ASK7] the soft limit of the session parks it; the hard one is the business of its tool', () => {
    const played = new PlayedSession({ askTimeout: { softSeconds: 60, hardSeconds: 120 } }).up().working();
    const id = played.toolAsks();
    const requested = played.last('interaction.requested');
    expect(requested.parksAt).toBe('2026-01-01T00:01:00.000Z');
    expect(requested.expiresAt).toBeUndefined();
    played.command({ type: 'park', interactionId: id });
    expect(pendingView(played.state)[0]?.parked).toBe(true);
  });

  it('the agent can neither take it back nor stand in for it', () => {
    const played = working();
    const id = played.toolAsks();
    played.fact({ type: 'withdrawn', agentRequestId: `tool:${id}` });
    expect(interactionOf(played.state, id)).toBeDefined();
    played.asks(bashAsk(`tool:${id}`, 'ls'));
    expect(played.state.interactions.size).toBe(2);
  });
});

describe('[TOOL7] [ASK8] the answer to a tool', () => {
  it.each([
    [undefined, undefined, true],
    [undefined, 'once', true],
    [undefined, 'session', false],
    [undefined, 'always', false],
    [['once', 'always'], 'always', true],
    [['once', 'always'], 'session', false],
    [['session'], undefined, false],
    [['session'], 'session', true],
  ] as const)('with the scopes %j offered, the scope %s is taken: %s', (approvalScopes, scope, isTaken) => {
    const played = working();
    const offered = approvalScopes === undefined ? {} : { approvalScopes: [...approvalScopes] };
    const id = played.toolAsks(deployAsk(offered));
    const refusal = played.respond(id, allow({ scope }));
    if (isTaken) {
      expect(refusal).toBeUndefined();
      expect(played.last('interaction.decided')).toMatchObject({
        outcome: 'allowed',
        decision: { type: 'allow', scope: scope ?? 'once' },
      });
    } else {
      expect(refusal).toMatchObject({ code: 'invalid_value', details: { field: 'scope' } });
      expect(interactionOf(played.state, id)?.decided).toBeNull();
    }
  });

  it('makes no grant, whatever the scope', () => {
    const played = working();
    played.respond(
      played.toolAsks(deployAsk({ approvalScopes: ['session', 'always'] })),
      allow({ scope: 'session' }),
    );
    played.respond(
      played.toolAsks(deployAsk({ approvalScopes: ['session', 'always'] })),
      allow({ scope: 'always' }),
    );
    expect(played.all('grant.created')).toEqual([]);
    expect(played.globalGrants).toEqual([]);
  });

  it.each([
    ['pattern', { pattern: '*' }],
    ['expiresAt', { expiresAt: '2026-01-01T00:05:00Z' }],
    ['updatedInput', { updatedInput: { target: 'elsewhere' } }],
    ['mode', { mode: 'plan' }],
  ])('a "%s" is refused: there is nobody to heed it', (field, more) => {
    const played = working();
    const id = played.toolAsks();
    expect(played.respond(id, allow(more))).toMatchObject({ code: 'invalid_value', details: { field } });
    expect(interactionOf(played.state, id)?.decided).toBeNull();
  });

  it('what is filled in beside an approval is checked, and goes to the tool', () => {
    const played = working();
    const id = played.toolAsks(deployAsk({ form: emailForm }));
    expect(played.respond(id, allow())).toMatchObject({ details: { field: 'input.email' } });
    expect(played.respond(id, allow({ values: { email: 'nobody' } }))).toMatchObject({
      code: 'invalid_answer',
      details: { field: 'input.email' },
    });
    expect(played.respond(id, allow({ values: { email: 'jo@example.org', cc: 'x' } }))).toMatchObject({
      details: { field: 'input.cc' },
    });
    expect(played.respond(id, allow({ values: { email: 'jo@example.org' } }))).toBeUndefined();
    expect(played.last('interaction.decided').decision).toEqual({
      type: 'allow',
      scope: 'once',
      values: { email: 'jo@example.org' },
    });
  });

  it('values where nothing was to be filled in are refused', () => {
    const played = working();
    const id = played.toolAsks();
    expect(played.respond(id, allow({ values: { x: 1 } }))).toMatchObject({ details: { field: 'input' } });
    expect(played.respond(id, allow({ values: {} }))).toBeUndefined();
  });

  it('a form can be submitted, denied and dismissed, an approval not dismissed', () => {
    const form = deployAsk({ kind: 'form', form: emailForm });
    const played = working();
    const submitted = played.toolAsks(form);
    played.respond(submitted, { type: 'submit', values: { email: 'jo@example.org' } });
    expect(played.last('interaction.decided').outcome).toBe('submitted');
    played.respond(played.toolAsks(form), { type: 'deny', interrupt: false });
    expect(played.last('interaction.decided').outcome).toBe('denied');
    played.respond(played.toolAsks(form), { type: 'cancel' });
    expect(played.last('interaction.decided').outcome).toBe('dismissed');
    expect(played.respond(played.toolAsks(form), allow())?.code).toBe('invalid_value');
    expect(played.respond(played.toolAsks(), { type: 'cancel' })?.code).toBe('invalid_value');
  });
});

describe('[ASK4] the end of a tool’s ask that nobody answered', () => {
  const end = (interactionId: InteractionId, outcome: 'expired' | 'withdrawn'): SessionCommand => ({
    type: 'end-ask',
    interactionId,
    outcome,
    reason: 'The tool gave up.',
  });

  it.each([
    ['expired', 'timer'],
    ['withdrawn', 'agent'],
  ] as const)('%s is told as such', (outcome, kind) => {
    const played = working();
    const id = played.toolAsks();
    expect(played.command(end(id, outcome))).toBeUndefined();
    expect(played.last('interaction.resolved')).toMatchObject({
      outcome,
      by: { kind },
      reason: 'The tool gave up.',
      delivered: false,
    });
    expect(played.state.interactions.size).toBe(0);
  });

  it('is refused after an answer, after another end, and for what no tool asked', () => {
    const played = working();
    const decided = played.toolAsks();
    played.respond(decided, allow());
    expect(played.command(end(decided, 'expired'))).toMatchObject({
      code: 'interaction_already_resolved',
      details: { outcome: 'allowed' },
    });
    const agents = played.asks(bashAsk('r1', 'ls'));
    expect(played.command(end(agents, 'withdrawn'))?.code).toBe('interaction_not_found');
    const over = played.toolAsks();
    played.command(end(over, 'withdrawn'));
    expect(played.command(end(over, 'expired'))?.code).toBe('interaction_not_found');
    const left = played.toolAsks();
    played.command(leaveOpen(left));
    expect(played.command(end(left, 'withdrawn'))?.code).toBe('interaction_gone');
    expect(pendingView(played.state).map(({ interactionId }) => interactionId)).toEqual([agents, left]);
  });

  it('a call that the agent drops while it is interrupted was interrupted', () => {
    const played = working();
    const id = played.toolAsks();
    played.command({ type: 'interrupt', by: person });
    played.command(end(id, 'withdrawn'));
    expect(played.last('interaction.resolved')).toMatchObject({
      outcome: 'interrupted',
      reason: 'The turn was interrupted.',
    });
  });

  it.each([
    ['interrupted', 'interrupted', true],
    ['failed', 'failed', false],
    ['completed', 'completed', false],
  ] as const)('a turn that ends as %s settles it: %s → %s', (outcome, _, isSettled) => {
    const played = working();
    const open = played.toolAsks();
    const decided = played.toolAsks();
    played.respond(decided, allow());
    const left = played.toolAsks();
    played.command(leaveOpen(left));
    played.fact({ type: 'turn-ended', outcome });
    const ends = played.all('interaction.resolved');
    expect(ends).toMatchObject(isSettled ? [{ interactionId: open, outcome: 'interrupted' }] : []);
    expect(played.liveIds()).toEqual(isSettled ? [decided, left] : [open, decided, left]);
  });

  it('[ASK5] with the process it is lost; what was left open is not', () => {
    const played = working();
    const open = played.toolAsks();
    const left = played.toolAsks();
    played.command(leaveOpen(left));
    const answered = played.toolAsks();
    played.command(leaveOpen(answered));
    played.respond(answered, allow());
    played.fact(crash);
    expect(played.all('interaction.resolved')).toMatchObject([{ interactionId: open, outcome: 'lost' }]);
    expect(played.liveIds()).toEqual([left, answered]);
  });

  it('a stop settles everything', () => {
    const played = working();
    const open = played.toolAsks();
    const left = played.toolAsks();
    played.command(leaveOpen(left));
    const answered = played.toolAsks();
    played.command(leaveOpen(answered));
    played.respond(answered, allow());
    played.command({ type: 'stop', by: person });
    expect(played.all('interaction.resolved')).toMatchObject([
      { interactionId: open, outcome: 'interrupted' },
      { interactionId: left, outcome: 'interrupted' },
      { interactionId: answered, outcome: 'lost', reason: expect.stringContaining('recorded') },
    ]);
    played.command(deliverLate(answered));
    expect(played.all('message.queued').map(({ text }) => text)).toEqual(['go on']);
  });
});

describe('[TOOL6] left open', () => {
  it('the agent is free and the session may sleep; the ask still counts, without a limit', () => {
    const played = working();
    const id = played.toolAsks(deployAsk({ expiresAt: '2026-01-01T00:05:00.000Z' }));
    expect(played.command(leaveOpen(id, 'I asked the team.'))).toBeUndefined();
    expect(sessionView(played.state)).toMatchObject({ status: 'running', pendingCount: 1 });
    const [view] = pendingView(played.state);
    expect(view).toMatchObject({ leftOpen: { cause: 'tool', message: 'I asked the team.' }, status: 'open' });
    expect(view).not.toHaveProperty('expiresAt');
    expect(interactionFromLog(played.state, played.log)).toEqual(view);

    played.fact({ type: 'turn-ended', outcome: 'completed' });
    expect(canSleep(played.state)).toBe(true);
    played.command({ type: 'close-process', cause: 'sleep' });
    played.fact({ ...crash, code: 0 });
    expect(sessionView(played.state)).toMatchObject({
      status: 'asleep',
      waitingOn: 'nothing',
      pendingCount: 1,
    });
    expect(played.command({ type: 'reopen', by: person })).toBeUndefined();
    expect(wantsProcess(played.state)).toBe(true);
  });

  it('is not parked, and can be left only once', () => {
    const played = working();
    const id = played.toolAsks();
    played.command(leaveOpen(id, 'first'));
    played.command({ type: 'park', interactionId: id });
    const { length } = played.log;
    expect(played.command(leaveOpen(id))).toBeUndefined();
    expect(played.command(leaveOpen(id, 'first'))).toBeUndefined();
    expect(played.log).toHaveLength(length);
    played.command(leaveOpen(id, 'second'));
    expect(interactionOf(played.state, id)?.leftOpen).toEqual({ cause: 'tool', message: 'second' });
  });

  it('is refused after an answer', () => {
    const played = working();
    const id = played.toolAsks();
    played.respond(id, { type: 'deny', interrupt: false });
    expect(played.command(leaveOpen(id))).toMatchObject({
      code: 'interaction_already_resolved',
      details: { outcome: 'denied' },
    });
    expect(played.command(leaveOpen(InteractionId.parse('nothing')))?.code).toBe('interaction_not_found');
  });

  it('what takes the place of one that was left open is left open, though the agent sleeps', () => {
    const played = working();
    const first = played.toolAsks();
    played.command(leaveOpen(first, 'I asked the team.'));
    played.fact({ type: 'turn-ended', outcome: 'completed' });
    played.command({ type: 'close-process', cause: 'sleep' });
    played.fact({ ...crash, code: 0 });
    played.respond(first, allow());
    const second = played.toolAsks(
      deployAsk({
        expiresAt: '2026-01-01T00:05:00.000Z',
        tool: { name: 'deploy', callId: 'toolu_1', attempt: 2, replaces: first },
      }),
    );
    expect(interactionOf(played.state, second)?.leftOpen).toEqual({
      cause: 'tool',
      message: 'I asked the team.',
    });
    expect(played.state.status).toBe('asleep');
  });

  it('an ask that takes the place of an answered one that was waited for is waited for', () => {
    const played = working();
    const first = played.toolAsks();
    played.respond(first, allow());
    const second = played.toolAsks(
      deployAsk({ tool: { name: 'deploy', callId: 'toolu_1', attempt: 2, replaces: first } }),
    );
    expect(interactionOf(played.state, second)?.leftOpen).toBeNull();
  });
});

describe('[TOOL6] an answer after the call', () => {
  const left = (played: PlayedSession): InteractionId => {
    const id = played.toolAsks();
    played.command(leaveOpen(id));
    return id;
  };

  it('becomes one message of the person who answered, sent when the turn ends', () => {
    const played = working();
    const id = left(played);
    const other = { kind: 'person', where: 'phone' } as const;
    played.respond(id, allow(), other);
    expect(played.command(deliverLate(id))).toBeUndefined();
    expect(played.last('interaction.resolved')).toMatchObject({
      interactionId: id,
      outcome: 'allowed',
      by: other,
      delivered: true,
    });
    expect(played.last('message.queued')).toMatchObject({
      text: 'It was approved.',
      answers: id,
      disposition: 'auto',
      applied: 'queue',
      by: other,
    });
    played.command(deliverLate(id));
    expect(played.all('message.queued')).toHaveLength(2);
    played.fact({ type: 'turn-ended', outcome: 'completed' });
    expect(played.last('message.sending').messageId).toBe(`late-${id}`);
  });

  it('to an idle agent is sent at once, a sleeping one is woken', () => {
    const idle = new PlayedSession().up();
    const first = left(idle);
    idle.respond(first, allow());
    idle.command(deliverLate(first));
    expect(idle.last('message.queued').applied).toBe('send');
    expect(idle.last('message.sending').messageId).toBe(`late-${first}`);

    const asleep = new PlayedSession().up();
    const second = left(asleep);
    asleep.command({ type: 'close-process', cause: 'sleep' });
    asleep.fact({ ...crash, code: 0 });
    asleep.respond(second, allow());
    asleep.command(deliverLate(second));
    expect(asleep.state).toMatchObject({ wake: 'message', status: 'starting' });
    expect(wantsProcess(asleep.state)).toBe(true);
  });

  it('to a failed session waits until it is resumed', () => {
    const played = working();
    const id = left(played);
    played.fact(crash);
    played.up('run_2').working();
    played.fact(crash);
    expect(played.state.status).toBe('failed');
    expect(played.respond(id, allow())).toBeUndefined();
    played.command(deliverLate(id));
    expect(queueView(played.state)).toMatchObject([{ message: 'It was approved.' }]);
    expect(played.state).toMatchObject({ status: 'failed', wake: null });
    played.command({ type: 'reopen', by: person });
    played.up('run_3');
    expect(played.last('message.sending').messageId).toBe(`late-${id}`);
  });

  it('is nothing before the answer, and nothing for an id that never was', () => {
    const played = working();
    const id = left(played);
    const { length } = played.log;
    played.command(deliverLate(id));
    played.command(deliverLate(InteractionId.parse('nothing')));
    expect(played.log).toHaveLength(length);
  });
});

describe('[SES10] the end of the server', () => {
  const withAll = () => {
    const played = working();
    const open = played.toolAsks();
    const decided = played.toolAsks();
    played.respond(decided, allow());
    const left = played.toolAsks();
    played.command(leaveOpen(left, 'by the tool'));
    const agents = played.asks(bashAsk('r1', 'ls'));
    return { played, open, decided, left, agents };
  };

  it.each<[string, SessionCommand]>([
    ['found at the next start', { type: 'lose-process', reason: 'The server ended.' }],
    ['in order', { type: 'close-process', cause: 'shutdown' }],
    ['while the agent lives on', { type: 'lose-tools' }],
  ])('%s: what tools asked stays open for a late answer', (_, command) => {
    const { played, open, decided, left } = withAll();
    played.command(command);
    expect(interactionOf(played.state, open)?.leftOpen).toEqual({ cause: 'server-ended' });
    expect(interactionOf(played.state, decided)).toMatchObject({
      leftOpen: { cause: 'server-ended' },
      decided: { outcome: 'allowed' },
    });
    expect(interactionOf(played.state, left)?.leftOpen).toEqual({ cause: 'tool', message: 'by the tool' });
    played.command(deliverLate(decided, 'as it was given'));
    expect(played.last('message.queued')).toMatchObject({ answers: decided, text: 'as it was given' });
  });

  it('what the agent itself asked is lost with it', () => {
    const { played, agents } = withAll();
    played.command({ type: 'lose-process', reason: 'The server ended.' });
    expect(played.all('interaction.resolved')).toMatchObject([{ interactionId: agents, outcome: 'lost' }]);
    expect(played.state.status).toBe('asleep');
  });
});

describe('[TOOL7] approvals that a tool keeps', () => {
  const keep = (key: string, n = 1): SessionCommand => ({
    type: 'keep-approval',
    grantId: allow().grantId,
    toolName: 'deploy',
    key: `${key}${n === 1 ? '' : n}`,
    by: person,
  });

  it('are grants of the session under a key, once each, and end with it or by the tool’s word', () => {
    const played = working();
    played.command(keep('production'));
    played.command(keep('production'));
    expect(played.state.grants).toMatchObject([
      { toolName: 'deploy', pattern: 'production', literal: true, subjectKind: 'key', scope: 'session' },
    ]);
    played.command({ type: 'forget-approvals', toolName: 'other', by: person });
    expect(played.state.grants).toHaveLength(1);
    played.command({ type: 'forget-approvals', toolName: 'deploy', by: person });
    expect(played.last('grant.ended')).toMatchObject({ cause: 'revoked' });
    expect(played.state.grants).toEqual([]);
    played.command({ type: 'stop', by: person });
    expect(played.command(keep('production'))?.code).toBe('session_stopped');
  });

  it('[GRANT1] answer nothing that an agent asks, whatever it is called', () => {
    const played = working();
    played.command(keep('{"command":"ls"}'));
    played.command({ ...keep('ls'), toolName: 'Bash' } as SessionCommand);
    played.asks({ ...bashAsk('r1', 'ls'), toolName: 'deploy' });
    const { subject: _, ...plain } = bashAsk('r2', 'ls');
    played.asks({ ...plain, toolName: 'deploy' });
    played.asks(bashAsk('r3', 'ls'));
    expect(played.all('interaction.decided')).toEqual([]);
  });
});
