import { describe, expect, it } from 'vitest';
import type { Ask, Outcome } from '../../src/protocol/interaction.ts';
import type { WriteOutcome } from '../../src/runner/ports/process-host.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, other, person } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const question = (request: string): Ask => ({
  kind: 'question',
  agentRequestId: request,
  toolName: 'AskUserQuestion',
  toolCallId: `call-${request}`,
  title: 'Which DB?',
  input: { questions: ['as the agent wrote it'] },
  questions: [
    { question: 'Which DB?', options: [{ label: 'Postgres' }, { label: 'SQLite' }], multiSelect: false },
  ],
  requiresPerson: true,
});
const form = (request: string): Ask => ({
  kind: 'form',
  agentRequestId: request,
  toolName: 'mcp__mail__send',
  toolCallId: `call-${request}`,
  title: 'Your address',
  input: {},
  form: {
    message: 'Your address?',
    presentation: 'tool',
    fields: [{ id: 'mail', type: 'text', label: 'E-mail', required: true, format: 'email' }],
  },
});

const asking = async (ask: Ask = bashAsk('r1', 'ls'), input: Record<string, unknown> = {}) => {
  const room = await openRoom();
  const [id, agent] = await room.running(input);
  const interaction = await room.asks(id, ask);
  return { room, id, agent, interaction, requestId: interaction.interactionId };
};
const delivered = (room: EngineRoom, id: string) => room.event(id, 'interaction.resolved');

