import { SessionId } from '../../src/protocol/ids.ts';
import type { KeptProcess } from '../../src/runner/ports/process-host.ts';
import { type EngineRoom, openRoom } from './engine-room.ts';

/** The process of a session, as a host tells of it. */
export const keptOf = (room: EngineRoom, id: string): KeptProcess => ({
  id: room.driver.agent(id).start.processId,
  sessionId: SessionId.parse(id),
  running: true,
  outputEnd: 0,
});

/** Another server on the same log, after the first was killed; the processes of these sessions are still there. */
export async function takeOver(first: EngineRoom, ids: readonly string[]): Promise<EngineRoom> {
  const kept = ids.map((id) => keptOf(first, id));
  first.abandon();
  return openRoom({ log: first.log, clock: first.clock, run: 'second', kept });
}
