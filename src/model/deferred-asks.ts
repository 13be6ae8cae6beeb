import type { Result } from '../protocol/errors.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { InteractionId } from '../protocol/ids.ts';
import type { Actor, Ask } from '../protocol/interaction.ts';
import { becomes, type Decided } from './command.ts';
import { unanswered, undelivered } from './interactions.ts';
import { findValue, valuesOf } from './ordered-map.ts';
import type { LiveInteraction, SessionState } from './state.ts';
import { hasDeferred, interactionOf } from './status.ts';

const agent: Actor = { kind: 'agent' };

/**
 * The ask for which the agent can be put to sleep: nothing else is open or under way, so nothing else is lost by it.
 * Undefined when there is none.
 */
export function deferrable(state: SessionState): LiveInteraction | undefined {
  const isAlone = state.interactions.size === 1 && state.tasks.size === 0 && state.tools.size <= 1;
  const [ask] = isAlone ? valuesOf(state.interactions) : [];
  const isQuiet = state.process?.phase === 'ready' && state.turn?.interrupting === null;
  if (ask?.requested.ask.deferrable !== true || !isQuiet) return undefined;
  return ask.decided === null && ask.deferred === null && state.queue.every(({ sending }) => sending === null)
    ? ask
    : undefined;
}

export function defer(state: SessionState, interactionId: InteractionId): Result<Decided> {
  return deferrable(state)?.requested.interactionId === interactionId
    ? becomes({ type: 'interaction.deferred', interactionId })
    : becomes();
}

/** It stays as it was asked, and is not tried again. */
export function keepAsking(state: SessionState, interactionId: InteractionId): Result<Decided> {
  const live = interactionOf(state, interactionId);
  if (live?.deferred !== 'asleep') return becomes();
  const { ask, processId } = live.requested;
  const { agentRequestId } = ask;
  return becomes({ type: 'interaction.raised', interactionId, agentRequestId, processId });
}

/** The agent has left its question for later: it is ended until there is an answer. */
export function suspend(state: SessionState): NewEvent[] {
  return state.process === null
    ? []
    : [{ type: 'process.closing', processId: state.process.id, cause: 'deferred' }];
}

/** The same call asks the same question: whoever was shown it need not be shown it again. */
export function raisedAgain(state: SessionState, ask: Ask): NewEvent | undefined {
  if (!hasDeferred(state)) return undefined;
  const live = findValue(
    state.interactions,
    ({ requested, deferred }) =>
      deferred === 'asleep' && ask.toolCallId !== undefined && requested.ask.toolCallId === ask.toolCallId,
  );
  if (live === undefined || state.process === null) return undefined;
  const { interactionId } = live.requested;
  return {
    type: 'interaction.raised',
    interactionId,
    agentRequestId: ask.agentRequestId,
    processId: state.process.id,
  };
}

/** Whether the next process will ask it once more; a stopped session has none. */
export const isAskedAgain = ({ life }: SessionState, { deferred }: LiveInteraction): boolean =>
  deferred !== null && life !== 'stopped';

/** The turn went on without an answer: the agent would not, or could not, leave the question for later. */
export const notDeferred = (state: SessionState): NewEvent[] =>
  asleep(state).map((live) => lost(live, 'withdrawn', 'The agent went on without an answer.'));

export function deferredMissing(state: SessionState, interactionId: InteractionId): Result<Decided> {
  const live = interactionOf(state, interactionId);
  return live?.deferred === 'asleep' && state.process !== null
    ? becomes(lost(live, 'lost', 'The agent was to ask this again, and did not.'))
    : becomes();
}

export const asleep = (state: SessionState): LiveInteraction[] => deferredAs('asleep', state);

/** Asked again by a process; when that is gone, the next one asks once more. */
export const raised = (state: SessionState): LiveInteraction[] => deferredAs('raised', state);

const deferredAs = (how: 'asleep' | 'raised', state: SessionState): LiveInteraction[] =>
  hasDeferred(state) ? valuesOf(state.interactions).filter(({ deferred }) => deferred === how) : [];

const lost = (
  { requested, decided }: LiveInteraction,
  outcome: 'lost' | 'withdrawn',
  reason: string,
): NewEvent =>
  decided === null
    ? unanswered(requested.interactionId, { outcome, by: agent, reason })
    : undelivered(decided, reason);
