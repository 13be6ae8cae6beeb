import { describe, expect, it } from 'vitest';
import type { Response } from '../../src/model/command.ts';
import { interactionFromLog, pendingView } from '../../src/model/views.ts';
import { InteractionId } from '../../src/protocol/ids.ts';
import type { Ask, InteractionKind } from '../../src/protocol/interaction.ts';
import { allow, bashAsk, capabilities, PlayedSession, person } from '../support/session-states.ts';

const questionAsk = (request = 'q1'): Ask => ({
  kind: 'question',
  agentRequestId: request,
  toolName: 'AskUserQuestion',
  toolCallId: `call-${request}`,
  title: 'Which DB?',
  input: { questions: [] },
  questions: [
    { question: 'Which DB?', options: [{ label: 'Postgres' }, { label: 'SQLite' }], multiSelect: false },
  ],
  requiresPerson: true,
});
const formAsk = (): Ask => ({
  kind: 'form',
  agentRequestId: 'f1',
  toolName: 'mcp__mail__send',
  title: 'Your address',
  input: {},
  form: {
    message: 'Your address?',
    presentation: 'tool',
    fields: [{ id: 'mail', type: 'text', label: 'E-mail', required: true, format: 'email' }],
  },
});
const planAsk = (): Ask =>
  bashAsk('p1', 'x', { toolName: 'ExitPlanMode', plan: 'Do it in two steps', requiresPerson: true });
const askOf = { approval: () => bashAsk('r1', 'ls'), question: questionAsk, form: formAsk } satisfies Record<
  InteractionKind,
  () => Ask
>;
const asking = (ask: Ask, settings: ConstructorParameters<typeof PlayedSession>[0] = {}) => {
  const played = new PlayedSession(settings).up().working();
  return { played, id: played.asks(ask) };
};
const answer: Response = { type: 'answer', answers: { 'Which DB?': 'SQLite' } };
const submit: Response = { type: 'submit', values: { mail: 'ada@example.org' } };
const deny: Response = { type: 'deny', interrupt: false };
const cancel: Response = { type: 'cancel' };

describe('[ASK1] an interaction keeps what was asked', () => {
  it('exact input, request, call, turn, sub-agent, reason and suggestions', () => {
    const ask = bashAsk('r1', 'ls', {
      agentId: 'agent-7',
      parentToolCallId: 'call-0',
      reason: 'outside of the project',
      suggestions: [{ type: 'addRules' }],
      input: { command: 'ls', timeout: 5, nested: { a: [1] } },
    });
    const { played, id } = asking(ask);
    expect(played.last('interaction.requested')).toMatchObject({
      interactionId: id,
      turnId: played.last('turn.started').turnId,
      processId: 'run_1',
      ask,
    });
    const [seen] = pendingView(played.state);
    expect(seen).toMatchObject({
      interactionId: id,
      requestId: id,
      sessionId: 'ses_1',
      kind: 'approval',
      toolName: 'Bash',
      toolCallId: 'call-r1',
      agentId: 'agent-7',
      parentToolCallId: 'call-0',
      input: ask.input,
      reason: 'outside of the project',
      suggestions: [{ type: 'addRules' }],
      status: 'open',
      parked: false,
    });
    expect(seen).not.toHaveProperty('agentRequestId');
  });

  it('the same request of the agent again is not asked twice while it is open', () => {
    const { played } = asking(bashAsk('r1', 'ls'));
    played.fact({ type: 'asked', ask: bashAsk('r1', 'ls') });
    expect(played.all('interaction.requested')).toHaveLength(1);
  });

  it('any number may be open, and are answered in any order', () => {
    const { played, id: first } = asking(bashAsk('r1', 'ls'));
    const second = played.asks(questionAsk());
    const third = played.asks(formAsk());
    played.respond(third, submit);
    played.respond(first, deny);
    expect(pendingView(played.state).map((one) => one.interactionId)).toEqual([second]);
    expect(played.all('interaction.decided').map((event) => event.outcome)).toEqual(['submitted', 'denied']);
  });
});

