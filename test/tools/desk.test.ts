import { describe, expect, it } from 'vitest';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Interaction, Outcome } from '../../src/protocol/interaction.ts';
import { MemoryDesk } from '../../src/tools/testing/memory-desk.ts';
import { type DeskUnderTest, describeToolDesk } from '../contracts/tool-desk-contract.ts';
import { endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { deployAsk } from '../support/session-states.ts';
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

describe('the engine’s desk, beside the contract', () => {
  endRoomsAfterEach();

  it('[ASK1] [SES12] what a tool asks that a sub-agent has called belongs to that sub-agent, also when it is asked again late', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    const sessionId = SessionId.parse(id);
    const call = (toolCallId: string, name: string, parentToolCallId?: string) =>
      ({
        type: 'said',
        event: {
          type: 'tool.called',
          agentMessageId: `message-${toolCallId}`,
          block: 0,
          toolCallId,
          name,
          input: {},
          startsAgent: parentToolCallId === undefined,
          ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
        },
      }) as const;
    agent.report(call('toolu_agent', 'Agent'), call('toolu_1', 'mcp__beckon__deploy', 'toolu_agent'));
    await room.until('both calls', () => room.all(id, 'tool.called').length === 2);

    const ask = async (asked = deployAsk()): Promise<Interaction> => {
      const put = await room.engine.tools.ask(sessionId, asked, async () => null);
      if (!put.ok) throw new Error(put.refusal.message);
      return room.interaction(id, put.value);
    };
    const first = await ask();
    expect(first).toMatchObject({ toolCallId: 'toolu_1', parentToolCallId: 'toolu_agent' });
    await room.engine.tools.leaveOpen(sessionId, first.interactionId, 'Later.');
    agent.report({
      type: 'said',
      event: { type: 'tool.result', toolCallId: 'toolu_1', text: 'queued', isError: false },
    });
    await room.event(id, 'tool.result');
    const { tool } = deployAsk();
    const again = await ask(deployAsk({ tool: { ...tool, attempt: 2, replaces: first.interactionId } }));
    expect(again).toMatchObject({ parentToolCallId: 'toolu_agent' });
    const others = await ask(deployAsk({ toolCallId: 'toolu_agent' }));
    expect(others.parentToolCallId).toBeUndefined();
  });
});
