import { accept, type Result, refuse } from '../protocol/errors.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { Actor, LeftOpen } from '../protocol/interaction.ts';
import { becomes, type CommandOf, type Context, type Decided } from './command.ts';
import { interruptedTurn, unanswered, undelivered } from './interactions.ts';
import { MOST_OPEN_ASKS, parksAt } from './limits.ts';
import { enqueue } from './messages.ts';
import { valuesOf } from './ordered-map.ts';
import type { LiveInteraction, SessionState } from './state.ts';
import { hasToolAsk, interactionOf } from './status.ts';

const server: Actor = { kind: 'server' };

/**
 * An interactive tool asks a person. What takes the place of an ask that was left open is left open, too: no call waits for it,
 * and the agent may be asleep.
 */
export function toolAsk(
  state: SessionState,
  command: CommandOf<'tool-ask'>,
  context: Context,
): Result<Decided> {
  if (state.life === 'stopped') return refuse('session_stopped');
  if (state.life === 'failed') return refuse('session_failed');
  const { interactionId, ask, expiresAt } = command;
  const replaced = ask.tool?.replaces === undefined ? undefined : interactionOf(state, ask.tool.replaces);
  if (replaced === undefined && state.counts.open >= MOST_OPEN_ASKS) {
    return refuse('too_many_asks', `${MOST_OPEN_ASKS} things are asked in this session and not answered.`);
  }
  const leftOpen = replaced?.leftOpen ?? null;
  const run = state.process?.phase === 'closing' ? null : state.process;
  const processId = run?.id ?? (leftOpen === null ? undefined : replaced?.requested.processId);
  if (processId === undefined) return refuse('agent_not_running');
  const requested: NewEvent = {
    type: 'interaction.requested',
    interactionId,
    turnId: leftOpen === null ? (state.turn?.id ?? null) : (replaced?.requested.turnId ?? null),
    processId,
    ask: { ...ask, agentRequestId: `tool:${interactionId}` },
    ...(expiresAt === undefined || leftOpen !== null ? {} : { expiresAt }),
    ...(leftOpen === null ? parksAt(state.askTimeout, context.at) : {}),
  };
  return accept({
    events: leftOpen === null ? [requested] : [requested, left(interactionId, leftOpen)],
  });
}

/** The tool no longer waits, and nobody had answered. In a turn that is being interrupted, that is the interrupt's doing. */
export function endAsk(state: SessionState, command: CommandOf<'end-ask'>): Result<Decided> {
  const live = waitingAsk(state, command.interactionId);
  if (!live.ok) return live;
  const { interactionId } = command;
  const interrupted = command.outcome === 'withdrawn' && state.turn?.interrupting != null;
  const { outcome, reason } = interrupted ? interruptedTurn : command;
  const by: Actor = { kind: command.outcome === 'expired' ? 'timer' : 'agent' };
  return becomes(unanswered(interactionId, { outcome, by, reason }));
}

export function leaveOpen(state: SessionState, command: CommandOf<'leave-open'>): Result<Decided> {
  const { interactionId, message } = command;
  const known = interactionOf(state, interactionId);
  if (known?.decided === null && known.leftOpen?.cause === 'tool') {
    const same = message === undefined || message === known.leftOpen.message;
    return accept({ events: same ? [] : [left(interactionId, { cause: 'tool', message })] });
  }
  const live = waitingAsk(state, interactionId);
  if (!live.ok) return live;
  return accept({
    events: [left(interactionId, { cause: 'tool', ...(message === undefined ? {} : { message }) })],
  });
}

/** An answer after the call: the end of the ask and the message that carries it are one step, so that it is sent once. */
export function deliverLate(state: SessionState, command: CommandOf<'deliver-late'>): Result<Decided> {
  const { interactionId, messageId, text } = command;
  const decided = interactionOf(state, interactionId)?.decided;
  if (decided === undefined || decided === null) return accept({ events: [] });
  if (state.life === 'stopped') return accept({ events: [undelivered(decided, 'The session was stopped.')] });
  const { outcome, by } = decided;
  const message = enqueue(state, {
    type: 'send',
    messageId,
    text,
    images: [],
    disposition: 'auto',
    replace: false,
    clientMessageId: null,
    by,
  });
  return accept({
    events: [
      { type: 'interaction.resolved', interactionId, outcome, by, delivered: true },
      ...message.map((event) =>
        event.type === 'message.queued' ? { ...event, answers: interactionId } : event,
      ),
    ],
  });
}

/** The server ends, and with it every run of a tool. What they ask is not lost: it stays open for a late answer. */
export const leaveBehind = (state: SessionState): NewEvent[] =>
  toolAsks(state).map(({ requested }) => left(requested.interactionId, { cause: 'server-ended' }));

/** An agent need not take back a call that it no longer waits for: what the call asks ends with the turn. */
export const interruptAsks = (state: SessionState): NewEvent[] =>
  toolAsks(state)
    .filter(({ decided }) => decided === null)
    .map(({ requested }) => unanswered(requested.interactionId, { ...interruptedTurn, by: server }));

/** What tools that still run have asked. */
const toolAsks = (state: SessionState): LiveInteraction[] =>
  hasToolAsk(state)
    ? valuesOf(state.interactions).filter(
        ({ requested, leftOpen }) => requested.ask.tool !== undefined && leftOpen === null,
      )
    : [];

const left = (interactionId: NewAsk['interactionId'], leftOpen: LeftOpen): NewEvent => ({
  type: 'interaction.left-open',
  interactionId,
  leftOpen,
});
type NewAsk = CommandOf<'tool-ask'>;

/** An ask of a tool that nobody has answered and the tool waits for. */
function waitingAsk(state: SessionState, interactionId: string): Result<LiveInteraction> {
  const live = interactionOf(state, interactionId);
  if (live?.requested.ask.tool === undefined) return refuse('interaction_not_found');
  if (live.decided !== null) {
    return refuse('interaction_already_resolved', undefined, { outcome: live.decided.outcome });
  }
  return live.leftOpen === null
    ? accept(live)
    : refuse('interaction_gone', 'The tool no longer waits for this; it stays open for a late answer.');
}