describe('[ASK3] who comes second, and who comes for nothing', () => {
  it('the first answer wins; the second is told which', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    expect(played.respond(id, deny)).toBeUndefined();
    const before = played.state;
    expect(played.respond(id, allow())).toMatchObject({
      code: 'interaction_already_resolved',
      details: { outcome: 'denied' },
    });
    expect(played.state).toBe(before);
  });

  it.each(['unknown', 'constructor', '__proto__', 'toString'])('the id "%s" is unknown', (id) => {
    const { played } = asking(bashAsk('r1', 'ls'));
    const interactionId = InteractionId.parse(id);
    expect(played.respond(interactionId, allow())?.code).toBe('interaction_not_found');
    const { length } = played.log;
    played.command({ type: 'delivered', interactionId, ok: true });
    played.command({ type: 'park', interactionId });
    played.command({ type: 'expire', interactionId });
    expect(played.log).toHaveLength(length);
  });

  it.each<[string, InteractionKind, Response, string]>([
    ['a question is not allowed', 'question', allow(), 'requestId'],
    ['a form is not allowed', 'form', allow(), 'requestId'],
    ['an approval is not answered', 'approval', answer, 'requestId'],
    ['a form is not answered', 'form', answer, 'requestId'],
    ['an approval is not submitted', 'approval', submit, 'requestId'],
    ['a question is not submitted', 'question', submit, 'requestId'],
    ['an approval is not dismissed', 'approval', cancel, 'requestId'],
    ['a mode is for plans', 'approval', allow({ mode: 'plan' }), 'mode'],
    [
      'an answer must fit',
      'question',
      { type: 'answer', answers: [{ selected: ['MySQL'] }] },
      'answers.0.selected',
    ],
    ['a form must fit', 'form', { type: 'submit', values: { mail: 'nowhere' } }, 'input.mail'],
  ])('%s', (_, kind, response, field) => {
    const { played, id } = asking(askOf[kind]());
    const before = played.state;
    expect(played.respond(id, response)?.details?.field).toBe(field);
    expect(played.state).toBe(before);
    expect(pendingView(played.state)).toHaveLength(1);
  });
});

describe('[ASK4] [ASK8] outcomes', () => {
  it.each<[string, InteractionKind, Response, string]>([
    ['allow', 'approval', allow(), 'allowed'],
    ['deny', 'approval', deny, 'denied'],
    ['answer', 'question', answer, 'answered'],
    ['deny a question', 'question', deny, 'denied'],
    ['cancel a question', 'question', cancel, 'dismissed'],
    ['submit', 'form', submit, 'submitted'],
    ['deny a form', 'form', deny, 'denied'],
    ['cancel a form', 'form', cancel, 'dismissed'],
  ])('%s', (_, kind, response, outcome) => {
    const { played, id } = asking(askOf[kind]());
    const by = { kind: 'person', where: 'page', clientId: 'cli_1' } as const;
    played.pass(1000);
    expect(played.respond(id, response, by)).toBeUndefined();
    expect(played.last('interaction.decided')).toMatchObject({ interactionId: id, outcome, by });
    const decidedAt = played.now();
    played.pass(1000);
    played.command({ type: 'delivered', interactionId: id, ok: true });
    expect(played.last('interaction.resolved')).toMatchObject({
      interactionId: id,
      outcome,
      by,
      delivered: true,
    });
    expect(interactionFromLog(played.state, played.log)).toMatchObject({
      status: 'resolved',
      outcome,
      resolvedBy: by,
      resolvedAt: decidedAt,
      deliveredAt: played.now(),
    });
  });

  it('a reason reaches the agent; without one it is told so', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    played.respond(id, { type: 'deny', reason: ' use rg ', interrupt: true });
    expect(played.last('interaction.decided').decision).toEqual({
      type: 'deny',
      message: 'use rg',
      interrupt: true,
    });
    const silent = asking(bashAsk('r1', 'ls'));
    silent.played.respond(silent.id, { type: 'deny', reason: '  ', interrupt: false });
    expect(silent.played.last('interaction.decided').decision).toMatchObject({
      message: 'This was denied without a reason.',
    });
  });

  it('a plan: approved with the mode to go on in, or sent back with comments', () => {
    const yes = asking(planAsk());
    yes.played.respond(yes.id, allow({ mode: 'acceptEdits' }));
    expect(yes.played.last('interaction.decided').decision).toMatchObject({
      type: 'allow',
      mode: 'acceptEdits',
    });
    const no = asking(planAsk());
    no.played.respond(no.id, { type: 'deny', reason: 'smaller steps', interrupt: false });
    expect(no.played.last('interaction.decided').decision).toMatchObject({
      type: 'deny',
      message: 'smaller steps',
    });
  });

  it('[ASK6] an edited input is recorded beside the one that was asked', () => {
    const { played, id } = asking(bashAsk('r1', 'rm -r x'));
    played.respond(id, allow({ updatedInput: { command: 'rm -ri x' } }));
    expect(played.last('interaction.decided').decision).toMatchObject({
      updatedInput: { command: 'rm -ri x' },
    });
    expect(played.last('interaction.requested').ask.input).toEqual({ command: 'rm -r x' });
  });

  it('[ASK6] an agent that cannot take an edited input is not given one', () => {
    const played = new PlayedSession();
    played.command({ type: 'start-process', processId: 'run_1' });
    const unable = { ...capabilities, editInput: false };
    played.fact({ type: 'ready', agentSessionId: 'a', version: '1', capabilities: unable });
    const id = played.asks(bashAsk('r1', 'rm -r x'));
    expect(played.respond(id, allow({ updatedInput: { command: 'rm -ri x' } }))).toMatchObject({
      code: 'invalid_value',
      details: { field: 'updatedInput' },
    });
    expect(played.respond(id, allow())).toBeUndefined();
  });
});

