import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import type { ScriptedAgent } from '../support/scripted-driver.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();
const directories: string[] = [];
const directory = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-engine-')));
  directories.push(made);
  return made;
};
afterEach(() => {
  for (const made of directories.splice(0)) rmSync(made, { recursive: true, force: true });
});

describe('[SES1] [SES9] starting a session', () => {
  it('is told to all, and its first message is sent when the agent is up', async () => {
    const room = await openRoom();
    const session = await room.create({
      title: ' Fix it ',
      prompt: 'Fix the bug',
      key: 'task-1',
      labels: ['urgent'],
      permissionMode: 'plan',
      model: 'big',
      env: { MAX_THINKING_TOKENS: '5' },
    });
    expect(session).toMatchObject({
      status: 'starting',
      title: 'Fix it',
      key: 'task-1',
      labels: ['urgent'],
      queueLength: 1,
    });
    expect(room.announcements('session-started')).toMatchObject([
      { data: { id: session.id, sessionId: session.id } },
    ]);
    await room.event(session.id, 'process.starting');
    const agent = room.driver.agent(session.id);
    expect(agent.start).toMatchObject({
      permissionMode: 'plan',
      model: 'big',
      resume: null,
      env: { MAX_THINKING_TOKENS: '5' },
    });
    expect(agent.sent()).toEqual([]);
    agent.ready();
    await room.until('the message', () => agent.sent()[0]);
    expect(agent.sent()).toMatchObject([{ text: 'Fix the bug' }]);
    expect((await room.session('task-1')).id).toBe(session.id);
  });

  it('title and description make the first message', async () => {
    const room = await openRoom();
    const { id } = await room.create({ title: 'Login', description: 'The button does nothing.' });
    expect(await room.queue(id)).toEqual(['Login\n\nThe button does nothing.']);
  });

  it('a title is taken from the prompt, or from the directory', async () => {
    const room = await openRoom();
    expect((await room.create({ prompt: '\n  Say hello \nand more' })).title).toBe('Say hello');
    expect((await room.create({ prompt: '🙂'.repeat(100) })).title).toBe(`${'🙂'.repeat(79)}…`);
    expect((await room.create({ cwd: directory() })).title).toMatch(/^beckon-engine-/);
  });

  it('the session and its first message are stored together or not at all', async () => {
    const room = await openRoom();
    const { id } = await room.create({ prompt: 'hello' });
    expect(
      room
        .events(id)
        .map((event) => event.type)
        .slice(0, 2),
    ).toEqual(['session.created', 'message.queued']);
    const heard = room.news.findIndex((news) => news.kind === 'session' && news.news.type === 'event');
    expect(room.news.slice(heard, heard + 2)).toMatchObject([
      { news: { event: { type: 'session.created' } } },
      { news: { event: { type: 'message.queued' } } },
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a blank prompt', { prompt: '  ' }, 'blank_message'],
    ['an unknown agent', { agent: 'nobody' }, 'agent_unknown'],
    ['a directory that is not there', { cwd: '/nowhere/at/all' }, 'directory_not_found'],
    ['a directory with a NUL', { cwd: '/tmp/\0x' }, 'directory_not_found'],
    ['a blank title', { title: ' ' }, 'invalid_value'],
    ['a number for a title', { title: 5 }, 'malformed_request'],
    ['a negative limit', { askTimeout: { softSeconds: -1 } }, 'invalid_value'],
  ])('refused: %s', async (_, input, code) => {
    const room = await openRoom();
    expect((await room.refused('createSession', { agent: 'demo', ...input })).code).toBe(code);
    expect(room.engine.overview().sessions).toEqual([]);
    expect(room.driver.agents).toEqual([]);
  });

  it('a file is no directory; an agent that is not there cannot be started', async () => {
    const room = await openRoom();
    const file = join(directory(), 'file');
    writeFileSync(file, '');
    expect((await room.refused('createSession', { cwd: file })).code).toBe('directory_not_found');
    room.driver.available = false;
    expect(await room.refused('createSession', {})).toMatchObject({
      code: 'agent_not_available',
      message: 'It is not installed.',
    });
    expect((await room.do('listAgents')).body).toMatchObject({
      agents: [{ name: 'demo', available: false }],
    });
  });

  it('an agent whose start throws, or whose environment cannot be read, has failed to start', async () => {
    const room = await openRoom();
    room.driver.broken = 'out of handles';
    const { id } = await room.create({ prompt: 'hello' });
    expect(await room.event(id, 'session.failed')).toMatchObject({
      reason: 'The agent could not be started: out of handles',
    });
    room.driver.broken = undefined;
    room.env.broken = true;
    await room.do('resume', { session: id });
    await room.until('the second failure', () => room.all(id, 'session.failed').length === 2);
    expect(await room.queue(id)).toEqual(['hello']);
    room.env.broken = false;
    await room.do('resume', { session: id });
    await room.until('a process', () => room.driver.agents.length === 1);
  });
});

describe('[SES1] keys', () => {
  it('of two creations at once with one key, one is refused', async () => {
    const room = await openRoom();
    const results = await Promise.all(
      [1, 2, 3].map(() =>
        room.engine.dispatch('createSession', { agent: 'demo', key: 'k', env: { A: '1' } }, person),
      ),
    );
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(results.flatMap((result) => (result.ok ? [] : [result.refusal.code]))).toEqual([
      'key_in_use',
      'key_in_use',
    ]);
    expect(room.engine.overview().sessions).toHaveLength(1);
    expect(room.env.kept.size).toBe(1);
  });

  it('[API4] a key that no address could name is refused', async () => {
    const room = await openRoom();
    for (const key of ['.', '..', ' .. ']) {
      expect(await room.refused('createSession', { agent: 'demo', key })).toMatchObject({
        code: 'invalid_value',
        details: { field: 'key' },
      });
    }
    expect((await room.create({ key: '...' })).key).toBe('...');
  });

  it('a key is not another session’s id, and is free again after the session was deleted', async () => {
    const room = await openRoom();
    const { id } = await room.create({ key: 'k' });
    expect((await room.refused('createSession', { agent: 'demo', key: id })).code).toBe('key_in_use');
    await room.do('stop', { session: 'k' });
    expect((await room.refused('createSession', { agent: 'demo', key: 'k' })).code).toBe('key_in_use');
    await room.do('deleteSession', { session: 'k' });
    expect((await room.create({ key: 'k' })).id).not.toBe(id);
  });

  it.each(['constructor', '__proto__', 'global'])('"%s" is a key like any other', async (key) => {
    const room = await openRoom();
    expect((await room.refused('getSession', { session: key })).code).toBe('session_not_found');
    const { id } = await room.create({ key });
    expect((await room.session(key)).id).toBe(id);
  });
});

describe('[SEC4] roots', () => {
  it('hold a working directory in, links followed', async () => {
    const root = directory();
    const outside = directory();
    mkdirSync(join(root, 'inside'));
    mkdirSync(`${root}-sibling`);
    directories.push(`${root}-sibling`);
    symlinkSync(outside, join(root, 'escape'));
    symlinkSync(join(root, 'inside'), join(outside, 'back'));
    const room = await openRoom({ settings: { roots: [root, '/nowhere'], defaultCwd: root } });
    for (const cwd of [
      root,
      join(root, 'inside'),
      `${root}/`,
      join(root, 'inside', '..'),
      join(outside, 'back'),
    ]) {
      expect((await room.create({ cwd })).status).toBe('starting');
    }
    for (const cwd of [outside, join(root, 'escape'), `${root}/..`, `${root}-sibling`, '/']) {
      const refusal = await room.refused('createSession', { agent: 'demo', cwd });
      expect([cwd, refusal.code]).toEqual([cwd, 'directory_not_allowed']);
    }
  });

  it('a root that is itself a link stands for where it leads', async () => {
    const real = directory();
    const link = join(directory(), 'link');
    symlinkSync(real, link);
    const room = await openRoom({ settings: { roots: [link] } });
    expect((await room.create({ cwd: real })).cwd).toBe(real);
  });
});

describe('[SES13] changing a session', () => {
  it('title and labels, together and alone', async () => {
    const room = await openRoom();
    const { id } = await room.create({ title: 'Old', labels: ['a'] });
    const reply = await room.do('patchSession', { session: id, title: 'New', labels: ['b'] });
    expect(reply.body).toMatchObject({ session: { title: 'New', labels: ['b'] } });
    await room.do('patchSession', { session: id, labels: [] });
    expect(await room.session(id)).toMatchObject({ title: 'New', labels: [] });
    expect(room.announcements('session-updated').at(-1)).toMatchObject({ data: { id, labels: [] } });
  });

  it('mode and model are shown when the agent has confirmed them', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    let shown: Session | undefined;
    room.driver.onWrite = (written) => {
      if (written.kind === 'mode') shown = room.snapshot(id).session;
    };
    const reply = await room.do('patchSession', { session: id, permissionMode: 'plan', model: 'big' });
    expect(shown?.permissionMode).toBeNull();
    expect(reply.body).toMatchObject({ session: { permissionMode: 'plan', model: 'big' } });
    expect(agent.written).toEqual([
      { kind: 'mode', value: 'plan' },
      { kind: 'model', value: 'big' },
    ]);
    await room.do('patchSession', { session: id, permissionMode: 'plan', model: 'big' });
    expect(agent.written).toHaveLength(2);
  });

  it('what the agent refuses is not shown, in its own words', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle({ title: 'Old' });
    agent.refusal = 'There is no such mode';
    const refusal = await room.refused('patchSession', { session: id, permissionMode: 'wild', title: 'New' });
    expect(refusal).toMatchObject({ code: 'agent_refused', message: 'There is no such mode' });
    expect(await room.session(id)).toMatchObject({ permissionMode: null, title: 'Old' });
    agent.refusal = undefined;
    agent.writesFail = true;
    expect((await room.refused('patchSession', { session: id, model: 'big' })).code).toBe('agent_refused');
    expect((await room.session(id)).model).toBeNull();
  });

  it('a mode that the agent does not have is refused before it starts, and while it sleeps', async () => {
    const room = await openRoom();
    expect(await room.refused('createSession', { agent: 'demo', permissionMode: 'wild' })).toMatchObject({
      code: 'invalid_value',
      details: { field: 'permissionMode' },
    });
    const [id] = await room.idle();
    await room.do('stop', { session: id });
    expect((await room.refused('patchSession', { session: id, permissionMode: 'wild' })).code).toBe(
      'invalid_value',
    );
    expect(await room.do('patchSession', { session: id, permissionMode: 'plan' })).toMatchObject({
      status: 200,
    });
  });

  it('what it agreed to is shown, also if it refuses the rest', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    room.driver.onWrite = (written) => {
      if (written.kind === 'mode') agent.refusal = 'There is no such model';
    };
    expect(
      (await room.refused('patchSession', { session: id, permissionMode: 'plan', model: 'none' })).code,
    ).toBe('agent_refused');
    expect(await room.session(id)).toMatchObject({ permissionMode: 'plan', model: null });
  });

  it('an agent that sleeps is told when it starts', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    agent.exit(0);
    await room.event(id, 'process.exited');
    await room.do('patchSession', { session: id, permissionMode: 'plan', model: 'big' });
    await room.do('sendMessage', { session: id, message: 'hello' });
    await room.until('a second process', () => room.driver.agents.length === 2);
    expect(room.driver.agent(id).start).toMatchObject({
      permissionMode: 'plan',
      model: 'big',
      resume: `own-${id}`,
    });
  });
});

