import type { ControlRoom } from '../../engine/ports/control-room.ts';
import type { Outbox } from './outbox.ts';
import type { Follow, Voice } from './subscriber.ts';

const pageSize = 100;
const stepBytes = 64 * 1024;

/**
 * Sends the next stored events, as many as the client takes. When the store has no more, the session is live from this very
 * moment: nothing can be published between the reading and the switch, and nothing is sent twice, because live events up to
 * `sentSeq` are left out.
 */
export function catchUpStep(options: {
  readonly room: ControlRoom;
  readonly follow: Follow;
  readonly outbox: Outbox;
  readonly voice: Voice;
}): void {
  const { room, follow, outbox, voice } = options;
  const page = room.eventsAfter(follow.sessionId, follow.sentSeq, pageSize);
  let bytes = 0;
  for (const event of page) {
    const chunk = voice.news(follow, [{ kind: 'event', event }]);
    outbox.push(chunk);
    follow.sentSeq = event.seq;
    bytes += chunk.length;
    if (bytes < stepBytes) continue;
    outbox.flush();
    bytes = 0;
    if (outbox.full) return;
  }
  outbox.flush();
  follow.live = page.length < pageSize;
}
