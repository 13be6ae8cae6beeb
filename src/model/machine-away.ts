import type { Result } from '../protocol/errors.ts';
import { refuse } from '../protocol/errors.ts';
import type { NewEvent } from '../protocol/event.ts';
import { InteractionId } from '../protocol/ids.ts';
import { type Away, becomes, type CommandOf, type Context, type Decided } from './command.ts';
import { settleAll } from './interactions.ts';
import { requeueInFlight } from './messages.ts';
import { valuesOf } from './ordered-map.ts';
import type { SessionState } from './state.ts';
import { openInteractions } from './status.ts';
import { leaveBehind } from './tool-asks.ts';

/** Answers that are on record while their agent's machine cannot be reached; each is told of once. What a tool asks is answered here. */
export const heldUp = (state: SessionState, { machine }: Away): NewEvent[] =>
  valuesOf(state.interactions)
    .filter(
      ({ decided, undelivered, deferred, requested }) =>
        decided !== null &&
        undelivered === undefined &&
        deferred !== 'asleep' &&
        requested.ask.tool === undefined,
    )
    .map(({ requested: { interactionId } }) => ({ type: 'interaction.undelivered', interactionId, machine }));

/**
 * A person gave up the machine: whatever waited for it ends here. Nobody knows whether the agent has ended, so what is needed to go
 * on with it is kept, for the case that the machine comes back.
 */
export function giveUp(
  state: SessionState,
  { machine, by }: CommandOf<'give-up'>,
  context: Context,
): Result<Decided> {
  if (state.life !== 'open') return becomes();
  const reason = `The machine "${machine}" was given up, and what its agent does is not known.`;
  const events: NewEvent[] = [
    ...leaveBehind(state),
    ...settleAll(
      state,
      { outcome: 'lost', by, reason },
      context,
      ({ requested }) => requested.ask.tool === undefined,
    ),
  ];
  if (state.turn !== null) {
    events.push({ type: 'turn.ended', turnId: state.turn.id, outcome: 'lost', error: reason });
  }
  events.push(...requeueInFlight(state, reason));
  if (state.process !== null) {
    events.push({
      type: 'process.exited',
      processId: state.process.id,
      code: null,
      signal: null,
      cause: 'given-up',
      crashed: false,
      reason,
      stderr: [],
      left: { inTurn: state.turn !== null, asks: unanswered(state) },
    });
  }
  return becomes(...events, { type: 'session.failed', reason, stderr: [], by });
}

/** What the agent itself asked and nobody has answered. An answer that may have arrived is not asked for again. */
const unanswered = (state: SessionState): InteractionId[] =>
  openInteractions(state)
    .filter(({ requested, deferred }) => requested.ask.tool === undefined && deferred !== 'asleep')
    .map(({ requested }) => requested.interactionId);

/**
 * Goes on with the agent of a machine that was given up and is back. What it still waits for is asked again, as something new: the
 * first ask has ended, and an end is final.
 */
export function takeRun(
  state: SessionState,
  { processId, asks, by }: CommandOf<'take-run'>,
  context: Context,
): Result<Decided> {
  const { leftRun } = state;
  if (leftRun?.run.id !== processId || state.process !== null) {
    return refuse('run_not_found', 'This session cannot go on with this run.');
  }
  const turnId = leftRun.inTurn ? context.mint('turn') : null;
  return becomes(
    { type: 'session.reopened', by },
    { type: 'process.taken', processId, by },
    ...(turnId === null ? [] : [{ type: 'turn.started', turnId, messageId: null } as const]),
    ...asks.map(
      (ask): NewEvent => ({
        type: 'interaction.requested',
        interactionId: InteractionId.parse(context.mint('interaction')),
        turnId,
        processId,
        ask,
      }),
    ),
  );
}