describe('answering, through every operation', () => {
  it.each<[string, Ask, Parameters<EngineRoom['do']>[0], Record<string, unknown>, Outcome, object]>([
    [
      'approve',
      bashAsk('r1', 'ls'),
      'approve',
      { decision: 'allow' },
      'allowed',
      { type: 'allow', scope: 'once' },
    ],
    [
      'approve with an edited input',
      bashAsk('r1', 'ls'),
      'approve',
      { decision: 'allow', updatedInput: { command: 'ls -l' } },
      'allowed',
      { type: 'allow', scope: 'once', updatedInput: { command: 'ls -l' } },
    ],
    [
      'approve: deny and interrupt',
      bashAsk('r1', 'ls'),
      'approve',
      { decision: 'deny', reason: 'no', interrupt: true },
      'denied',
      { type: 'deny', message: 'no', interrupt: true },
    ],
    [
      'deny',
      bashAsk('r1', 'ls'),
      'deny',
      { reason: 'no' },
      'denied',
      { type: 'deny', message: 'no', interrupt: false },
    ],
    [
      'answer',
      question('r1'),
      'answer',
      { answers: { 0: 'SQLite' } },
      'answered',
      { type: 'answer', answers: [{ selected: ['SQLite'] }] },
    ],
    [
      'a plan with its mode',
      bashAsk('r1', 'x', { plan: 'two steps', requiresPerson: true }),
      'approve',
      { decision: 'allow', mode: 'acceptEdits' },
      'allowed',
      { type: 'allow', scope: 'once', mode: 'acceptEdits' },
    ],
  ])('[ASK8] %s, by request and by tool call', async (_, ask, operation, body, outcome, decision) => {
    for (const target of ['requestId', 'toolCallId'] as const) {
      const { room, id, agent, requestId } = await asking(ask);
      const reply = await room.do(operation, {
        session: id,
        [target]: target === 'requestId' ? requestId : ask.toolCallId,
        ...body,
      });
      expect(reply).toMatchObject({
        status: 200,
        body: { status: 'ok', interaction: { interactionId: requestId, outcome } },
      });
      await delivered(room, id);
      expect(agent.answers()).toMatchObject([{ ask: { agentRequestId: 'r1', input: ask.input }, decision }]);
      expect(await room.interaction(id, requestId)).toMatchObject({
        status: 'resolved',
        outcome,
        resolvedBy: person.actor,
        deliveredAt: room.clock.now(),
      });
    }
  });

  it.each<[string, Ask, Record<string, unknown>, Outcome]>([
    ['approve', bashAsk('r1', 'ls'), { action: 'approve', approvalScope: 'session' }, 'allowed'],
    ['deny', bashAsk('r1', 'ls'), { action: 'deny', reason: 'no' }, 'denied'],
    ['submit a form', form('r1'), { action: 'submit', input: { mail: 'ada@example.org' } }, 'submitted'],
    ['submit answers', question('r1'), { action: 'submit', input: [{ selected: ['SQLite'] }] }, 'answered'],
    ['cancel a form', form('r1'), { action: 'cancel', reason: 'later' }, 'dismissed'],
    ['cancel a question', question('r1'), { action: 'cancel' }, 'dismissed'],
  ])('[ASK1] respond: %s', async (_, ask, body, outcome) => {
    const { room, id, requestId } = await asking(ask);
    const reply = await room.do('respond', { session: id, interactionId: requestId, ...body });
    expect(reply.body).toMatchObject({ interaction: { outcome } });
    expect(await delivered(room, id)).toMatchObject({ outcome, delivered: true });
  });

  it.each<[string, Ask, Record<string, unknown>, string, string]>([
    ['cancel an approval', bashAsk('r1', 'ls'), { action: 'cancel' }, 'invalid_value', 'requestId'],
    ['approve a question', question('r1'), { action: 'approve' }, 'invalid_value', 'requestId'],
    [
      'submit an approval',
      bashAsk('r1', 'ls'),
      { action: 'submit', input: {} },
      'invalid_value',
      'requestId',
    ],
    ['submit no object', form('r1'), { action: 'submit', input: 'x' }, 'invalid_answer', 'input'],
    ['submit a list to a form', form('r1'), { action: 'submit', input: [] }, 'invalid_answer', 'input'],
    [
      'submit a wrong field',
      form('r1'),
      { action: 'submit', input: { mail: 'x' } },
      'invalid_answer',
      'input.mail',
    ],
    ['submit no answers', question('r1'), { action: 'submit', input: 5 }, 'invalid_answer', 'input'],
  ])('[ASK3] respond refuses to %s, and it stays answerable', async (_, ask, body, code, field) => {
    const { room, id, agent, requestId } = await asking(ask);
    const refusal = await room.refused('respond', { session: id, interactionId: requestId, ...body });
    expect(refusal).toMatchObject({ code, details: { field } });
    expect(agent.answers()).toEqual([]);
    expect(await room.interaction(id, requestId)).toMatchObject({ status: 'open' });
  });

  it('[ASK9] submit-answers names the question by its tool call', async () => {
    const { room, id } = await asking(question('r1'));
    expect(await room.refused('submitAnswers', { session: id, toolCallId: 'call-r1' })).toMatchObject({
      code: 'malformed_request',
      details: { field: 'answers' },
    });
    expect(await room.refused('submitAnswers', { session: id, answers: { 0: 'SQLite' } })).toMatchObject({
      code: 'malformed_request',
      details: { field: 'toolCallId' },
    });
    expect((await room.refused('submitAnswers', { session: id, toolCallId: 'none', answers: {} })).code).toBe(
      'interaction_not_found',
    );
    await room.asks(id, bashAsk('r2', 'ls'));
    expect(
      (await room.refused('submitAnswers', { session: id, toolCallId: 'call-r2', answers: {} })).code,
    ).toBe('interaction_not_found');
    expect(
      await room.refused('submitAnswers', { session: id, toolCallId: 'call-r1', answers: {} }),
    ).toMatchObject({
      code: 'invalid_answer',
      details: { field: 'answers.0' },
    });
    const reply = await room.do('submitAnswers', {
      session: id,
      toolCallId: 'call-r1',
      answers: { 'Which DB?': 'Other thing' },
    });
    expect(reply.body).toMatchObject({
      interaction: { decision: { answers: [{ selected: [], other: 'Other thing' }] } },
    });
    const late = await room.refused('submitAnswers', {
      session: id,
      toolCallId: 'call-r1',
      answers: { 0: 'SQLite' },
    });
    expect(late.code).toBe('interaction_already_resolved');
  });
});