describe('[SES6] stop', () => {
  const statuses: Record<string, (room: EngineRoom) => Promise<[string, ScriptedAgent?]>> = {
    starting: async (room) => {
      const { id } = await room.create({ prompt: 'one' });
      await room.event(id, 'process.starting');
      return [id, room.driver.agent(id)];
    },
    'starting, in the same tick': async (room) => [(await room.create({ prompt: 'one' })).id],
    idle: (room) => room.idle(),
    running: async (room) => {
      const [id, agent] = await room.running();
      await room.do('sendMessage', { session: id, message: 'one' });
      return [id, agent];
    },
    waiting: async (room) => {
      const [id, agent] = await room.running();
      await room.asks(id, bashAsk('r1', 'ls'));
      await room.do('sendMessage', { session: id, message: 'one' });
      return [id, agent];
    },
    asleep: async (room) => {
      const [id, agent] = await room.idle();
      agent.exit(0);
      await room.event(id, 'process.exited');
      return [id];
    },
    failed: async (room) => {
      room.driver.broken = 'no';
      const { id } = await room.create({ prompt: 'one' });
      await room.event(id, 'session.failed');
      return [id];
    },
  };
  it.each(Object.entries(statuses))(
    'from %s: the agent has ended when it is answered, and texts are given back',
    async (status, make) => {
      const room = await openRoom();
      const [id] = await make(room);
      const queued = await room.queue(id);
      const reply = await room.do('stop', { session: id });
      expect(reply).toEqual({ status: 200, body: { status: 'ok', returned: queued } });
      await room.drained(id);
      for (const agent of room.driver.agents) expect(agent.exited).toBe(true);
      expect(await room.session(id)).toMatchObject({ status: 'stopped', pendingCount: 0, queueLength: 0 });
      expect(room.announcements('session-ended')).toHaveLength(1);
      expect((await room.do('stop', { session: id })).body).toEqual({ status: 'ok', returned: [] });
      expect((await room.refused('sendMessage', { session: id, message: 'x' })).code).toBe('session_stopped');
      expect((await room.refused('interrupt', { session: id })).code).toBe('no_turn_running');
      if (status === 'waiting') {
        expect(room.announcements('approval-resolved')).toMatchObject([{ data: { outcome: 'interrupted' } }]);
      }
    },
  );

  it('waits for an agent that takes its time, and nothing of it counts any more', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.endsWhenAsked = false;
    let answered = false;
    const stopping = room.do('stop', { session: id }).then(() => {
      answered = true;
    });
    await room.event(id, 'session.stopped');
    agent.report({ type: 'asked', ask: bashAsk('r9', 'ls') });
    await room.drained(id);
    expect(answered).toBe(false);
    expect((await room.session(id)).status).toBe('stopped');
    agent.exit(null, 'SIGKILL');
    await stopping;
    expect(room.all(id, 'interaction.requested')).toEqual([]);
    expect(await room.event(id, 'process.exited')).toMatchObject({ cause: 'asked', crashed: false });
  });

  it('a message that is stopped in the same tick is given back, and not written', async () => {
    const room = await openRoom();
    const [id, agent] = await room.idle();
    const [, stopped] = await Promise.all([
      room.do('sendMessage', { session: id, message: 'too late' }),
      room.do('stop', { session: id }),
    ]);
    expect(stopped.body.returned).toEqual(['too late']);
    expect(agent.sent()).toEqual([]);
  });

  it('resume starts the agent again, to go on with the same conversation', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    await room.do('stop', { session: id });
    const reply = await room.do('resume', { session: id });
    expect(reply.body).toMatchObject({ status: 'ok', session: { status: 'starting' } });
    await room.until('a second process', () => room.driver.agents.length === 2);
    expect(room.driver.agent(id).start.resume).toBe(`own-${id}`);
    expect(await room.refused('resume', { session: id })).toMatchObject({ code: 'session_already_running' });
  });

  it('resume right behind stop waits for the old agent', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running();
    agent.endsWhenAsked = false;
    const stopping = room.do('stop', { session: id });
    await room.event(id, 'session.stopped');
    const resuming = room.do('resume', { session: id });
    await room.drained(id);
    expect(room.driver.agents).toHaveLength(1);
    agent.exit(0);
    await Promise.all([stopping, resuming]);
    await room.until('a second process', () => room.driver.agents.length === 2);
    expect(room.all(id, 'process.starting')).toHaveLength(2);
  });
});

