import type { Transport } from '../../client/transport.ts';
import type { Session } from '../../protocol/session.ts';
import type { Console } from '../console.ts';
import { safeJson } from '../render/safe-text.ts';
import { endOfWatch } from './end-of-watch.ts';
import type { Watching } from './watch.ts';

/** A session's news for machines: one JSON object a line. */
export function followAsJson(
  transport: Transport,
  session: Session,
  { stdout }: Console,
  watching: Watching,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const put = (line: Readonly<Record<string, unknown>>) => stdout.write(`${safeJson(line)}\n`);
    const leave = (exitCode: number) => {
      unfollow();
      resolve(exitCode);
    };
    const end = endOfWatch(transport, watching, { onCaughtUp() {}, onOver: leave });
    const unfollow = transport.follow(session.id, {
      after: watching.after,
      onSnapshot(snapshot) {
        put({ type: 'snapshot', snapshot });
        end.snapshot(snapshot);
      },
      onEvent(event) {
        put({ type: 'event', event });
        end.event(event);
      },
      onDelta: (delta) => void put({ type: 'delta', delta }),
      onConnection(connection) {
        if (connection.state === 'closed' && connection.error !== undefined) reject(connection.error);
      },
    });
  });
}
