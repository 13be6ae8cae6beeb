import type { Ask } from '../../src/protocol/interaction.ts';
import type { EngineRoom } from './engine-room.ts';

export const HOUR = 3_600_000;

/** One that can be left for later. Whatever request it comes with, it is about the same call. */
export const question = (agentRequestId: string): Ask => ({
  kind: 'question',
  agentRequestId,
  toolName: 'AskUserQuestion',
  toolCallId: 'call-1',
  title: 'Which one?',
  input: {},
  questions: [{ question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false }],
  requiresPerson: true,
  deferrable: true,
});

/** A session whose agent sleeps until its question is answered, in a room that defers after an hour. */
export async function asleep(room: EngineRoom): Promise<{ id: string; requestId: string }> {
  const [id, agent] = await room.running();
  const { requestId } = await room.asks(id, question('first'));
  room.clock.pass(HOUR + 10_000);
  await room.until('deferred', () => agent.kinds().includes('defer'));
  agent.end('suspended');
  await room.event(id, 'process.exited');
  return { id, requestId };
}