describe('deleting', () => {
  it('a session that is not stopped stays', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    expect((await room.refused('deleteSession', { session: id })).code).toBe('session_not_stopped');
    expect((await room.session(id)).status).toBe('idle');
  });

  it('takes log, environment and raw log with it, and is told', async () => {
    const room = await openRoom();
    const [id] = await room.idle({ env: { A: '1' } });
    await room.do('stop', { session: id });
    await room.do('deleteSession', { session: id });
    expect(room.events(id)).toEqual([]);
    expect(room.env.kept.size).toBe(0);
    expect(room.removedRaw).toEqual([id]);
    expect(room.announcements('session-removed')).toEqual([
      { type: 'session-removed', data: { sessionId: id, sessionKey: null } },
    ]);
    expect((await room.refused('getSession', { session: id })).code).toBe('session_not_found');
  });

  it('two at once: one deletes, and it is told once', async () => {
    const room = await openRoom();
    const [id] = await room.idle();
    await room.do('stop', { session: id });
    const results = await Promise.all(
      [1, 2].map(() => room.engine.dispatch('deleteSession', { session: id }, person)),
    );
    expect(results.map((result) => (result.ok ? 'ok' : result.refusal.code)).sort()).toEqual([
      'ok',
      'session_not_found',
    ]);
    expect(room.announcements('session-removed')).toHaveLength(1);
  });

  it('whatever is done at the same time, no log is left without a beginning and no agent without a session', async () => {
    const operations = [
      ['resume', {}],
      ['patchSession', { title: 'x' }],
      ['stop', {}],
      ['sendMessage', { message: 'x' }],
      ['deleteSession', {}],
    ] as const;
    for (const [name, input] of operations) {
      for (const order of ['before', 'after']) {
        const room = await openRoom();
        const [id] = await room.idle();
        await room.do('stop', { session: id });
        const deleting = () => room.engine.dispatch('deleteSession', { session: id }, person);
        const other = () => room.engine.dispatch(name, { session: id, ...input }, person);
        await Promise.all(order === 'before' ? [other(), deleting()] : [deleting(), other()]);
        const sessions = room.engine.overview().sessions.map((session) => session.id);
        for (const agent of room.driver.agents)
          expect(agent.exited || sessions.includes(agent.start.sessionId)).toBe(true);
        const first = room.events(id)[0]?.type;
        expect(first).toBe(sessions.some((known) => known === id) ? 'session.created' : undefined);
      }
    }
  });
});

