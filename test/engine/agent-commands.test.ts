import { describe, expect, test } from 'vitest';
import type { AgentCommand } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

const review: AgentCommand = { name: 'review', description: 'Looks at a change', hint: '<branch>' };
const compact: AgentCommand = { name: 'compact', description: 'Makes room' };

async function commandsOf(room: EngineRoom, id: string): Promise<unknown> {
  return (await room.do('getSession', { session: id })).body.commands;
}

/** A session whose agent has told its commands. */
async function offering(): Promise<[EngineRoom, string]> {
  const room = await openRoom();
  const [id, agent] = await room.idle();
  agent.reportAt(50, { type: 'commands-changed', commands: [review, compact] });
  await room.event(id, 'commands.changed');
  return [room, id];
}

describe('the commands of an agent', () => {
  test('[API1] are given with the one session and with its snapshot, and with nothing that all hear', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    expect(await commandsOf(room, id)).toEqual([]);
    const heard = room.news.length;
    agent.report({ type: 'commands-changed', commands: [review, compact] });
    await room.event(id, 'commands.changed');
    expect(await commandsOf(room, id)).toEqual([review, compact]);
    expect(room.snapshot(id).commands).toEqual([review, compact]);
    expect(room.news.slice(heard).map(({ kind }) => kind)).toEqual(['session']);
    const renamed = await room.do('patchSession', { session: id, title: 'Another' });
    const { body: all } = await room.do('listSessions');
    expect(JSON.stringify([renamed.body, all, room.engine.overview()])).not.toContain('review');
    expect(JSON.stringify(room.announcements('session-updated'))).not.toContain('review');
  });

  test('[SES10] are known after a restart, before the agent wakes', async () => {
    const [first, id] = await offering();
    await first.end();
    const second = await openRoom({ log: first.log, clock: first.clock, run: 'second' });
    expect(second.driver.agents).toEqual([]);
    expect(await commandsOf(second, id)).toEqual([review, compact]);
    await second.do('sendMessage', { session: id, message: 'go on' });
    await second.until('the agent', () => second.driver.agents.length > 0);
    second.driver.agent(id).ready();
    second.driver.agent(id).report({ type: 'commands-changed', commands: [compact] });
    await second.event(id, 'commands.changed', ({ commands }) => commands.length === 1);
    expect(await commandsOf(second, id)).toEqual([compact]);
  });

  test('[SES10] are not told twice by an agent that a server takes up', async () => {
    const [first, id] = await offering();
    const second = await takeOver(first, [id]);
    const taken = second.driver.agent(id);
    taken.reportAt(60, { type: 'commands-changed', commands: [review, compact] });
    taken.report({ type: 'caught-up' });
    await second.drained(id);
    expect(second.all(id, 'commands.changed')).toHaveLength(1);
    expect(await commandsOf(second, id)).toEqual([review, compact]);
  });
});