describe('[ASK5] delivery', () => {
  it('an answer that could not be written is lost, and says so', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    played.respond(id, allow());
    expect(played.state.status).toBe('running');
    played.command({ type: 'delivered', interactionId: id, ok: false });
    expect(played.last('interaction.resolved')).toMatchObject({
      outcome: 'lost',
      by: person,
      delivered: false,
      reason: expect.stringContaining('did not reach the agent'),
    });
  });

  it('nothing is delivered that was not decided', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    played.command({ type: 'delivered', interactionId: id, ok: true });
    expect(played.all('interaction.resolved')).toEqual([]);
    expect(played.state.status).toBe('waiting');
  });
});

describe('[ASK4] the agent takes an ask back', () => {
  it('withdrawn, by the agent', () => {
    const { played, id } = asking(questionAsk());
    played.fact({ type: 'withdrawn', agentRequestId: 'q1' });
    expect(played.last('interaction.resolved')).toMatchObject({
      interactionId: id,
      outcome: 'withdrawn',
      by: { kind: 'agent' },
      delivered: false,
    });
    expect(played.respond(id, answer)?.code).toBe('interaction_not_found');
  });

  it('after an interrupt it was interrupted', () => {
    const { played } = asking(bashAsk('r1', 'ls'));
    played.command({ type: 'interrupt', by: person });
    expect(played.state.status).toBe('waiting');
    played.fact({ type: 'withdrawn', agentRequestId: 'r1' });
    expect(played.last('interaction.resolved').outcome).toBe('interrupted');
  });

  it('after a person’s answer: one outcome, and it says that the agent did not use the answer', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    played.respond(id, allow());
    played.fact({ type: 'withdrawn', agentRequestId: 'r1' });
    played.command({ type: 'delivered', interactionId: id, ok: true });
    expect(played.all('interaction.resolved')).toMatchObject([{ outcome: 'withdrawn', delivered: false }]);
    expect(played.last('interaction.resolved').reason).toMatch(/recorded, and came too late/);
  });

  it('after the answer was delivered, or for what was never asked: nothing', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'));
    played.respond(id, allow());
    played.command({ type: 'delivered', interactionId: id, ok: true });
    played.fact({ type: 'withdrawn', agentRequestId: 'r1' });
    played.fact({ type: 'withdrawn', agentRequestId: 'r2' });
    expect(played.all('interaction.resolved')).toHaveLength(1);
  });
});

describe('[ASK7] limits', () => {
  it('none by default', () => {
    const { played } = asking(bashAsk('r1', 'ls'));
    expect(played.last('interaction.requested')).not.toHaveProperty('expiresAt');
    expect(played.last('interaction.requested')).not.toHaveProperty('parksAt');
  });

  it('are set when it is asked, by the server’s clock', () => {
    const { played } = asking(bashAsk('r1', 'ls'), { askTimeout: { softSeconds: 60, hardSeconds: 600.5 } });
    expect(played.last('interaction.requested')).toMatchObject({
      parksAt: '2026-01-01T00:01:00.000Z',
      expiresAt: '2026-01-01T00:10:00.500Z',
    });
  });

  it('parked is still open; once', () => {
    const { played, id } = asking(bashAsk('r1', 'ls'), { askTimeout: { softSeconds: 60 } });
    played.command({ type: 'park', interactionId: id });
    played.command({ type: 'park', interactionId: id });
    expect(played.all('interaction.parked')).toHaveLength(1);
    expect(pendingView(played.state)[0]).toMatchObject({ parked: true, status: 'open' });
    expect(played.respond(id, allow())).toBeUndefined();
    played.command({ type: 'park', interactionId: id });
    expect(played.all('interaction.parked')).toHaveLength(1);
  });

  it.each<[InteractionKind, string]>([
    ['approval', 'deny'],
    ['question', 'dismiss'],
    ['form', 'dismiss'],
  ])('an expired %s is told to the agent as neither yes nor no, without an interrupt', (kind, type) => {
    const { played, id } = asking(askOf[kind]());
    played.command({ type: 'expire', interactionId: id });
    const { outcome, decision, by } = played.last('interaction.decided');
    expect({ outcome, by }).toEqual({ outcome: 'expired', by: { kind: 'timer' } });
    expect(decision).toMatchObject({ type, message: expect.stringContaining('Nobody answered') });
    if (decision.type === 'deny') expect(decision.interrupt).toBe(false);
    expect(played.state.turn?.interrupting).toBeNull();
    played.command({ type: 'delivered', interactionId: id, ok: true });
    expect(played.last('interaction.resolved')).toMatchObject({ outcome: 'expired', delivered: true });
  });

  it('a person who was faster than the clock wins, and the other way round', () => {
    const person1 = asking(bashAsk('r1', 'ls'));
    person1.played.respond(person1.id, allow());
    person1.played.command({ type: 'expire', interactionId: person1.id });
    expect(person1.played.all('interaction.decided').map((event) => event.outcome)).toEqual(['allowed']);
    const clock = asking(bashAsk('r1', 'ls'));
    clock.played.command({ type: 'expire', interactionId: clock.id });
    expect(clock.played.respond(clock.id, allow())).toMatchObject({ details: { outcome: 'expired' } });
  });
});