describe('[SES14] ephemeral sessions', () => {
  it('work like any other, and leave nothing behind when they end', async () => {
    const room = await openRoom();
    const [id, agent] = await room.running({ ephemeral: true, env: { A: '1' } });
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow' });
    agent.end();
    await room.event(id, 'turn.ended');
    await room.do('stop', { session: id });
    await room.until('the removal', () => room.announcements('session-removed')[0]);
    expect(room.events(id)).toEqual([]);
    expect(room.env.kept.size).toBe(0);
    expect((await room.refused('getSession', { session: id })).code).toBe('session_not_found');
    expect(room.announcements('session-removed')).toHaveLength(1);
  });

  it('are gone, too, when they have failed', async () => {
    const room = await openRoom();
    room.driver.broken = 'no';
    const { id } = await room.create({ ephemeral: true });
    await room.until('the removal', () => room.announcements('session-removed')[0]);
    expect(room.events(id)).toEqual([]);
    expect(room.announcements('session-ended')).toHaveLength(1);
  });
});

describe('the end of the server', () => {
  it('ends every agent, stores how, and takes no new session', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    const { interactionId } = await room.asks(one, bashAsk('r1', 'ls'));
    const [two] = await room.idle();
    await room.do('sendMessage', { session: one, message: 'later' });
    await room.end();
    for (const agent of room.driver.agents) expect(agent.exited).toBe(true);
    expect(room.all(one, 'interaction.resolved')).toMatchObject([
      { interactionId, outcome: 'lost', reason: 'The server was shut down, and the agent with it.' },
    ]);
    expect(room.all(two, 'process.exited')).toMatchObject([{ cause: 'asked' }]);
    expect(room.clock.armed).toBe(0);
    expect((await room.refused('createSession', { agent: 'demo' })).code).toBe('shutting_down');
    expect((await room.refused('sendMessage', { session: one, message: 'x' })).code).toBe('shutting_down');
  });
});
