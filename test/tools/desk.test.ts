import { SessionId } from '../../src/protocol/ids.ts';
import type { Outcome } from '../../src/protocol/interaction.ts';
import { MemoryDesk } from '../../src/tools/testing/memory-desk.ts';
import { type DeskUnderTest, describeToolDesk } from '../contracts/tool-desk-contract.ts';
import { openRoom, person } from '../support/engine-room.ts';
import { settled } from './tool-bench.ts';

describeToolDesk('the desk in memory, with which tools are tested', async () => {
  const desk = new MemoryDesk();
  const sessionId = SessionId.parse('ses_1');
  return {
    desk,
    sessionId,
    respond: (id, response) => desk.respond(id, response),
    interrupt: async () => desk.interrupt(sessionId),
    stop: async () => desk.stop(sessionId),
    setAvailable: (available) => {
      desk.isAvailable = () => available;
    },
    outcome: async (id) => desk.puts.find((put) => put.id === id)?.outcome,
    lateMessages: () => desk.lateMessages,
    settled,
    close: async () => {},
  };
});

describeToolDesk('the engine’s desk', async (): Promise<DeskUnderTest> => {
  const room = await openRoom();
  const [id, agent] = await room.running();
  const page = room.engine.clients.connect({
    label: 'test',
    interaction: { supported: true, enabled: true },
  });
  return {
    desk: room.engine.tools,
    sessionId: SessionId.parse(id),
    respond: (interactionId, response) =>
      room.engine.dispatch('respond', { session: id, interactionId, ...response }, person),
    async interrupt() {
      await room.do('interrupt', { session: id });
      agent.end('interrupted');
      await room.event(id, 'turn.ended');
    },
    async stop() {
      await room.do('stop', { session: id });
      await room.event(id, 'process.exited');
    },
    setAvailable: (enabled) => page.setInteraction({ supported: true, enabled }),
    outcome: async (interactionId): Promise<Outcome | undefined> =>
      (await room.interaction(id, interactionId)).outcome,
    lateMessages: () =>
      room
        .all(id, 'message.queued')
        .filter(({ answers }) => answers !== undefined)
        .map(({ text }) => text),
    async settled() {
      await settled();
      await room.drained(id);
      await settled();
    },
    close: () => room.end(),
  };
});
