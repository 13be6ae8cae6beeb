import { describe, expect, it } from 'vitest';
import { GrantId, type InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { ToolAccess } from '../../src/runner/ports/agent-driver.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, other, person } from '../support/engine-room.ts';
import { bashAsk, deployAsk, emailForm } from '../support/session-states.ts';
import { ToolRun } from '../support/tool-runs.ts';

endRoomsAfterEach();

const working = async (settings: Parameters<typeof openRoom>[0] = {}) => {
  const room = await openRoom(settings);
  const [id, agent] = await room.running();
  return { room, id, agent, run: new ToolRun(room, id) };
};

const respond = (room: EngineRoom, session: string, interactionId: string, more: object) =>
  room.do('respond', { session, interactionId, ...more });

describe('[TOOL11] an agent that starts', () => {
  it('is told where the tools are, asked anew at each start', async () => {
    const offered: (ToolAccess | null)[] = [
      { url: 'http://127.0.0.1:1/mcp/x', key: 'k1', unasked: ['deploy'] },
      null,
    ];
    const asked: string[] = [];
    const room = await openRoom({
      toolAccess: (sessionId) => {
        asked.push(sessionId);
        return offered.shift() ?? null;
      },
    });
    const [id, agent] = await room.idle();
    expect(agent.start.tools).toMatchObject({ key: 'k1' });
    await room.do('stop', { session: id });
    await room.do('resume', { session: id });
    await room.until('another start', () => room.driver.agents.length === 2);
    expect(room.driver.agent(id).start.tools).toBeNull();
    expect(asked).toEqual([id, id]);
  });

  it('is told of none where there are none', async () => {
    const room = await openRoom();
    const [, agent] = await room.idle();
    expect(agent.start.tools).toBeNull();
  });
});

describe('[ASK2] [ASK5] a tool asks', () => {
  it('everyone is told, the answer is stored before the tool hears it, and the agent is not written to', async () => {
    const { room, id, agent, run } = await working();
    const asked = await run.asks();
    expect(room.announcements('approval-requested')).toMatchObject([
      { data: { interactionId: asked, tool: { name: 'deploy' }, sessionId: id } },
    ]);
    const [pending] = (await room.do('listPending')).body.pending as Interaction[];
    expect(pending).toMatchObject({ interactionId: asked, kind: 'approval', toolCallId: 'toolu_1' });
    let storedFirst = false;
    run.reply = async () => {
      storedFirst = room.all(id, 'interaction.decided').length === 1;
      return null;
    };
    const { body } = await room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    expect(body.interaction).toMatchObject({ outcome: 'allowed' });
    expect(await run.end()).toEqual({
      kind: 'decided',
      decision: { type: 'allow', scope: 'once' },
      outcome: 'allowed',
      by: person.actor,
    });
    expect(storedFirst).toBe(true);
    expect(await room.event(id, 'interaction.resolved')).toMatchObject({ delivered: true });
    expect(await room.interaction(id, asked)).toMatchObject({
      status: 'resolved',
      deliveredAt: expect.any(String),
    });
    expect(agent.answers()).toEqual([]);
    expect(room.all(id, 'message.queued').map(({ text }) => text)).toEqual(['go on']);
  });

  it('the listener is not called before the tool knows the id of its ask', async () => {
    const { room, id, run } = await working();
    const order: string[] = [];
    run.reply = async () => {
      order.push('answer');
      return null;
    };
    room.engine.listen((news) => {
      if (news.kind !== 'announcement' || news.announcement.type !== 'approval-requested') return;
      const requestId = news.announcement.data.interactionId;
      void room.do('approve', { session: id, requestId, decision: 'allow' });
    });
    const asked = room.engine.tools.ask(run.sessionId, deployAsk(), run.listener);
    await asked.then(() => order.push('id'));
    await run.end();
    expect(order).toEqual(['id', 'answer']);
  });

  it.each([
    ['an unknown session', 'nobody', 'session_not_found'],
    ['a session that sleeps', 'asleep', 'agent_not_running'],
    ['a session that is stopped', 'stopped', 'session_stopped'],
  ])('in %s it is refused, and nobody waits for it', async (_, which, code) => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    if (which === 'stopped') await room.do('stop', { session: id });
    if (which === 'asleep') {
      agent.exit(0);
      await room.event(id, 'process.exited');
    }
    const run = new ToolRun(room, which === 'nobody' ? 'ses_nobody' : id);
    const asked = await room.engine.tools.ask(run.sessionId, deployAsk(), run.listener);
    expect(asked).toMatchObject({ ok: false, refusal: { code, message: expect.stringMatching(/\.$/) } });
    expect(waitingIn(room)).toBe(0);
    expect(run.heard).toEqual([]);
  });

  it('[ASK3] of two answers at once one wins, and the tool hears it once', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks();
    const answers = await Promise.all([
      room.engine.dispatch('approve', { session: id, requestId: asked, decision: 'allow' }, person),
      room.engine.dispatch('deny', { session: id, requestId: asked }, other),
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false]);
    expect(answers[1]).toMatchObject({
      refusal: { code: 'interaction_already_resolved', details: { outcome: 'allowed' } },
    });
    await room.event(id, 'interaction.resolved');
    expect(run.heard).toMatchObject([{ kind: 'decided', outcome: 'allowed' }]);
  });

  it('[ASK8] only the scopes that it offers are taken; the field is named as it was sent', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks(deployAsk({ approvalScopes: ['once', 'session'] }));
    const allow = { session: id, requestId: asked, decision: 'allow', scope: 'always' };
    expect(await room.refused('approve', allow)).toMatchObject({
      code: 'invalid_value',
      details: { field: 'scope', offered: ['once', 'session'] },
    });
    const approve = { session: id, interactionId: asked, action: 'approve', approvalScope: 'always' };
    expect(await room.refused('respond', approve)).toMatchObject({ details: { field: 'approvalScope' } });
    await respond(room, id, asked, { action: 'approve', approvalScope: 'session' });
    expect(await run.end()).toMatchObject({ decision: { scope: 'session' } });
    expect((await room.do('listGrants')).body.grants).toEqual([]);
  });

  it('[ASK6] what is filled in beside an approval reaches the tool, checked', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks(deployAsk({ form: emailForm }));
    const bad = { session: id, interactionId: asked, action: 'approve' };
    expect(await room.refused('respond', { ...bad, input: ['x'] })).toMatchObject({
      details: { field: 'input' },
    });
    expect(await room.refused('respond', { ...bad, input: { email: 'x' } })).toMatchObject({
      details: { field: 'input.email' },
    });
    expect(await room.refused('approve', { session: id, requestId: asked, decision: 'allow' })).toMatchObject(
      { details: { field: 'input.email' } },
    );
    await respond(room, id, asked, { action: 'approve', input: { email: 'jo@example.org' } });
    expect(await run.end()).toMatchObject({ decision: { values: { email: 'jo@example.org' } } });
  });

  it('the call may be named beside the interaction, and must fit', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks(
      deployAsk({ toolCallId: 'toolu_9', tool: { name: 'deploy', callId: 'run_9', attempt: 1 } }),
    );
    const deny = { session: id, interactionId: asked, action: 'deny' };
    expect(await room.refused('respond', { ...deny, callId: 'another' })).toMatchObject({
      code: 'interaction_not_found',
    });
    await respond(room, id, asked, { action: 'deny', callId: 'run_9' });
    const second = await run.asks(deployAsk({ toolCallId: 'toolu_9' }));
    await respond(room, id, second, { action: 'deny', callId: 'toolu_9' });
  });

  it('by the id of the call the newest open ask is meant', async () => {
    const { room, id, run } = await working();
    const first = await run.asks();
    const second = await run.asks();
    const deny = { session: id, toolCallId: 'toolu_1' };
    expect((await room.do('deny', deny)).body.interaction).toMatchObject({ interactionId: second });
    expect((await room.do('deny', deny)).body.interaction).toMatchObject({ interactionId: first });
    expect((await room.refused('deny', deny)).code).toBe('interaction_already_resolved');
  });

  it('[SES5] deny and interrupt: the tool hears the denial, and the agent is interrupted', async () => {
    const { room, id, agent, run } = await working();
    const asked = await run.asks();
    await room.do('deny', { session: id, requestId: asked, interrupt: true });
    expect(await run.end()).toMatchObject({ kind: 'decided', outcome: 'denied' });
    await room.until('the interrupt', () => agent.kinds().includes('interrupt'));
    expect((await room.session(id)).interrupting).not.toBeNull();
  });

  it('[ASK7] the time limit is the tool’s: the clock of the engine leaves it alone, and parks it', async () => {
    const { room, id, run } = await working({
      settings: { askTimeout: { softSeconds: 60, hardSeconds: 120 } },
    });
    const asked = await run.asks(deployAsk({ expiresAt: '2026-01-01T00:05:00.000Z' }));
    room.clock.pass(3_600_000);
    await room.event(id, 'interaction.parked');
    expect(await room.interaction(id, asked)).toMatchObject({ status: 'open', parked: true });
  });
});

