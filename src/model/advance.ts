import type { NewEvent } from '../protocol/event.ts';
import type { SessionState } from './state.ts';
import { canSleep, hasDeferred, isBusy } from './status.ts';

/** What a session does next by itself: it sends what waits, or closes after its turn. */
export function advance(state: SessionState): readonly NewEvent[] {
  if (state.life !== 'open' || state.process?.phase !== 'ready' || isBusy(state) || hasDeferred(state))
    return [];
  const next = state.queue[0];
  if (next !== undefined) {
    return [{ type: 'message.sending', messageId: next.queued.messageId, applied: 'send' }];
  }
  if (state.closeAfterTurn && state.process.turns > 0 && canSleep(state)) {
    return [{ type: 'process.closing', processId: state.process.id, cause: 'turn-ended' }];
  }
  return [];
}
