import { describe, expect, it } from 'vitest';
import type { StoredFact } from '../../src/model/observe.ts';
import { sessionView } from '../../src/model/views.ts';
import { MessageId } from '../../src/protocol/ids.ts';
import { allow, bashAsk, PlayedSession, person } from '../support/session-states.ts';

const end = (more: Partial<Extract<StoredFact, { type: 'turn-ended' }>> = {}): StoredFact => ({
  type: 'turn-ended',
  outcome: 'completed',
  ...more,
});
const text = (words: string, parentToolCallId?: string): StoredFact => ({
  type: 'said',
  event: {
    type: 'agent.text',
    agentMessageId: 'msg',
    block: 0,
    text: words,
    ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
  },
});
const call = (
  toolCallId: string,
  more: { startsAgent?: boolean; parentToolCallId?: string } = {},
): StoredFact => ({
  type: 'said',
  event: {
    type: 'tool.called',
    agentMessageId: 'msg',
    block: 1,
    toolCallId,
    name: `tool ${toolCallId}`,
    input: {},
    startsAgent: false,
    ...more,
  },
});
const result = (toolCallId: string): StoredFact => ({
  type: 'said',
  event: { type: 'tool.result', toolCallId, isError: false, text: 'done' },
});

describe('[MSG3] [SES3] the sign that a message was taken, and its turn', () => {
  const signs: Record<string, (messageId: MessageId) => StoredFact[]> = {
    'the echo, then the start': (messageId) => [
      { type: 'message-taken', messageId },
      { type: 'turn-started' },
    ],
    'the start, then the echo': (messageId) => [
      { type: 'turn-started' },
      { type: 'message-taken', messageId },
    ],
    'the start, which names it': (messageId) => [{ type: 'turn-started', messageIds: [messageId] }],
    'the start alone': () => [{ type: 'turn-started' }],
    'the first words alone': () => [text('Hello')],
    'the echo alone': (messageId) => [{ type: 'message-taken', messageId }],
  };
  it.each(Object.entries(signs))('%s', (_, facts) => {
    const played = new PlayedSession().up();
    const messageId = played.send('do this');
    const next = played.send('then that');
    expect(sessionView(played.state).status).toBe('running');
    for (const fact of facts(messageId)) {
      played.fact(fact);
      expect(played.state.status).toBe('running');
    }
    expect(played.all('message.taken')).toMatchObject([{ messageId, text: 'do this' }]);
    expect(played.all('turn.started')).toMatchObject([{ messageId }]);
    expect(played.all('message.sending')).toHaveLength(1);
    played.fact(end());
    expect(played.last('turn.ended')).toMatchObject({
      turnId: played.last('turn.started').turnId,
      outcome: 'completed',
    });
    expect(played.last('message.sending').messageId).toBe(next);
  });

  it('the result alone: a turn that was over before it was seen', () => {
    const played = new PlayedSession().up();
    const messageId = played.send('/cost');
    played.fact(end());
    expect(played.types().slice(-3)).toEqual(['message.taken', 'turn.started', 'turn.ended']);
    expect(played.last('turn.ended').turnId).toBe(played.last('turn.started').turnId);
    expect(played.last('turn.started').messageId).toBe(messageId);
    expect(played.state).toMatchObject({ status: 'idle', turn: null, queue: [] });
  });

  it('a message is taken once, however often the agent says so', () => {
    const played = new PlayedSession().up().working();
    const [messageId] = played.all('message.taken').map((event) => event.messageId);
    if (messageId === undefined) throw new Error('it was taken');
    played.fact({ type: 'message-taken', messageId });
    played.fact({ type: 'turn-started', messageIds: [messageId] });
    expect(played.all('message.taken')).toHaveLength(1);
    expect(played.all('turn.started')).toHaveLength(1);
    played.fact({ type: 'message-taken', messageId: MessageId.parse('nobody’s') });
    expect(played.all('message.taken')).toHaveLength(1);
  });

  it('a message the agent had already, from before it was started again, begins no turn, and that is said', () => {
    const played = new PlayedSession().up();
    const messageId = played.send('again?');
    const next = played.send('next');
    played.fact({ type: 'message-taken', messageId, again: true });
    expect(played.all('turn.started')).toEqual([]);
    expect(played.last('agent.notice')).toMatchObject({ level: 'warning', code: 'not-run-again' });
    expect(played.last('message.sending').messageId).toBe(next);
  });

  it('an echo that comes after the turn has ended begins no other', () => {
    const played = new PlayedSession().up();
    const messageId = played.send('quick');
    played.facts({ type: 'turn-started' }, end(), { type: 'message-taken', messageId });
    expect(played.all('turn.started')).toHaveLength(1);
    expect(played.state.status).toBe('idle');
  });
});