describe('[ASK4] the end of an ask that nobody answered reaches the tool once', () => {
  const endings: [
    string,
    (at: Awaited<ReturnType<typeof working>>, asked: InteractionId) => Promise<unknown>,
    string,
  ][] = [
    ['the tool gives up', ({ room, run }, asked) => give(room, run, asked, 'expired'), 'expired'],
    ['the tool takes it back', ({ room, run }, asked) => give(room, run, asked, 'withdrawn'), 'withdrawn'],
    [
      'the turn is interrupted',
      async ({ room, id, agent }) => {
        await room.do('interrupt', { session: id });
        agent.end('interrupted');
      },
      'interrupted',
    ],
    ['the agent dies', async ({ agent }) => agent.exit(1), 'lost'],
    ['the session is stopped', ({ room, id }) => room.do('stop', { session: id }), 'interrupted'],
  ];

  it.each(endings)('%s', async (_, act, outcome) => {
    const at = await working();
    const { room, id, run } = at;
    const asked = await run.asks();
    await act(at, asked);
    expect(await run.end()).toMatchObject({ kind: 'ended', outcome, reason: expect.stringMatching(/\.$/) });
    const late = { session: id, requestId: asked, decision: 'allow' };
    expect(await room.refused('approve', late)).toMatchObject({
      code: 'interaction_gone',
      details: { outcome },
    });
    await room.drained(id);
    expect(run.heard).toHaveLength(1);
    expect(waitingIn(room)).toBe(0);
    expect(room.announcements('approval-resolved')).toMatchObject([{ data: { requestId: asked, outcome } }]);
  });

  it('an answer that comes before the tool gives up wins, and the tool is told so', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks();
    const [answered, gaveUp, left] = await Promise.all([
      room.do('approve', { session: id, requestId: asked, decision: 'allow' }),
      room.engine.tools.end(run.sessionId, asked, { outcome: 'expired', reason: 'Too late.' }),
      room.engine.tools.leaveOpen(run.sessionId, asked, undefined),
    ]);
    expect(answered.status).toBe(200);
    expect(gaveUp).toMatchObject({ refusal: { code: 'interaction_already_resolved' } });
    expect(left).toMatchObject({ refusal: { code: 'interaction_already_resolved' } });
    expect(await run.end()).toMatchObject({ kind: 'decided', outcome: 'allowed' });
    await room.event(id, 'interaction.resolved');
    expect(run.heard).toHaveLength(1);
  });

  it('a listener that fails harms nobody', async () => {
    const { room, id, run } = await working();
    run.reply = () => {
      throw new Error('a bug in the tool');
    };
    await run.asks();
    const second = new ToolRun(room, id);
    await second.asks();
    await room.do('interrupt', { session: id });
    room.driver.agent(id).end('interrupted');
    await second.end();
    expect(run.heard).toHaveLength(1);
    await room.until('a complaint', () => room.complaints.some((text) => text.includes('a bug in the tool')));
  });

  it('a thousand asks leave nobody waiting', async () => {
    const { room, id, run } = await working();
    for (let round = 1; round <= 20; round += 1) {
      const asked = await Promise.all(Array.from({ length: 50 }, () => run.asks()));
      expect(waitingIn(room)).toBe(50);
      await Promise.all(
        asked.map((interactionId, n) =>
          n % 2 === 0
            ? room.do('approve', { session: id, requestId: interactionId, decision: 'allow' })
            : room.engine.tools.end(run.sessionId, interactionId, { outcome: 'withdrawn', reason: 'Gone.' }),
        ),
      );
      await room.until('all ends', () => run.heard.length === round * 50);
      expect(waitingIn(room)).toBe(0);
    }
    expect((await room.session(id)).pendingCount).toBe(0);
  });
});

