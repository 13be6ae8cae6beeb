import { describe, expect, it } from 'vitest';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const alive = (room: EngineRoom): string[] =>
  room.driver.agents.filter((agent) => !agent.exited).map((agent) => agent.start.sessionId);
const agentOf = (room: EngineRoom, id: string) =>
  room.until(`an agent for ${id}`, () => alive(room).includes(id)).then(() => room.driver.agent(id));

describe('[SES8] crashes', () => {
  it('one is mended by itself, with the same conversation; the second within a minute fails the session, with stderr', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    await room.do('sendMessage', { session: id, message: 'later' });
    agent.exit(1, null, ['first']);
    await room.until('a second process', () => room.driver.agents.length === 2);
    const second = room.driver.agent(id);
    expect(second.start.resume).toBe(`own-${id}`);
    expect(second.start.processId).not.toBe(agent.start.processId);
    second.ready();
    await room.until('what waited is sent', () => second.sent()[0]);
    room.clock.pass(59_000);
    second.exit(null, 'SIGSEGV', ['panic: out of luck']);
    await room.event(id, 'session.failed');
    expect(await room.session(id)).toMatchObject({
      status: 'failed',
      failure: { reason: 'The agent was ended by SIGSEGV.', stderr: ['panic: out of luck'] },
    });
    expect(await room.queue(id)).toEqual(['later']);
    expect(room.announcements('session-ended')).toHaveLength(1);
    expect((await room.refused('sendMessage', { session: id, message: 'x' })).code).toBe('session_failed');
    await room.do('resume', { session: id });
    await room.until('a third process', () => room.driver.agents.length === 3);
    room.driver.agent(id).ready();
    await room.until('what waited is sent', () => room.driver.agent(id).sent()[0]);
  });

  it('a crash a minute later is a first one again', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.exit(1);
    await room.until('a second process', () => room.driver.agents.length === 2);
    room.driver.agent(id).ready();
    await room.until('ready', () => room.all(id, 'process.ready').length === 2);
    room.clock.pass(60_000);
    room.driver.agent(id).exit(1);
    await room.until('a third process', () => room.driver.agents.length === 3);
    expect(room.all(id, 'session.failed')).toEqual([]);
  });

  it('the words of a process that is gone no longer count', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.exit(1);
    await room.until('a second process', () => room.driver.agents.length === 2);
    agent.report({ type: 'asked', ask: bashAsk('r9', 'ls') }, { type: 'turn-started' });
    await room.drained(id);
    expect(room.all(id, 'interaction.requested')).toEqual([]);
    expect(room.all(id, 'turn.started')).toHaveLength(1);
  });
});