describe('[ASK3] first answer wins', () => {
  it('of two in the same tick: one is delivered, the other gets the outcome that won', async () => {
    const { room, id, agent, requestId } = await asking();
    const [first, second] = await Promise.all([
      room.engine.dispatch('deny', { session: id, requestId, reason: 'mine' }, person),
      room.engine.dispatch('approve', { session: id, requestId, decision: 'allow', scope: 'always' }, other),
    ]);
    expect(first.ok).toBe(true);
    expect(second).toMatchObject({
      ok: false,
      refusal: {
        code: 'interaction_already_resolved',
        details: {
          outcome: 'denied',
          interaction: {
            interactionId: requestId,
            outcome: 'denied',
            resolvedBy: person.actor,
            decision: { message: 'mine' },
          },
        },
      },
    });
    await delivered(room, id);
    expect(agent.answers()).toHaveLength(1);
    expect(room.all(id, 'interaction.decided')).toHaveLength(1);
    expect((await room.do('listGrants')).body).toEqual({ grants: [] });
  });

  it.each(['approve', 'deny', 'respond'] as const)(
    '%s after it was delivered: the same, from the log',
    async (operation) => {
      const { room, id, requestId } = await asking();
      await room.do('approve', { session: id, requestId, decision: 'allow' });
      await delivered(room, id);
      const body = {
        approve: { requestId, decision: 'deny' },
        deny: { requestId },
        respond: { interactionId: requestId, action: 'deny' },
      };
      const refusal = await room.refused(operation, { session: id, ...body[operation] }, other);
      expect(refusal).toMatchObject({
        code: 'interaction_already_resolved',
        details: { outcome: 'allowed', interaction: { deliveredAt: room.clock.now() } },
      });
    },
  );

  it('two sessions, two asks with the same request and call: each answer reaches its own', async () => {
    const room = await openRoom();
    const [one, oneAgent] = await room.running();
    const [two, twoAgent] = await room.running();
    const first = await room.asks(one, bashAsk('r1', 'ls'));
    await room.asks(two, bashAsk('r1', 'ls'));
    await room.do('deny', { session: one, toolCallId: 'call-r1' });
    await delivered(room, one);
    expect(oneAgent.answers()).toHaveLength(1);
    expect(twoAgent.answers()).toEqual([]);
    expect(
      (await room.refused('approve', { session: two, requestId: first.interactionId, decision: 'allow' }))
        .code,
    ).toBe('interaction_not_found');
    expect(
      (await room.refused('getInteraction', { session: two, interactionId: first.interactionId })).code,
    ).toBe('interaction_not_found');
  });

  it.each(['unknown', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the id "%s" is not found',
    async (strange) => {
      const { room, id } = await asking();
      const refusals = [
        await room.refused('approve', { session: id, requestId: strange, decision: 'allow' }),
        await room.refused('deny', { session: id, toolCallId: strange }),
        await room.refused('respond', { session: id, interactionId: strange, action: 'approve' }),
        await room.refused('getInteraction', { session: id, interactionId: strange }),
        await room.refused('answer', { session: id, requestId: strange, answers: {} }),
      ];
      expect(refusals.map((refusal) => refusal.code)).toEqual(Array(5).fill('interaction_not_found'));
      const sessions = [
        await room.refused('approve', { session: strange, requestId: 'x', decision: 'allow' }),
        await room.refused('getSession', { session: strange }),
      ];
      expect(sessions.map((refusal) => refusal.code)).toEqual(['session_not_found', 'session_not_found']);
    },
  );

  it('an answer must say which', async () => {
    const { room, id } = await asking();
    expect(await room.refused('approve', { session: id, decision: 'allow' })).toMatchObject({
      code: 'malformed_request',
      details: { field: 'requestId' },
    });
  });
});

describe('[ASK5] an answer that is being written when the session is stopped', () => {
  /** It stays under way until the test says what became of it; then the agent ends. */
  async function underWay() {
    const made = await asking();
    const { room, id, agent, requestId } = made;
    const { promise, resolve: becomes } = Promise.withResolvers<WriteOutcome>();
    agent.answer = () => promise;
    agent.endsWhenAsked = false;
    await room.do('approve', { session: id, requestId, decision: 'allow' });
    const stopping = room.do('stop', { session: id });
    await room.event(id, 'session.stopped');
    expect(room.all(id, 'interaction.resolved')).toEqual([]);
    const end = async () => {
      agent.exit(0);
      await stopping;
      await room.drained(id);
      return room.interaction(id, requestId);
    };
    return { ...made, becomes, end };
  }

  it.each([
    [{ ok: true }, 'allowed', true],
    [{ ok: false, code: 'EPIPE', message: 'The pipe is closed' }, 'lost', false],
    [{ ok: false, code: 'gone', message: 'The process is gone', uncertain: true }, 'unknown', false],
  ] as const)('%j: it is %s', async (became, outcome, isDelivered) => {
    const { room, id, becomes, end } = await underWay();
    becomes(became);
    await room.event(id, 'interaction.resolved');
    const interaction = await end();
    expect(interaction).toMatchObject({ outcome, decision: { type: 'allow' }, resolvedBy: person.actor });
    expect(interaction.deliveredAt !== undefined).toBe(isDelivered);
    expect(room.all(id, 'interaction.resolved')).toHaveLength(1);
  });

  it('what its driver never told may have reached the agent', async () => {
    const { end } = await underWay();
    expect(await end()).toMatchObject({ outcome: 'unknown' });
  });

  it('an answer and a stop in one commit: it is not written, and is called lost', async () => {
    const { room, id, agent, requestId } = await asking();
    const both = [
      room.do('approve', { session: id, requestId, decision: 'allow' }),
      room.do('stop', { session: id }),
    ];
    await Promise.all(both);
    expect(agent.answers()).toEqual([]);
    expect(await room.interaction(id, requestId)).toMatchObject({
      outcome: 'lost',
      decision: { type: 'allow' },
    });
  });

  it('an agent whose end was told before the answer was stored cannot have got it', async () => {
    const { room, id, agent, requestId } = await asking();
    room.driver.onWrite = () => expect.fail('nothing is written to a process that has ended');
    const answered = room.do('approve', { session: id, requestId, decision: 'allow' });
    agent.exit(1);
    await answered;
    await room.event(id, 'interaction.resolved');
    expect(await room.interaction(id, requestId)).toMatchObject({ outcome: 'lost' });
  });
});

describe('[ASK3] [ASK4] answers to what ended otherwise', () => {
  const endings: Record<
    string,
    { outcome: Outcome; end: (made: Awaited<ReturnType<typeof asking>>) => Promise<unknown> }
  > = {
    withdrawn: {
      outcome: 'withdrawn',
      end: async ({ agent }) => agent.report({ type: 'withdrawn', agentRequestId: 'r1' }),
    },
    interrupted: {
      outcome: 'interrupted',
      end: async ({ room, id, agent }) => {
        await room.do('interrupt', { session: id });
        agent.report({ type: 'withdrawn', agentRequestId: 'r1' });
      },
    },
    expired: { outcome: 'expired', end: async ({ room }) => room.clock.pass(10_000) },
    lost: { outcome: 'lost', end: async ({ agent }) => agent.exit(1) },
    stopped: { outcome: 'interrupted', end: async ({ room, id }) => room.do('stop', { session: id }) },
  };
  it.each(Object.entries(endings))('%s: gone, with the outcome', async (_, { outcome, end }) => {
    const made = await asking(bashAsk('r1', 'ls'), { askTimeout: { hardSeconds: 10 } });
    const { room, id, requestId } = made;
    await end(made);
    await room.event(id, 'interaction.resolved');
    const answered = made.agent.answers().length;
    const refusal = await room.refused('approve', { session: id, requestId, decision: 'allow' });
    expect(refusal).toMatchObject({
      code: 'interaction_gone',
      details: { outcome, interaction: { interactionId: requestId, status: 'resolved', outcome } },
    });
    expect(room.all(id, 'interaction.resolved')).toHaveLength(1);
    expect(room.announcements('approval-resolved')).toMatchObject([
      { data: { sessionId: id, requestId, kind: 'approval', outcome, decision: null } },
    ]);
    expect(made.agent.answers()).toHaveLength(answered);
  });

  it('an answer in the same tick as the agent’s withdrawal is not written', async () => {
    const { room, id, agent, requestId } = await asking();
    agent.report({ type: 'withdrawn', agentRequestId: 'r1' });
    const refusal = await room.refused('approve', { session: id, requestId, decision: 'allow' });
    expect(refusal).toMatchObject({ code: 'interaction_gone', details: { outcome: 'withdrawn' } });
    expect(agent.answers()).toEqual([]);
  });

  it('an answer that the same commit ends otherwise is not written, either', async () => {
    const { room, id, agent, requestId } = await asking();
    const answering = room.engine.dispatch('approve', { session: id, requestId, decision: 'allow' }, person);
    agent.report({ type: 'withdrawn', agentRequestId: 'r1' });
    await answering;
    await room.event(id, 'interaction.resolved');
    expect(agent.answers()).toEqual([]);
    expect(room.all(id, 'interaction.resolved')).toMatchObject([{ outcome: 'withdrawn', delivered: false }]);
  });
});

describe('[ASK5] recorded, then written, then marked delivered', () => {
  it('the log already holds the decision when the answer is written', async () => {
    const { room, id, agent, requestId } = await asking();
    const seen: string[][] = [];
    room.driver.onWrite = (written) => {
      if (written.kind === 'answer') seen.push(room.events(id).map((event) => event.type));
    };
    await room.do('approve', { session: id, requestId, decision: 'allow' });
    await delivered(room, id);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.at(-1)).toBe('interaction.decided');
    expect(room.events(id).at(-1)).toMatchObject({ type: 'interaction.resolved', delivered: true });
    expect(agent.answers()).toHaveLength(1);
  });

  it('an answer that cannot be written is lost, and everyone is told', async () => {
    const { room, id, agent, requestId } = await asking();
    agent.writesFail = true;
    await room.do('approve', { session: id, requestId, decision: 'allow' });
    expect(await delivered(room, id)).toMatchObject({ outcome: 'lost', by: person.actor, delivered: false });
    expect(room.announcements('approval-resolved')).toMatchObject([
      { data: { outcome: 'lost', decision: null } },
    ]);
    const refusal = await room.refused('deny', { session: id, requestId });
    expect(refusal).toMatchObject({ code: 'interaction_gone', details: { outcome: 'lost' } });
  });

  it('[ASK6] what is written is the stored ask, whatever the caller claims', async () => {
    const ask = bashAsk('r1', 'ls', { input: { command: 'ls', timeout: 5 } });
    const { room, id, agent, requestId } = await asking(ask);
    const other = { command: 'rm -rf /' };
    const claimed = await room.refused('approve', { session: id, requestId, decision: 'allow', ask: other });
    expect(claimed).toMatchObject({ code: 'malformed_request', details: { field: 'ask' } });
    await room.do('respond', { session: id, interactionId: requestId, action: 'approve', input: other });
    await delivered(room, id);
    expect(agent.answers()).toEqual([{ kind: 'answer', ask, decision: { type: 'allow', scope: 'once' } }]);
  });
});

