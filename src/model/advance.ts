import type { NewEvent } from '../protocol/event.ts';
import type { Context } from './command.ts';
import { raised } from './deferred-asks.ts';
import { expiredGrant, isInForce } from './grants.ts';
import { heldUp } from './machine-away.ts';
import type { SessionState } from './state.ts';
import { canSleep, hasDeferred, isBusy } from './status.ts';

/**
 * What a session does next by itself: it ends grants whose time is up, puts off again what the process that had raised it left
 * unanswered, sends what waits, or closes after its turn. While its machine is away it says of answers that they wait, and sends nothing.
 */
export function advance(
  state: SessionState,
  { at, away, mint }: Pick<Context, 'at' | 'away' | 'mint'>,
): readonly NewEvent[] {
  const expired = state.grants.filter((grant) => !isInForce(grant, at));
  if (expired.length > 0) return expired.map(expiredGrant);
  const orphaned = state.process === null ? raised(state) : [];
  if (orphaned.length > 0) {
    return orphaned.map(({ requested: { interactionId } }) => ({
      type: 'interaction.deferred',
      interactionId,
    }));
  }
  if (away !== undefined) return heldUp(state, away);
  if (state.life !== 'open' || state.process?.phase !== 'ready' || isBusy(state) || hasDeferred(state))
    return [];
  const next = state.queue[0];
  if (next !== undefined) {
    const { messageId } = next.queued;
    return [{ type: 'message.sending', messageId, applied: 'send', turnId: mint('turn') }];
  }
  if (state.closeAfterTurn && state.process.turns > 0 && canSleep(state)) {
    return [{ type: 'process.closing', processId: state.process.id, cause: 'turn-ended' }];
  }
  return [];
}