describe('[TOOL9] what runs for a session must end', () => {
  const watched = async () => {
    const at = await working();
    const ends: [string, string][] = [];
    const leave = at.room.engine.tools.onRunEnd((sessionId, reason) => void ends.push([sessionId, reason]));
    return { ...at, ends, leave };
  };

  it('when its turn was interrupted, its agent has ended, or it was stopped', async () => {
    const { room, id, agent, ends, run } = await watched();
    await room.do('interrupt', { session: id });
    expect(ends).toEqual([]);
    agent.end('interrupted');
    await room.event(id, 'turn.ended');
    expect(ends).toEqual([[id, 'The turn was interrupted.']]);
    await run.asks();
    agent.exit(1);
    await run.end();
    expect(ends[1]).toEqual([id, 'The agent ended by itself with exit code 1.']);
    await room.until('the restart', () => room.driver.agents.length === 2);
    await room.do('stop', { session: id });
    await room.until('the second exit', () => room.all(id, 'process.exited').length === 2);
    expect(ends.slice(2)).toEqual([
      [id, 'The session was stopped.'],
      [id, 'The session was stopped.'],
    ]);
  });

  it('and not when the turn ended by itself; whoever left is not told', async () => {
    const { room, id, agent, ends, leave } = await watched();
    agent.end();
    await room.event(id, 'turn.ended');
    leave();
    await room.do('stop', { session: id });
    expect(ends).toEqual([]);
  });

  it('its asks are told first, and a listener that fails does not keep it from the others', async () => {
    const { room, id, run } = await working();
    const order: string[] = [];
    run.reply = async ({ kind }) => {
      order.push(kind);
      return null;
    };
    room.engine.tools.onRunEnd(() => {
      throw new Error('a bug');
    });
    room.engine.tools.onRunEnd(() => void order.push('run'));
    await run.asks();
    room.driver.agent(id).exit(1);
    await room.event(id, 'process.exited');
    expect(order).toEqual(['ended', 'run']);
  });
});

