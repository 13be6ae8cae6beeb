import type { Awaited, SessionStatus, WaitingOn } from '../protocol/session.ts';
import { findValue, lastEntry, valueAt, valuesOf } from './ordered-map.ts';
import type { LiveInteraction, QueueItem, SessionState } from './state.ts';

export interface Standing {
  readonly status: SessionStatus;
  readonly waitingOn: WaitingOn;
  readonly awaited: Awaited | null;
}

const onNothing = { waitingOn: 'nothing', awaited: null } as const;

/** What a session is doing, and on whom it waits: derived, never set. */
export function statusOf(state: SessionState): Standing {
  if (state.life !== 'open') return { status: state.life, ...onNothing };
  const open = oldestAwaited(state);
  if (open !== undefined) return { status: 'waiting', ...onYou(open) };
  if (state.process === null) {
    return { status: state.wake === null ? 'asleep' : 'starting', ...onNothing };
  }
  if (state.process.phase === 'starting') return { status: 'starting', ...onNothing };
  if (isBusy(state)) return { status: 'running', ...onWork(state) };
  if (state.process.phase === 'closing') return { status: 'asleep', ...onNothing };
  return { status: 'idle', ...onNothing };
}

/** A turn runs, or a message was handed over and its turn is about to begin. */
export const isBusy = (state: SessionState): boolean =>
  state.turn !== null || state.queue.some((item) => item.sending !== null);

/** A message that was handed over at once is on its way, not in the queue. */
export const isShown = (item: QueueItem): boolean => !(item.direct && item.sending !== null);

export const interactionOf = (state: SessionState, id: string): LiveInteraction | undefined =>
  valueAt(state.interactions, id);

/** The agent's own ask that it calls so. Each process has names of its own: one of the last may mean something else in this. */
export function askOfAgent(state: SessionState, agentRequestId: string): LiveInteraction | undefined {
  if (state.process === null) return undefined;
  const id = valueAt(state.requests, requestKey(state.process.id, agentRequestId));
  return id === undefined ? undefined : interactionOf(state, id);
}

/** Where `requests` has an agent's ask; a tool's is not there. */
export const requestKeyOf = (live: LiveInteraction | undefined): string | undefined =>
  live === undefined || live.requested.ask.tool !== undefined
    ? undefined
    : requestKey(live.requested.processId, live.requested.ask.agentRequestId);

const requestKey = (processId: string, agentRequestId: string): string => `${processId} ${agentRequestId}`;

/** Oldest first. */
export const openInteractions = (state: SessionState): LiveInteraction[] =>
  state.counts.open === 0 ? [] : valuesOf(state.interactions).filter((live) => live.decided === null);

/** The session cannot go on without it; an ask that was left open leaves the agent free. */
export const isAwaited = ({ decided, leftOpen }: LiveInteraction): boolean =>
  decided === null && leftOpen === null;

/** The agent has a call to finish before it can take a message, though no turn of it has begun. */
export const hasDeferred = (state: SessionState): boolean => state.counts.deferred > 0;

export const hasToolAsk = (state: SessionState): boolean => state.counts.ofTools > 0;

export const wantsProcess = (state: SessionState): boolean =>
  state.life === 'open' && state.process === null && state.wake !== null;

export const canSleep = (state: SessionState): boolean =>
  state.process?.phase === 'ready' &&
  !isBusy(state) &&
  state.queue.length === 0 &&
  state.tasks.size === 0 &&
  state.counts.awaited === 0;

const oldestAwaited = (state: SessionState): LiveInteraction | undefined =>
  state.counts.awaited === 0 ? undefined : findValue(state.interactions, isAwaited);

const onYou = ({ requested }: LiveInteraction): Omit<Standing, 'status'> => ({
  waitingOn: 'you',
  awaited: { what: requested.ask.title, id: requested.interactionId },
});

function onWork(state: SessionState): Omit<Standing, 'status'> {
  const innermost = lastEntry(state.tools);
  if (innermost === undefined) return { waitingOn: 'model', awaited: null };
  const { key: id, value: tool } = innermost;
  return { waitingOn: tool.startsAgent ? 'sub-agent' : 'tool', awaited: { what: tool.name, id } };
}
