import type { Awaited, SessionStatus, WaitingOn } from '../protocol/session.ts';
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
  const open = oldestOpen(state);
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

/** By an id that a caller gave: `constructor` is no interaction. */
export const interactionOf = (state: SessionState, id: string): LiveInteraction | undefined =>
  Object.hasOwn(state.interactions, id) ? state.interactions[id] : undefined;

export const openInteractions = (state: SessionState): LiveInteraction[] =>
  Object.values(state.interactions).filter((live) => live.decided === null);

/** The agent has a call to finish before it can take a message, though no turn of it has begun. */
export const hasDeferred = (state: SessionState): boolean =>
  Object.values(state.interactions).some(({ deferred }) => deferred !== null);

export const hasToolAsk = (state: SessionState): boolean =>
  Object.values(state.interactions).some(({ requested }) => requested.ask.tool !== undefined);

export const wantsProcess = (state: SessionState): boolean =>
  state.life === 'open' && state.process === null && state.wake !== null;

export const canSleep = (state: SessionState): boolean =>
  state.process?.phase === 'ready' &&
  !isBusy(state) &&
  state.queue.length === 0 &&
  state.tasks.length === 0 &&
  oldestOpen(state) === undefined;

/** What the session cannot go on without; an ask that was left open leaves the agent free. */
function oldestOpen(state: SessionState): LiveInteraction | undefined {
  for (const id in state.interactions) {
    const live = state.interactions[id];
    if (live?.decided === null && live.leftOpen === null) return live;
  }
  return undefined;
}

const onYou = ({ requested }: LiveInteraction): Omit<Standing, 'status'> => ({
  waitingOn: 'you',
  awaited: { what: requested.ask.title, id: requested.interactionId },
});

function onWork(state: SessionState): Omit<Standing, 'status'> {
  let innermost: [string, SessionState['tools'][string]] | undefined;
  for (const id in state.tools) {
    const tool = state.tools[id];
    if (tool !== undefined) innermost = [id, tool];
  }
  if (innermost === undefined) return { waitingOn: 'model', awaited: null };
  const [id, tool] = innermost;
  return { waitingOn: tool.startsAgent ? 'sub-agent' : 'tool', awaited: { what: tool.name, id } };
}