describe('[ASK2] [ASK4] what everyone hears', () => {
  it.each<[string, Ask, 'approval-requested' | 'question-requested' | 'form-requested']>([
    ['approval', bashAsk('r1', 'ls'), 'approval-requested'],
    ['question', question('r1'), 'question-requested'],
    ['form', form('r1'), 'form-requested'],
  ])('%s: stored before it is shown, and every end is told', async (kind, ask, word) => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const storedWhenTold: boolean[] = [];
    room.engine.listen((news) => {
      if (news.kind === 'announcement' && news.announcement.type === word) {
        storedWhenTold.push(room.all(id, 'interaction.requested').length === 1);
      }
    });
    const { interactionId } = await room.asks(id, ask);
    expect(storedWhenTold).toEqual([true]);
    expect(room.announcements(word)).toMatchObject([{ data: { interactionId, kind, status: 'open' } }]);
    agent.report({ type: 'withdrawn', agentRequestId: 'r1' });
    await delivered(room, id);
    expect(room.announcements('approval-cancelled')).toMatchObject([{ data: { interactionId, kind } }]);
    expect(room.announcements('approval-resolved')).toMatchObject([
      {
        data: { requestId: interactionId, kind, outcome: 'withdrawn', by: { kind: 'agent' }, decision: null },
      },
    ]);
  });

  it('a person’s answer is told with who and where, and is no cancellation', async () => {
    const { room, id, requestId } = await asking();
    await room.do('deny', { session: id, requestId }, other);
    await delivered(room, id);
    expect(room.announcements('approval-resolved')).toMatchObject([
      {
        data: { requestId, outcome: 'denied', decision: 'deny', by: { kind: 'person', where: 'elsewhere' } },
      },
    ]);
    expect(room.announcements('approval-cancelled')).toEqual([]);
  });

  it('pending, of one session and of all, oldest first', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const [two] = await room.running();
    const a = await room.asks(two, bashAsk('r1', 'ls'));
    room.clock.pass(1000);
    const b = await room.asks(one, bashAsk('r1', 'ls'));
    room.clock.pass(1000);
    const c = await room.asks(two, question('r2'));
    const ids = (body: unknown) =>
      (body as { pending: { interactionId: string }[] }).pending.map((p) => p.interactionId);
    expect(ids((await room.do('listPending')).body)).toEqual([
      a.interactionId,
      b.interactionId,
      c.interactionId,
    ]);
    expect(ids((await room.do('listPendingOfSession', { session: two })).body)).toEqual([
      a.interactionId,
      c.interactionId,
    ]);
    expect(room.engine.overview().pending.map((p) => p.interactionId)).toEqual([
      a.interactionId,
      b.interactionId,
      c.interactionId,
    ]);
  });
});

