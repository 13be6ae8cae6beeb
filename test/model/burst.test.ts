import { describe, expect, it } from 'vitest';
import { fold } from '../../src/model/fold.ts';
import { MOST_OPEN_ASKS, MOST_QUEUED, MOST_SHOWN_ASKS } from '../../src/model/limits.ts';
import type { StoredFact } from '../../src/model/observe.ts';
import type { SessionState } from '../../src/model/state.ts';
import { sessionView } from '../../src/model/views.ts';
import type { Event } from '../../src/protocol/event.ts';
import { InteractionId } from '../../src/protocol/ids.ts';
import { bashAsk, deployAsk, PlayedSession, person } from '../support/session-states.ts';

const working = () => new PlayedSession().up().working();
const called = (toolCallId: string): StoredFact => ({
  type: 'said',
  event: {
    type: 'tool.called',
    agentMessageId: toolCallId,
    block: 0,
    toolCallId,
    name: 'Bash',
    input: {},
    startsAgent: false,
  },
});
const task = (taskId: string): StoredFact => ({
  type: 'said',
  event: { type: 'task.changed', taskId, status: 'running' },
});

/** How many entries a change has copied: all of every record and list that is not the very same as before. */
function copied(before: unknown, after: unknown): number {
  if (before === after || typeof after !== 'object' || after === null) return 0;
  const earlier: Record<string, unknown> = typeof before === 'object' && before !== null ? { ...before } : {};
  const entries = Object.entries(after);
  return entries.reduce((sum, [key, value]) => sum + copied(earlier[key], value), entries.length);
}

/** Five rows of at most 128. */
const mostOfMap = 5 * 128;
const mostOfRest = 60;

/** The most that one event of this log has copied from the state before it, as seen in samples. */
function mostCopied(log: readonly Event[]): number {
  let state: SessionState | null = null;
  let most = 0;
  for (const event of log) {
    const next = fold(state, event);
    if (event.seq % 23 === 0) most = Math.max(most, copied(state, next));
    state = next;
  }
  return most;
}

describe('[SES15] what an event costs does not grow with what is open', () => {
  const openCalls = (count: number): PlayedSession => {
    const played = working();
    for (let number = 0; number < count; number += 1) played.fact(called(`call-${number}`));
    for (let number = 0; number < count; number += 1) played.fact(task(`task-${number}`));
    return played;
  };

  it('8,000 calls and tasks that do not return', () => {
    const played = openCalls(8000);
    expect(sessionView(played.state)).toMatchObject({ waitingOn: 'tool', awaited: { id: 'call-7999' } });
    expect(mostCopied(played.log)).toBeLessThanOrEqual(mostOfMap + mostOfRest);
  });

  it('asks up to the most there can be, each withdrawn again, oldest first', () => {
    const askAndWithdraw = (count: number): PlayedSession => {
      const played = working();
      const ids = Array.from({ length: count }, (_, number) => `r${number}`);
      for (const id of ids) played.asks(bashAsk(id, 'ls'));
      for (const agentRequestId of ids) played.fact({ type: 'withdrawn', agentRequestId });
      return played;
    };
    const played = askAndWithdraw(MOST_SHOWN_ASKS);
    expect(sessionView(played.state)).toMatchObject({ status: 'running', pendingCount: 0 });
    expect(mostCopied(played.log)).toBeLessThanOrEqual(2 * mostOfMap + mostOfRest);
  });
});

it('[SES15] the queue has an end: one message more is refused, and the same one again is not', () => {
  const played = working();
  for (let number = 0; number < MOST_QUEUED; number += 1)
    played.send('more', 'queue', false, `mine-${number}`);
  expect(sessionView(played.state).queueLength).toBe(MOST_QUEUED);
  expect(played.refusals).toEqual([]);
  played.send('again', 'queue', false, `mine-${MOST_QUEUED - 1}`);
  expect(played.refusals).toEqual([]);
  played.send('too much');
  expect(played.refusals).toMatchObject([{ code: 'queue_full' }]);
  played.send('instead of all', 'queue', true);
  expect(sessionView(played.state).queueLength).toBe(1);
});

describe('[SES15] an agent that asks too much is held', () => {
  const asking = (count: number): PlayedSession => {
    const played = working();
    for (let number = 0; number < count; number += 1) played.asks(bashAsk(`r${number}`, 'ls'));
    return played;
  };
  const withdraw = (played: PlayedSession, agentRequestId: string): void =>
    played.fact({ type: 'withdrawn', agentRequestId });

  it('from the most that can be open until one is settled, and says since when', () => {
    const played = asking(MOST_OPEN_ASKS - 1);
    expect(sessionView(played.state).held).toBeUndefined();
    played.pass(1000);
    played.asks(bashAsk('last', 'ls'));
    const since = played.now();
    expect(sessionView(played.state).held).toEqual({ since, reason: 'asks' });
    played.pass(1000);
    played.asks(bashAsk('one more', 'ls'));
    expect(sessionView(played.state).held).toEqual({ since, reason: 'asks' });
    withdraw(played, 'r0');
    withdraw(played, 'r1');
    expect(sessionView(played.state).held).toBeUndefined();
  });

  it('not while its turn is being interrupted, nor when it is being ended: it could not be seen to end', () => {
    const interrupted = asking(MOST_OPEN_ASKS);
    interrupted.command({ type: 'interrupt', by: person });
    expect(interrupted.state.held).toBeNull();
    const closing = asking(MOST_OPEN_ASKS);
    closing.command({ type: 'close-process', cause: 'shutdown' });
    expect(closing.state.held).toBeNull();
    const stopped = asking(MOST_OPEN_ASKS);
    stopped.command({ type: 'stop', by: person });
    expect(stopped.state.held).toBeNull();
  });

  it('what it asks in a turn that is being interrupted, beyond what is open, ends with the turn', () => {
    const played = asking(MOST_OPEN_ASKS);
    played.command({ type: 'interrupt', by: person });
    const id = played.asks(bashAsk('too late', 'ls'));
    expect(played.last('interaction.resolved')).toMatchObject({ interactionId: id, outcome: 'interrupted' });
    expect(played.state.interactions.size).toBe(MOST_OPEN_ASKS);
  });

  it('more than can be shown is on record, as lost, and is not put before anyone', () => {
    const played = asking(MOST_SHOWN_ASKS);
    const id = played.asks(bashAsk('too much', 'ls'));
    expect(played.last('interaction.resolved')).toMatchObject({ interactionId: id, outcome: 'lost' });
    expect(played.state.interactions.size).toBe(MOST_SHOWN_ASKS);
  });

  it('a tool is refused, unless it asks again in the place of what it asked', () => {
    const played = asking(MOST_OPEN_ASKS - 1);
    const first = played.toolAsks();
    const toolAsk = (tool: object) => {
      const { expiresAt: _, ...ask } = deployAsk();
      const interactionId = InteractionId.parse('int_more');
      return { type: 'tool-ask', interactionId, ask: { ...ask, tool: { ...ask.tool, ...tool } } } as const;
    };
    expect(played.command(toolAsk({}))).toMatchObject({ code: 'too_many_asks' });
    expect(played.command(toolAsk({ replaces: first }))).toBeUndefined();
  });
});