describe('[ASK10] always to a person', () => {
  it.each([
    ['questions', questionAsk()],
    ['plans', planAsk()],
    ['forms', formAsk()],
  ])('%s, in every mode, with every grant', (_, ask) => {
    const played = new PlayedSession({ permissionMode: 'bypassPermissions' }).up().working();
    played.globalGrants = [
      {
        id: allow().grantId,
        toolName: ask.toolName,
        pattern: '*',
        literal: false,
        subjectKind: ask.subject?.kind ?? 'input',
        scope: 'always',
        createdAt: played.now(),
        by: person,
      },
    ];
    played.asks(ask);
    expect(played.all('interaction.decided')).toEqual([]);
    expect(played.state.status).toBe('waiting');
  });
});

describe('[ASK17] the reason of a denial, for an agent that takes none with it', () => {
  const denied = (response: Response, denyReason = false) => {
    const played = new PlayedSession();
    played.command({ type: 'start-process', processId: 'run_1' });
    const told = { ...capabilities, denyReason };
    played.fact({ type: 'ready', agentSessionId: 'agent-1', version: '1', capabilities: told });
    played.working();
    const id = played.asks(bashAsk('r1', 'ls'));
    played.respond(id, response);
    const before = played.all('message.queued').length;
    for (const ok of [true, true]) played.command({ type: 'delivered', interactionId: id, ok });
    return { id, played, sent: played.all('message.queued').slice(before) };
  };

  it('is one message that names the ask, and waits for the end of the turn', () => {
    const { id, sent } = denied({ type: 'deny', reason: 'use rg', interrupt: false });
    expect(sent).toMatchObject([{ answers: id, applied: 'queue', by: person }]);
    expect(sent[0]?.text).toBe('What you asked for with "Run ls" was denied. The reason: use rg');
  });

  it.each<[string, Response, boolean?]>([
    ['without a reason', deny],
    ['with an interrupt: the person goes on', { type: 'deny', reason: 'stop', interrupt: true }],
    ['to an agent that was told it with the denial', { type: 'deny', reason: 'no', interrupt: false }, true],
    ['what was allowed', allow()],
  ])('is no message %s', (_, response, denyReason) => {
    expect(denied(response, denyReason).sent).toEqual([]);
  });
});

describe('[ACP3] the ways to allow that an agent offers', () => {
  const ways = [
    { id: 'restore', label: 'As before' },
    { id: 'edits', label: 'And edit' },
  ];

  it('one of them is recorded, and a plan is not approved without', () => {
    const { played, id } = asking({ ...planAsk(), ways });
    for (const refused of [allow(), allow({ way: 'other' })])
      expect(played.respond(id, refused)).toMatchObject({
        code: 'invalid_value',
        details: { field: 'way', offered: ['restore', 'edits'] },
      });
    expect(played.respond(id, allow({ way: 'edits' }))).toBeUndefined();
    expect(played.last('interaction.decided').decision).toMatchObject({ type: 'allow', way: 'edits' });
  });

  it('a plan can still be approved with a mode, and anything else without naming one', () => {
    const plan = asking({ ...planAsk(), ways });
    expect(plan.played.respond(plan.id, allow({ mode: 'default' }))).toBeUndefined();
    const command = asking(bashAsk('r1', 'ls', { ways }));
    expect(command.played.respond(command.id, allow())).toBeUndefined();
  });
});