describe('[ASK7] limits, by the server’s clock', () => {
  it('soft: parked and told once, still answerable; hard: denied in plain words, without an interrupt', async () => {
    const { room, id, agent, requestId } = await asking(bashAsk('r1', 'ls'), {
      askTimeout: { softSeconds: 60, hardSeconds: 120 },
    });
    room.clock.pass(59_999);
    await room.drained(id);
    expect((await room.interaction(id, requestId)).parked).toBe(false);
    room.clock.pass(1);
    await room.event(id, 'interaction.parked');
    expect(await room.interaction(id, requestId)).toMatchObject({
      parked: true,
      status: 'open',
      expiresAt: '2026-01-01T00:02:00.000Z',
    });
    room.clock.pass(60_000);
    expect(await delivered(room, id)).toMatchObject({
      outcome: 'expired',
      by: { kind: 'timer' },
      delivered: true,
    });
    expect(agent.answers()).toMatchObject([{ decision: { type: 'deny', interrupt: false } }]);
    expect(agent.kinds()).not.toContain('interrupt');
  });

  it('an answered one leaves no timer behind', async () => {
    const room = await openRoom({ settings: { askTimeout: { softSeconds: 60, hardSeconds: 120 } } });
    const [id] = await room.running();
    const armed = room.clock.armed;
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    expect(room.clock.armed).toBe(armed + 2);
    await room.do('deny', { session: id, requestId: interactionId });
    expect(room.clock.armed).toBe(armed);
  });

  it('none by default: a week later it is still open', async () => {
    const { room, id, requestId } = await asking();
    room.clock.pass(7 * 86_400_000);
    await room.drained(id);
    expect(await room.interaction(id, requestId)).toMatchObject({ status: 'open', parked: false });
    expect((await room.session(id)).status).toBe('waiting');
  });
});