describe('[TOOL6] left open', () => {
  it('everyone is told, the agent is free, and the answer reaches it as one message', async () => {
    const { room, id, agent, run } = await working();
    const asked = await run.asks();
    expect((await room.session(id)).status).toBe('waiting');
    await run.leavesOpen(asked, 'I have asked the team.');
    expect(room.announcements('approval-updated')).toMatchObject([
      { data: { interactionId: asked, leftOpen: { cause: 'tool', message: 'I have asked the team.' } } },
    ]);
    expect(await room.session(id)).toMatchObject({ status: 'running', pendingCount: 1 });
    agent.end();
    await room.event(id, 'turn.ended');
    run.reply = async () => ({ text: 'The team has approved.' });
    await room.do('approve', { session: id, requestId: asked, decision: 'allow' }, other);
    await room.until('the message', () => agent.sent().length === 2);
    expect(agent.sent()[1]).toMatchObject({ text: 'The team has approved.' });
    expect(room.all(id, 'message.queued')[1]).toMatchObject({ answers: asked, by: other.actor });
    expect(room.all(id, 'interaction.resolved')).toMatchObject([
      { interactionId: asked, outcome: 'allowed', by: other.actor, delivered: true },
    ]);
    expect(waitingIn(room)).toBe(0);
  });

  it('a sleeping agent is woken by the answer', async () => {
    const { room, id, agent, run } = await working({ settings: { idleMs: 60_000 } });
    const asked = await run.asksAndLeaves();
    agent.end();
    await room.event(id, 'turn.ended');
    room.clock.pass(120_000);
    await room.event(id, 'process.exited');
    expect(await room.session(id)).toMatchObject({ status: 'asleep', pendingCount: 1 });
    expect(run.heard).toEqual([]);
    run.reply = async () => ({ text: 'Approved.' });
    await room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    await room.until('another start', () => room.driver.agents.length === 2);
    room.driver.agent(id).ready();
    await room.until('the message', () => room.driver.agent(id).sent()[0]?.text === 'Approved.');
  });

  it('it survives the death of its agent, and is not lost with it', async () => {
    const { room, id, agent, run } = await working();
    const asked = await run.asksAndLeaves();
    agent.exit(1);
    await room.event(id, 'process.exited');
    expect(run.heard).toEqual([]);
    expect(await room.interaction(id, asked)).toMatchObject({ status: 'open', leftOpen: { cause: 'tool' } });
  });

  it('nothing to say yet: the ask is over without a message, and another may take its place', async () => {
    const { room, id, run } = await working();
    const asked = await run.asksAndLeaves();
    let second: string | undefined;
    run.reply = async () => {
      second = await run.asks(
        deployAsk({ tool: { name: 'deploy', callId: 'toolu_1', attempt: 2, replaces: asked } }),
      );
      return null;
    };
    await room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    await room.event(id, 'interaction.resolved', ({ interactionId }) => interactionId === asked);
    expect(room.all(id, 'message.queued')).toHaveLength(1);
    expect(await room.interaction(id, second ?? '')).toMatchObject({
      status: 'open',
      leftOpen: { cause: 'tool' },
    });
    run.reply = async () => ({ text: 'Now it is done.' });
    await room.do('approve', { session: id, requestId: second, decision: 'allow' });
    await room.event(id, 'message.queued', ({ text }) => text === 'Now it is done.');
  });

  it.each<[string, () => Promise<{ text: string } | null>]>([
    [
      'throws',
      () => {
        throw new Error('a bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a bug'))],
    ['says nothing but blanks', async () => ({ text: ' \n' })],
  ])('a tool that %s: the answer goes to the agent as it was given', async (_, reply) => {
    const { room, id, run } = await working();
    run.reply = reply;
    const asked = await run.asksAndLeaves(deployAsk({ kind: 'form', form: emailForm, title: 'Whom to?' }));
    await respond(room, id, asked, { action: 'submit', input: { email: 'jo@example.org' } });
    expect(await room.event(id, 'message.queued', ({ answers }) => answers === asked)).toMatchObject({
      text: 'Answer to your earlier question "Whom to?": jo@example.org',
    });
    expect(await room.interaction(id, asked)).toMatchObject({ outcome: 'submitted' });
    expect(run.heard).toHaveLength(1);
  });

  it('a tool that takes for ever holds up nothing; a stop ends it, and what it says then is not sent', async () => {
    const { room, id, agent, run } = await working();
    const { promise, resolve } = Promise.withResolvers<{ text: string }>();
    run.reply = () => promise;
    const asked = await run.asksAndLeaves();
    await room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    await run.end();
    expect(await room.interaction(id, asked)).toMatchObject({ status: 'resolved', outcome: 'allowed' });
    agent.end();
    await room.event(id, 'turn.ended');
    await room.do('sendMessage', { session: id, message: 'meanwhile' });
    await room.until('the message', () => agent.sent().at(-1)?.text === 'meanwhile');
    await room.do('stop', { session: id });
    expect(room.all(id, 'interaction.resolved')).toMatchObject([
      { outcome: 'lost', reason: expect.stringContaining('The session was stopped.') },
    ]);
    resolve({ text: 'at last' });
    await promise;
    await room.drained(id);
    expect(room.all(id, 'message.queued').map(({ text }) => text)).toEqual(['go on', 'meanwhile']);
  });

  it('a stop while it is open ends it for the tool, too', async () => {
    const { room, id, run } = await working();
    const asked = await run.asksAndLeaves();
    await room.do('stop', { session: id });
    expect(await run.end()).toMatchObject({ kind: 'ended', outcome: 'interrupted' });
    expect(waitingIn(room)).toBe(0);
    expect(await room.refused('approve', { session: id, requestId: asked, decision: 'allow' })).toMatchObject(
      { code: 'interaction_gone', details: { outcome: 'interrupted' } },
    );
  });

  it('an answer in the same breath as the leaving is a late one, and the tool knows by then', async () => {
    const { room, id, run } = await working();
    const asked = await run.asks();
    const order: string[] = [];
    run.reply = async () => {
      order.push('answer');
      return { text: 'late' };
    };
    const leaving = room.engine.tools.leaveOpen(run.sessionId, asked, undefined);
    const answering = room.do('approve', { session: id, requestId: asked, decision: 'allow' });
    expect(await leaving.finally(() => order.push('left'))).toMatchObject({ ok: true });
    await answering;
    await room.event(id, 'message.queued', ({ text }) => text === 'late');
    expect(order).toEqual(['left', 'answer']);
  });

  it('[TOOL8] a waiting tool that throws at the answer: the answer is not lost', async () => {
    const { room, id, run } = await working();
    run.reply = () => {
      throw new Error('a bug');
    };
    const asked = await run.asks();
    await room.do('deny', { session: id, requestId: asked, reason: 'Not today.' });
    expect(await room.event(id, 'message.queued', ({ answers }) => answers === asked)).toMatchObject({
      text: 'Answer to your earlier question "Deploy to production?": denied. Not today.',
    });
  });
});