describe('a turn that the agent begins by itself', () => {
  it('belongs to no message, and what was handed over meanwhile waits for its own', () => {
    const played = new PlayedSession().up();
    played.fact({ type: 'turn-started', messageIds: [] });
    expect(played.last('turn.started').messageId).toBeNull();
    const messageId = played.send('hello');
    expect(played.last('message.queued').applied).toBe('queue');
    played.fact(end());
    expect(played.last('message.sending').messageId).toBe(messageId);
  });

  it('while a message is on its way takes nothing', () => {
    const played = new PlayedSession().up();
    const messageId = played.send('hello');
    played.fact({ type: 'turn-started', messageIds: [] });
    expect(played.all('message.taken')).toEqual([]);
    expect(played.last('turn.started').messageId).toBeNull();
    played.fact(end());
    expect(played.state).toMatchObject({ status: 'running', turn: null });
    played.facts({ type: 'message-taken', messageId }, { type: 'turn-started', messageIds: [messageId] });
    expect(played.last('turn.started').messageId).toBe(messageId);
  });

  it('begins with its first words; a sub-agent’s words begin none', () => {
    const played = new PlayedSession().up();
    played.fact(text('from below', 'call-1'));
    expect(played.state.turn).toBeNull();
    played.fact(text('By the way'));
    expect(played.types().slice(-2)).toEqual(['turn.started', 'agent.text']);
  });
});

describe('[MSG1] steering', () => {
  it('taken inside the turn: no turn of its own', () => {
    const played = new PlayedSession().up().working();
    const messageId = played.send('left, not right', 'steer');
    played.fact({ type: 'message-taken', messageId });
    played.fact(end());
    expect(played.all('turn.started')).toHaveLength(1);
    expect(played.state).toMatchObject({ status: 'idle', queue: [] });
  });

  it('taken after the turn: the next turn is its own, and what waits comes after', () => {
    const played = new PlayedSession().up().working();
    const steer = played.send('left, not right', 'steer');
    const later = played.send('later');
    played.fact(end());
    expect(played.state.status).toBe('running');
    expect(played.last('message.sending').messageId).toBe(steer);
    played.facts({ type: 'message-taken', messageId: steer }, { type: 'turn-started', messageIds: [steer] });
    expect(played.last('turn.started').messageId).toBe(steer);
    expect(played.last('message.sending').messageId).toBe(steer);
    played.fact(end());
    expect(played.last('message.sending').messageId).toBe(later);
  });

  it('the end of one turn, the sign of the steer and the start of the next in one read', () => {
    const played = new PlayedSession().up().working();
    const steer = played.send('left', 'steer');
    played.send('later');
    played.facts(end(), { type: 'message-taken', messageId: steer }, { type: 'turn-started' });
    expect(played.all('message.taken').map((event) => event.messageId)).not.toContain(
      played.last('message.queued').messageId,
    );
    expect(played.last('message.sending').messageId).toBe(steer);
  });
});

describe('[SES5] interrupting', () => {
  it('ends the turn, not the session, and is no failure', () => {
    const played = new PlayedSession().up().working();
    expect(played.command({ type: 'interrupt', by: person })).toBeUndefined();
    expect(sessionView(played.state).interrupting).toEqual({ since: played.now(), overdue: false });
    played.command({ type: 'interrupt', by: person });
    expect(played.all('turn.interrupting')).toHaveLength(1);
    played.fact(end({ outcome: 'failed', error: 'aborted' }));
    expect(played.last('turn.ended').outcome).toBe('interrupted');
    expect(played.state).toMatchObject({ status: 'idle', life: 'open' });
    expect(sessionView(played.state).interrupting).toBeNull();
  });

  it('a turn that ended well all the same is called completed; one that failed by itself, failed', () => {
    const played = new PlayedSession().up().working();
    played.command({ type: 'interrupt', by: person });
    played.fact(end());
    expect(played.last('turn.ended').outcome).toBe('completed');
    played.working().fact(end({ outcome: 'failed', error: 'no credit' }));
    expect(played.last('turn.ended')).toMatchObject({ outcome: 'failed', error: 'no credit' });
  });

  it('is overdue once, for this turn alone', () => {
    const played = new PlayedSession().up().working();
    const turnId = played.last('turn.started').turnId;
    played.command({ type: 'interrupt-overdue', turnId });
    expect(played.all('turn.overdue')).toEqual([]);
    played.command({ type: 'interrupt', by: person });
    played.pass(3000);
    played.command({ type: 'interrupt-overdue', turnId: 'turn_other' });
    played.command({ type: 'interrupt-overdue', turnId });
    played.command({ type: 'interrupt-overdue', turnId });
    expect(played.all('turn.overdue')).toHaveLength(1);
    expect(sessionView(played.state).interrupting?.overdue).toBe(true);
  });

  it('without a turn there is nothing to interrupt', () => {
    const played = new PlayedSession().up();
    expect(played.command({ type: 'interrupt', by: person })?.code).toBe('no_turn_running');
    played.working().fact(end());
    expect(played.command({ type: 'interrupt', by: person })?.code).toBe('no_turn_running');
  });

  it('[ASK8] deny and interrupt is one: the other asks are interrupted, and the turn has not failed', () => {
    const played = new PlayedSession().up().working();
    const first = played.asks(bashAsk('r1', 'rm -r x'));
    const second = played.asks(bashAsk('r2', 'ls'));
    played.respond(first, { type: 'deny', interrupt: true });
    expect(sessionView(played.state).interrupting).not.toBeNull();
    played.command({ type: 'delivered', interactionId: first, ok: true });
    played.fact({ type: 'withdrawn', agentRequestId: 'r2' });
    expect(played.last('interaction.resolved')).toMatchObject({
      interactionId: second,
      outcome: 'interrupted',
    });
    played.fact(end({ outcome: 'failed', error: 'aborted' }));
    expect(played.last('turn.ended').outcome).toBe('interrupted');
  });

  it('a plain deny interrupts nothing', () => {
    const played = new PlayedSession().up().working();
    played.respond(played.asks(bashAsk('r1', 'ls')), { type: 'deny', interrupt: false });
    expect(sessionView(played.state).interrupting).toBeNull();
  });
});