describe('[SES11] limits', () => {
  it('no more processes than allowed: the longest idle sleeps first', async () => {
    const room = await openRoom({ settings: { mostProcesses: 2 } });
    const [a] = await room.idle();
    room.clock.pass(1000);
    const [b] = await room.idle();
    room.clock.pass(1000);
    const { id: c } = await room.create({ prompt: 'hello' });
    await agentOf(room, c);
    expect(alive(room)).toEqual([b, c]);
    expect((await room.session(a)).status).toBe('asleep');
    expect(room.all(a, 'process.closing')).toMatchObject([{ cause: 'sleep' }]);
  });

  it('never a session that works or waits for a person: the newcomer waits in line', async () => {
    const room = await openRoom({ settings: { mostProcesses: 2 } });
    const [a, agentA] = await room.running();
    const [b] = await room.idle();
    room.driver.agent(b).report({ type: 'asked', ask: bashAsk('r1', 'ls') });
    const { interactionId } = await room.event(b, 'interaction.requested');
    const { id: c } = await room.create({ prompt: 'hello' });
    await room.drained(c);
    expect(alive(room)).toEqual([a, b]);
    expect((await room.session(c)).status).toBe('starting');
    await room.do('approve', { session: b, requestId: interactionId, decision: 'allow' });
    await agentOf(room, c);
    expect(alive(room)).toEqual([a, c]);
    agentA.end();
  });

  it('those in line come first in, first out, as places become free', async () => {
    const room = await openRoom({ settings: { mostProcesses: 1 } });
    const [a, agentA] = await room.running();
    const ids = [(await room.create()).id, (await room.create()).id, (await room.create()).id];
    expect(alive(room)).toEqual([a]);
    await room.do('stop', { session: ids[1] ?? '' });
    agentA.end();
    const [first, , third] = ids;
    if (first === undefined || third === undefined) throw new Error('three were made');
    (await agentOf(room, first)).ready();
    await agentOf(room, third);
    expect(alive(room)).toEqual([third]);
    expect(room.driver.agents.map((agent) => agent.start.sessionId)).toEqual([a, first, third]);
  });

  it('nobody makes room for one that has left the line', async () => {
    const room = await openRoom({ settings: { mostProcesses: 1 } });
    const [a, agentA] = await room.running();
    const { id: b } = await room.create();
    await room.do('stop', { session: b });
    agentA.end();
    await room.event(a, 'turn.ended');
    await room.drained(a);
    expect(room.all(a, 'process.closing')).toEqual([]);
  });

  it('one that was put to sleep for others and is woken meanwhile goes to the end of the line', async () => {
    const room = await openRoom({ settings: { mostProcesses: 1 } });
    const [a, agentA] = await room.idle();
    agentA.endsWhenAsked = false;
    const { id: b } = await room.create();
    await room.event(a, 'process.closing');
    await room.do('sendMessage', { session: a, message: 'me again' });
    agentA.exit(0);
    const agentB = await agentOf(room, b);
    expect(alive(room)).toEqual([b]);
    expect(await room.queue(a)).toEqual(['me again']);
    agentB.ready();
    await agentOf(room, a);
  });

  it('a crashed one keeps its place', async () => {
    const room = await openRoom({ settings: { mostProcesses: 1 } });
    const [a, agentA] = await room.running();
    const { id: b } = await room.create();
    agentA.exit(1);
    await room.until('a second process', () => room.driver.agents.length === 2);
    expect(alive(room)).toEqual([a]);
    expect((await room.session(b)).status).toBe('starting');
  });

  it('a failed start gives its place to the next', async () => {
    const room = await openRoom({ settings: { mostProcesses: 1 } });
    const { id: a } = await room.create();
    const { id: b } = await room.create();
    (await agentOf(room, a)).report({
      type: 'exited',
      code: null,
      signal: null,
      startError: 'no program',
      stderr: [],
    });
    await agentOf(room, b);
    expect((await room.session(a)).status).toBe('failed');
  });

  it('idle for long enough: asleep, and a message wakes it with its conversation', async () => {
    const room = await openRoom({ settings: { idleMs: 60_000 } });
    const [id, agent] = await room.idle();
    room.clock.pass(55_000);
    await room.drained(id);
    expect((await room.session(id)).status).toBe('idle');
    room.clock.pass(10_000);
    await room.event(id, 'process.exited');
    expect((await room.session(id)).status).toBe('asleep');
    expect(agent.exited).toBe(true);
    expect(await room.do('sendMessage', { session: id, message: 'good morning' })).toMatchObject({
      status: 202,
    });
    await room.until('a second process', () => room.driver.agents.length === 2);
    expect(room.driver.agent(id).start.resume).toBe(`own-${id}`);
    room.driver.agent(id).ready();
    await room.until('the message', () => room.driver.agent(id).sent()[0]);
  });

  it('work that goes on in the background keeps its agent awake until it is done', async () => {
    const room = await openRoom({ settings: { idleMs: 60_000 } });
    const [id, agent] = await room.running();
    const task = (status: 'running' | 'completed') =>
      agent.report({ type: 'said', event: { type: 'task.changed', taskId: 't1', status } });
    task('running');
    agent.end();
    await room.event(id, 'turn.ended');
    room.clock.pass(600_000);
    await room.drained(id);
    expect(room.all(id, 'process.closing')).toEqual([]);
    task('completed');
    await room.drained(id);
    room.clock.pass(600_000);
    await room.event(id, 'process.closing');
  });

  it('a session that works, waits for a person or starts is never put to sleep by a timer', async () => {
    const room = await openRoom({ settings: { idleMs: 60_000 } });
    const [working] = await room.running();
    const [asking] = await room.running();
    await room.asks(asking, bashAsk('r1', 'ls'));
    room.driver.agent(asking).end();
    await room.event(asking, 'turn.ended');
    const { id: starting } = await room.create();
    await room.event(starting, 'process.starting');
    room.clock.pass(3_600_000);
    for (const id of [working, asking, starting]) {
      await room.drained(id);
      expect(room.all(id, 'process.closing')).toEqual([]);
    }
  });
});

describe('[SES2] many sessions', () => {
  it('thirty at once: each answer, message and event belongs to its own', async () => {
    const room = await openRoom();
    const sessions = await Promise.all(Array.from({ length: 30 }, () => room.running()));
    await Promise.all(sessions.map(([id], index) => room.asks(id, bashAsk('r1', `echo ${index}`))));
    await Promise.all(
      sessions.map(([id], index) =>
        room.do('approve', {
          session: id,
          toolCallId: 'call-r1',
          decision: 'allow',
          updatedInput: { command: `echo ${index}!` },
        }),
      ),
    );
    for (const [index, [id, agent]] of sessions.entries()) {
      await room.event(id, 'interaction.resolved');
      expect(agent.answers()).toMatchObject([
        {
          ask: { input: { command: `echo ${index}` } },
          decision: { updatedInput: { command: `echo ${index}!` } },
        },
      ]);
      expect(room.events(id).map((event) => event.seq)).toEqual(room.events(id).map((_, at) => at + 1));
    }
  });
});