describe('[TOOL7] approvals under a tool’s own keys', () => {
  const set = (room: EngineRoom, id: string, scope: 'session' | 'always', key = 'production') =>
    room.engine.tools.setApproval(SessionId.parse(id), {
      toolName: 'deploy',
      key,
      scope,
      by: person.actor,
    });
  const get = (room: EngineRoom, id: string, key = 'production', toolName = 'deploy') =>
    room.engine.tools.approval(SessionId.parse(id), toolName, key);

  it('for the session: listed, held by that session alone, gone with it', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const [another] = await room.idle();
    expect(await set(room, id, 'session')).toEqual({ ok: true, value: undefined });
    expect(get(room, id)).toBe('session');
    expect(get(room, id, 'staging')).toBeUndefined();
    expect(get(room, id, 'production', 'other')).toBeUndefined();
    expect(get(room, another)).toBeUndefined();
    expect((await room.do('listGrants')).body.grants).toMatchObject([
      { toolName: 'deploy', pattern: 'production', subjectKind: 'key', scope: 'session', sessionId: id },
    ]);
    await room.do('stop', { session: id });
    expect(get(room, id)).toBeUndefined();
    expect(await set(room, id, 'session')).toMatchObject({ refusal: { code: 'session_stopped' } });
  });

  it('for good: stored once for all sessions, kept across a restart, revoked as any grant', async () => {
    const room = await openRoom({ run: 'a' });
    const [id] = await room.idle();
    const [another] = await room.idle();
    await Promise.all([set(room, id, 'always'), set(room, another, 'always')]);
    expect(get(room, another)).toBe('always');
    await room.engine.close();
    const second = await openRoom({ log: room.log, clock: room.clock, run: 'b' });
    expect(get(second, id)).toBe('always');
    const grants = (await second.do('listGrants')).body.grants as { id: string }[];
    expect(grants).toHaveLength(1);
    await second.do('revokeGrant', { grantId: grants[0]?.id });
    expect(get(second, id)).toBeUndefined();
  });

  it('one that is revoked or forgotten no longer holds; forgetting leaves what stands for good', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    await set(room, id, 'session');
    const [grant] = (await room.do('listGrants')).body.grants as { id: string }[];
    await room.do('revokeGrant', { grantId: grant?.id });
    expect(get(room, id)).toBeUndefined();
    await set(room, id, 'session');
    await set(room, id, 'always', 'staging');
    await room.engine.tools.clearApprovals(SessionId.parse(id), 'deploy', person.actor);
    expect(get(room, id)).toBeUndefined();
    expect(get(room, id, 'staging')).toBe('always');
    expect(
      await room.engine.tools.clearApprovals(SessionId.parse('ses_none'), 'deploy', person.actor),
    ).toMatchObject({ refusal: { code: 'session_not_found' } });
  });

  it('are apart from what an agent was granted, and a preview of a grant shows nothing that tools asked', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const { subject: _, ...asked } = bashAsk('r1', 'ls', { toolName: 'deploy' });
    const subject = { kind: 'path', value: 'production' } as const;
    const { interactionId } = await room.asks(id, { ...asked, subject });
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow', scope: 'session' });
    expect((await room.do('listGrants')).body.grants).toMatchObject([{ pattern: 'production' }]);
    expect(get(room, id)).toBeUndefined();
    await new ToolRun(room, id).asks(deployAsk({ toolName: 'deploy', subject }));
    const { matches } = (await room.do('previewGrant', { toolName: 'deploy', pattern: 'production' })).body;
    expect((matches as Interaction[]).map((one) => one.interactionId)).toEqual([interactionId]);
  });

  it('one that has an end holds until then', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const expiresAt = new Date(Date.parse(room.clock.now()) + 1000).toISOString();
    await room.log.append({
      parts: [
        {
          stream: 'global',
          at: room.clock.now(),
          events: [
            {
              type: 'grant.created',
              grant: {
                id: GrantId.parse('grant_with_end'),
                toolName: 'deploy',
                pattern: 'production',
                literal: true,
                subjectKind: 'key',
                scope: 'always',
                expiresAt,
                createdAt: room.clock.now(),
                by: person.actor,
              },
            },
          ],
        },
      ],
    });
    await room.engine.close();
    const second = await openRoom({ log: room.log, clock: room.clock, run: 'b' });
    expect(get(second, id)).toBe('always');
    second.clock.pass(1000);
    expect(get(second, id)).toBeUndefined();
  });
});

describe('[TOOL10] whether anyone can answer', () => {
  it('follows the clients that are connected', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    const available = () => room.engine.tools.available(SessionId.parse(id));
    expect(available()).toBe(false);
    const page = room.engine.clients.connect({
      label: 'page',
      interaction: { supported: true, enabled: false },
    });
    expect(available()).toBe(false);
    page.setInteraction({ supported: true, enabled: true });
    expect(available()).toBe(true);
    page.disconnect();
    expect(available()).toBe(false);
  });
});

async function give(
  room: EngineRoom,
  run: ToolRun,
  asked: InteractionId,
  outcome: 'expired' | 'withdrawn',
): Promise<unknown> {
  const ended = await room.engine.tools.end(run.sessionId, asked, { outcome, reason: 'It has other plans.' });
  expect(ended).toMatchObject({ ok: true });
  return ended;
}

const waitingIn = (room: EngineRoom): number => (room.engine.tools as unknown as { size: number }).size;
