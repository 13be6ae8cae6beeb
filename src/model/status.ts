import type { SessionStatus, WaitingOn } from '../protocol/session.ts';
import type { LiveInteraction, SessionState } from './state.ts';

/** What a session is doing, and on whom it waits: derived, never set. */
export function statusOf(state: SessionState): { status: SessionStatus; waitingOn: WaitingOn } {
  if (state.life !== 'open') return { status: state.life, waitingOn: { kind: 'nothing' } };
  const open = oldestOpen(state);
  if (open !== undefined) return { status: 'waiting', waitingOn: onYou(open) };
  if (state.process === null) {
    return { status: state.wake === null ? 'asleep' : 'starting', waitingOn: { kind: 'nothing' } };
  }
  if (state.process.phase === 'starting') return { status: 'starting', waitingOn: { kind: 'nothing' } };
  if (isBusy(state)) return { status: 'running', waitingOn: onWork(state) };
  if (state.process.phase === 'closing') return { status: 'asleep', waitingOn: { kind: 'nothing' } };
  return { status: 'idle', waitingOn: { kind: 'nothing' } };
}

/** A turn runs, or a message was handed over and its turn is about to begin. */
export const isBusy = (state: SessionState): boolean =>
  state.turn !== null || state.queue.some((item) => item.sending !== null);

/** By an id that a caller gave: `constructor` is no interaction. */
export const interactionOf = (state: SessionState, id: string): LiveInteraction | undefined =>
  Object.hasOwn(state.interactions, id) ? state.interactions[id] : undefined;

export const openInteractions = (state: SessionState): LiveInteraction[] =>
  Object.values(state.interactions).filter((live) => live.decided === null);

export const wantsProcess = (state: SessionState): boolean =>
  state.life === 'open' && state.process === null && state.wake !== null;

export const canSleep = (state: SessionState): boolean =>
  state.process?.phase === 'ready' &&
  !isBusy(state) &&
  state.queue.length === 0 &&
  oldestOpen(state) === undefined;

function oldestOpen(state: SessionState): LiveInteraction | undefined {
  for (const id in state.interactions) {
    const live = state.interactions[id];
    if (live?.decided === null) return live;
  }
  return undefined;
}

const onYou = (live: LiveInteraction): WaitingOn => ({
  kind: 'you',
  what: live.requested.ask.title,
  id: live.requested.interactionId,
});

function onWork(state: SessionState): WaitingOn {
  let innermost: [string, SessionState['tools'][string]] | undefined;
  for (const id in state.tools) {
    const tool = state.tools[id];
    if (tool !== undefined) innermost = [id, tool];
  }
  if (innermost === undefined) return { kind: 'model' };
  const [id, tool] = innermost;
  return { kind: tool.startsAgent ? 'sub-agent' : 'tool', what: tool.name, id };
}