describe('a result outside of any turn', () => {
  it('with an error is told, and begins nothing', () => {
    const played = new PlayedSession().up();
    played.fact(end({ outcome: 'failed', error: 'No conversation found' }));
    expect(played.last('agent.notice')).toMatchObject({ level: 'error', text: 'No conversation found' });
    expect(played.all('turn.started')).toEqual([]);
    expect(played.state.usage.turns).toBe(0);
  });

  it('without one is nothing', () => {
    const played = new PlayedSession().up();
    const { length } = played.log;
    played.fact(end());
    expect(played.log).toHaveLength(length);
  });
});

describe('[SES4] on what a session waits', () => {
  it('the model, a tool, a sub-agent, you, nothing', () => {
    const played = new PlayedSession();
    const seen = () =>
      `${played.state.status}: ${played.state.waitingOn} ${played.state.awaited?.what ?? ''}`.trim();
    expect(seen()).toBe('starting: nothing');
    played.up();
    expect(seen()).toBe('idle: nothing');
    played.working();
    expect(seen()).toBe('running: model');
    played.fact(call('t1'));
    expect(seen()).toBe('running: tool tool t1');
    played.fact(call('agent', { startsAgent: true }));
    expect(seen()).toBe('running: sub-agent tool agent');
    played.fact(call('t2', { parentToolCallId: 'agent' }));
    expect(seen()).toBe('running: tool tool t2');
    const id = played.asks(bashAsk('r1', 'ls'));
    expect(seen()).toBe('waiting: you Run ls');
    expect(played.state.awaited?.id).toBe(id);
    played.respond(id, allow());
    expect(seen()).toBe('running: tool tool t2');
    played.facts(result('t2'), result('agent'), result('t1'));
    expect(seen()).toBe('running: model');
    played.fact(call('t3'));
    played.fact(end());
    expect(seen()).toBe('idle: nothing');
    played.command({ type: 'close-process', cause: 'sleep' });
    expect(seen()).toBe('asleep: nothing');
    played.fact({ type: 'exited', code: 0, signal: null, stderr: [] });
    expect(seen()).toBe('asleep: nothing');
    played.command({ type: 'stop', by: person });
    expect(seen()).toBe('stopped: nothing');
  });

  it('since when: it moves with what it waits on, and only then', () => {
    const played = new PlayedSession().up();
    const idleSince = played.state.since;
    played.pass(1000);
    played.command({ type: 'change', title: 'Another', by: person });
    expect(played.state.since).toBe(idleSince);
    played.working();
    expect(played.state.since).toBe(played.now());
    played.pass(1000);
    played.fact(text('words'));
    expect(played.state.since).not.toBe(played.now());
    played.fact(call('t1'));
    expect(played.state.since).toBe(played.now());
  });

  it('usage adds up over turns', () => {
    const played = new PlayedSession().up();
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    played.working().fact(end({ usage, costUsd: 0.5 }));
    played.working().fact(end({ usage, costUsd: 0.25 }));
    played.working().fact(end({ outcome: 'failed', error: 'x' }));
    expect(sessionView(played.state).usage).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
      costUsd: 0.75,
      turns: 3,
    });
  });
});
