import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { EventOf, NewEvent } from '../protocol/event.ts';
import type { MessageId } from '../protocol/ids.ts';
import type { Applied } from '../protocol/session.ts';
import { type Away, becomes, type CommandOf, type Decided, type SendCommand } from './command.ts';
import { MOST_QUEUED } from './limits.ts';
import type { QueueItem, SessionState } from './state.ts';
import { hasDeferred, isBusy } from './status.ts';

/** Takes a message; whether it is sent at once, queued, interrupts or steers is settled here and told to the sender. */
export function send(state: SessionState, command: SendCommand, away?: Away): Result<Decided> {
  if (state.life === 'stopped') return refuse('session_stopped');
  if (state.life === 'failed') return refuse('session_failed');
  if (command.text.trim() === '' && command.images.length === 0) return refuse('blank_message');
  if (earlierSend(state, command.clientMessageId) !== undefined) return becomes();
  if (state.queue.length >= MOST_QUEUED && !command.replace) {
    return refuse('queue_full', `${MOST_QUEUED} messages wait already.`);
  }
  return becomes(...enqueue(state, command, away));
}

/** Puts a message that was accepted into the queue, or on its way. */
export function enqueue(state: SessionState, command: SendCommand, away?: Away): NewEvent[] {
  const events: NewEvent[] = [];
  if (command.replace) {
    for (const { queued } of waiting(state)) {
      const { messageId } = queued;
      events.push({ type: 'message.removed', messageId, cause: 'replaced', by: command.by });
    }
  }
  const ahead = state.queue.filter((item) => item.sending !== null && !item.direct).length;
  const left = command.replace ? 0 : waiting(state).length;
  const { applied, reason } = apply(state, command, away);
  const place = command.disposition === 'interrupt' ? 'head' : 'tail';
  events.push({
    type: 'message.queued',
    messageId: command.messageId,
    text: command.text,
    images: command.images,
    disposition: command.disposition,
    place,
    applied,
    reason,
    position: place === 'head' ? ahead + 1 : ahead + left + 1,
    clientMessageId: command.clientMessageId,
    ...(command.review && { review: command.review }),
    by: command.by,
  });
  if (applied === 'steer') events.push({ type: 'message.sending', messageId: command.messageId, applied });
  if (applied === 'interrupt' && state.turn !== null && state.turn.interrupting === null) {
    events.push({ type: 'turn.interrupting', turnId: state.turn.id, by: command.by });
  }
  return events;
}

/** The same client-made id again is the same message. */
export const earlierSend = (
  state: SessionState,
  clientMessageId: string | null,
): EventOf<'message.queued'> | undefined =>
  clientMessageId === null
    ? undefined
    : state.recentSends.find((earlier) => earlier.clientMessageId === clientMessageId);

/** What was handed over and never taken goes back to where it came from. */
export const requeueInFlight = (state: SessionState, reason: string): NewEvent[] =>
  state.queue
    .filter((item) => item.sending !== null)
    .map((item) => ({ type: 'message.requeued', messageId: item.queued.messageId, reason }));

const waiting = (state: SessionState): QueueItem[] => state.queue.filter((item) => item.sending === null);

function apply(
  state: SessionState,
  command: SendCommand,
  away: Away | undefined,
): { applied: Applied; reason: string | null } {
  const { disposition } = command;
  if (away !== undefined) {
    const reason = `The machine "${away.machine}" cannot be reached; the message is sent when it is back.`;
    return { applied: 'queue', reason };
  }
  if (state.process?.phase !== 'ready') {
    return {
      applied: 'queue',
      reason: 'The agent is not running yet; the message is sent as soon as it is up.',
    };
  }
  if (!isBusy(state) && !hasDeferred(state)) return { applied: 'send', reason: null };
  switch (disposition) {
    case 'auto':
      return { applied: 'queue', reason: 'The agent is busy; the message is sent when the turn ends.' };
    case 'queue':
      return { applied: 'queue', reason: null };
    case 'interrupt':
      return interruptOr(state);
    case 'steer':
      return steerOr(state);
  }
}

function interruptOr(state: SessionState): { applied: Applied; reason: string | null } {
  if (state.capabilities?.interrupt === false) {
    return {
      applied: 'queue',
      reason: 'This agent cannot be interrupted; the message is next in the queue.',
    };
  }
  if (state.turn === null) {
    return { applied: 'queue', reason: 'The turn is only about to begin; the message is next in the queue.' };
  }
  return { applied: 'interrupt', reason: null };
}

function steerOr(state: SessionState): { applied: Applied; reason: string | null } {
  if (state.capabilities?.steer !== true) {
    return {
      applied: 'queue',
      reason: 'This agent cannot be steered; the message is sent when the turn ends.',
    };
  }
  if (state.turn === null || state.turn.interrupting !== null) {
    return { applied: 'queue', reason: 'There is no turn to steer right now; the message is sent next.' };
  }
  return { applied: 'steer', reason: null };
}

export function editQueued(state: SessionState, command: CommandOf<'edit-queued'>): Result<Decided> {
  const found = findWaiting(state, command.messageId);
  if (!found.ok) return found;
  if (
    command.message !== undefined &&
    command.message.trim() === '' &&
    found.value.queued.images.length === 0
  ) {
    return refuse('blank_message');
  }
  const { messageId, by } = command;
  const events: NewEvent[] = [];
  if (command.message !== undefined)
    events.push({ type: 'message.edited', messageId, text: command.message, by });
  if (command.position !== undefined) {
    events.push({ type: 'message.moved', messageId, position: command.position, by });
  }
  return becomes(...events);
}

export function removeQueued(state: SessionState, command: CommandOf<'remove-queued'>): Result<Decided> {
  const found = findWaiting(state, command.messageId);
  if (!found.ok) return found;
  const { messageId, by } = command;
  return becomes({ type: 'message.removed', messageId, cause: 'removed', by });
}

function findWaiting(state: SessionState, messageId: MessageId): Result<QueueItem> {
  const item = state.queue.find((other) => other.queued.messageId === messageId);
  if (item === undefined) return refuse('message_not_found');
  return item.sending === null ? accept(item) : refuse('message_already_sent');
}
