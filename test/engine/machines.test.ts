import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LeftRun } from '../../src/engine/ports/runner.ts';
import type { AgentFact } from '../../src/model/agent-fact.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import type { Machine } from '../../src/protocol/machine.ts';
import type { DirectoryPolicy } from '../../src/protocol/policy.ts';
import type { Session } from '../../src/protocol/session.ts';
import { LinkedRunner } from '../cluster/linked-runner.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, type RoomOptions } from '../support/engine-room.ts';
import { eventually } from '../support/eventually.ts';
import { runnerOf } from '../support/runner-of.ts';
import { type ScriptedAgent, ScriptedDriver } from '../support/scripted-driver.ts';
import { bashAsk } from '../support/session-states.ts';
import { type TestMachine, TestMachines } from '../support/test-machines.ts';

endRoomsAfterEach();

const said = (text: string): AgentFact => ({
  type: 'said',
  event: { type: 'agent.text', agentMessageId: 'm', block: 0, text },
});

/** A room with a machine beside its own. */
async function open(options: RoomOptions = {}) {
  const machines = new TestMachines();
  const gpu = machines.add('gpu-1');
  const room = await openRoom({ ...options, machines });
  await served(room, gpu);
  return { machines, gpu, room };
}

/** Another server on the same log, after the first was killed. */
async function reopen(first: EngineRoom, machines: TestMachines): Promise<EngineRoom> {
  first.abandon();
  machines.forgetListeners();
  return openRoom({ log: first.log, clock: first.clock, run: 'second', machines });
}

async function served(room: EngineRoom, machine: Pick<TestMachine, 'name' | 'driver'>): Promise<void> {
  machine.driver.onChange = () => room.look();
  await room.until(`${machine.name} is served`, () => stateOf(room, machine) === 'reachable');
}

const stateOf = (room: EngineRoom, { name }: Pick<TestMachine, 'name'>): string | undefined =>
  room.engine.overview().machines?.find((one) => one.name === name)?.state;

async function machineIn(room: EngineRoom, name: string): Promise<Machine | undefined> {
  const { machines } = (await room.do('listMachines')).body as { machines: Machine[] };
  return machines.find((one) => one.name === name);
}

/** A session there, in the middle of a turn. */
async function running(
  room: EngineRoom,
  machine: Pick<TestMachine, 'name' | 'driver'>,
  input: Record<string, unknown> = {},
): Promise<[string, ScriptedAgent]> {
  const { id } = await room.create({ machine: machine.name, prompt: 'go on', ...input });
  const agent = await room.until('it is started', () =>
    machine.driver.agents.findLast((one) => one.start.sessionId === id),
  );
  agent.ready();
  await room.until('it is sent', () => agent.sent().length > 0);
  agent.begin();
  await room.event(id, 'turn.started');
  return [id, agent];
}

async function asking(room: EngineRoom, machine: Pick<TestMachine, 'name' | 'driver'>) {
  const [id, agent] = await running(room, machine);
  agent.reportAt(90, said('before'));
  agent.reportAt(100, { type: 'asked', ask: bashAsk('r1', 'ls') });
  const { interactionId } = await room.event(id, 'interaction.requested');
  await room.drained(id);
  return {
    id,
    agent,
    interactionId,
    allow: () => room.do('approve', { session: id, requestId: interactionId, decision: 'allow' }),
  };
}

describe('a session on another machine', () => {
  test('[CLU20] runs and is answered there, and says where it is; one here does not', async () => {
    const { room, gpu } = await open();
    const { id, agent, allow } = await asking(room, gpu);
    await allow();
    await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(agent.answers()).toHaveLength(1);
    expect(room.driver.agents).toEqual([]);
    expect((await room.session(id)).machine).toBe('gpu-1');
    const [here] = await room.idle();
    expect(await room.session(here)).not.toHaveProperty('machine');
    const listed = async (machine: string) =>
      ((await room.do('listSessions', { machine })).body.sessions as { id: string }[]).map((one) => one.id);
    expect([await listed('gpu-1'), await listed('local')]).toEqual([[id], [here]]);
  });

  test('[CLU20] with one machine, nothing tells of machines', async () => {
    const room = await openRoom({ machines: new TestMachines() });
    const [id] = await room.running();
    await room.asks(id, bashAsk('r1', 'ls'));
    expect(room.engine.overview()).not.toHaveProperty('machines');
    expect(room.announcements('machines-changed')).toEqual([]);
    expect(JSON.stringify([room.events(id), room.engine.overview()])).not.toContain('machine');
    expect((await room.refused('createSession', { agent: 'demo', machine: 'gpu-1' })).code).toBe(
      'machine_not_found',
    );
  });

  test('[CLU20] a machine that comes while the server runs is served from then on', async () => {
    const { room, machines } = await open();
    const build = machines.add('build-2', { isReachable: false });
    expect((await room.refused('createSession', { agent: 'demo', machine: 'build-2' })).code).toBe(
      'machine_unreachable',
    );
    build.back();
    await served(room, build);
    const [id] = await running(room, build);
    expect((await room.session(id)).status).toBe('running');
  });
});

describe('a machine that cannot be reached', () => {
  test('[CLU21] an answer is stored, shown as not yet delivered, and given once when it is back', async () => {
    const { room, gpu } = await open();
    const { id, agent, interactionId, allow } = await asking(room, gpu);
    gpu.away();
    const { interaction } = (await allow()).body as { interaction: { undelivered: object; outcome: string } };
    expect(interaction).toMatchObject({ outcome: 'allowed', undelivered: { machine: 'gpu-1' } });
    expect(room.announcements('approval-updated').at(-1)?.data).toMatchObject({
      interactionId,
      undelivered: { machine: 'gpu-1' },
    });
    await room.drained(id);
    expect(room.all(id, 'interaction.resolved')).toEqual([]);
    expect(agent.answers()).toEqual([]);
    gpu.back();
    await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(agent.answers()).toHaveLength(1);
    expect(await room.interaction(id, interactionId)).not.toHaveProperty('undelivered');
  });

  test('[CLU21] also one that was given before anybody noticed', async () => {
    const { room, gpu } = await open();
    const { id, agent, interactionId, allow } = await asking(room, gpu);
    gpu.cut();
    await allow();
    gpu.away();
    await room.event(id, 'interaction.undelivered');
    expect(await room.interaction(id, interactionId)).toHaveProperty('undelivered');
    gpu.back();
    await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(agent.answers()).toHaveLength(1);
  });

  test('[CLU21] if the agent no longer needs the answer when it is back, that is said', async () => {
    const { room, gpu } = await open();
    const { id, agent, interactionId, allow } = await asking(room, gpu);
    gpu.away();
    await allow();
    agent.reportAt(200, { type: 'withdrawn', agentRequestId: 'r1' });
    gpu.back();
    const { reason } = await room.event(id, 'interaction.resolved');
    expect(reason).toBe('The agent no longer needs an answer. The answer was recorded, and came too late.');
    expect(await room.interaction(id, interactionId)).toMatchObject({ outcome: 'withdrawn' });
    expect(agent.answers()).toEqual([]);
  });

  test('[CLU21] what its agents did meanwhile is told when it is back, each thing once', async () => {
    const { room, gpu } = await open();
    const [id, agent] = await running(room, gpu);
    gpu.away();
    agent.reportAt(100, said('hello'));
    agent.reportAt(200, { type: 'turn-ended', outcome: 'completed' });
    gpu.back();
    await room.event(id, 'turn.ended');
    expect(room.all(id, 'agent.text').map(({ text }) => text)).toEqual(['hello']);
  });

  test('[CLU22] a message waits for it, in words, and is sent once when it is back', async () => {
    const { room, gpu } = await open();
    const [id, agent] = await running(room, gpu);
    agent.reportAt(100, { type: 'turn-ended', outcome: 'completed' });
    await room.event(id, 'turn.ended');
    gpu.away();
    const receipt = (await room.do('sendMessage', { session: id, message: 'and on' })).body;
    expect(receipt).toMatchObject({
      status: 'queued',
      reason: 'The machine "gpu-1" cannot be reached; the message is sent when it is back.',
    });
    expect(await room.queue(id)).toEqual(['and on']);
    gpu.back();
    await room.until('it is sent', () => agent.sent().length === 2);
    expect(agent.sent().at(-1)?.text).toBe('and on');
  });

  test('[CLU22] a session that sleeps there is woken by a message when it is back', async () => {
    const { room, gpu } = await open();
    const [id, agent] = await running(room, gpu);
    agent.reportAt(100, { type: 'turn-ended', outcome: 'completed' });
    agent.exit(0);
    await room.event(id, 'process.exited');
    gpu.away();
    await room.do('sendMessage', { session: id, message: 'and on' });
    expect((await room.session(id)).status).toBe('starting');
    expect(gpu.driver.agents).toHaveLength(1);
    gpu.back();
    await room.until('it is started', () => gpu.driver.agents.length === 2);
  });

  test('[CLU22] whatever it would have to be asked for is refused in words, and nobody waits', async () => {
    const { room, gpu } = await open();
    const { id } = await asking(room, gpu);
    gpu.away({ problem: 'It speaks version 9, and this server up to 1.' });
    for (const [operation, input] of [
      ['createSession', { agent: 'demo', machine: 'gpu-1' }],
      ['listAgents', { machine: 'gpu-1' }],
      ['completeDirectory', { machine: 'gpu-1', path: '/' }],
      ['findFiles', { session: id }],
      ['patchSession', { session: id, permissionMode: 'plan' }],
    ] as const) {
      const { code, message } = await room.refused(operation, input);
      expect({ operation, code }).toEqual({ operation, code: 'machine_unreachable' });
      expect(message).toBe(
        'The machine "gpu-1" cannot be reached. It speaks version 9, and this server up to 1.',
      );
    }
    expect((await room.do('listBranches', { sessions: id })).body.branches).toEqual({});
    expect(room.engine.rawLog(id).ok).toBe(false);
  });

  test('[CLU22] a change that was asked of it when it went away is refused, and does not wait', async () => {
    const { room, gpu } = await open();
    const [id] = await running(room, gpu);
    gpu.cut();
    const refused = room.refused('patchSession', { session: id, permissionMode: 'plan' });
    await room.drained(id);
    gpu.away();
    expect((await refused).code).toBe('machine_unreachable');
  });

  test('[CLU22] a session is stopped at once, and its agent is ended when the machine is back', async () => {
    const { room, gpu } = await open();
    const [id, agent] = await running(room, gpu);
    gpu.away();
    expect((await room.do('stop', { session: id })).body).toMatchObject({
      status: 'ok',
      unreachable: 'gpu-1',
    });
    expect((await room.refused('deleteSession', { session: id })).code).toBe('machine_unreachable');
    expect(agent.exited).toBe(false);
    gpu.back();
    await room.event(id, 'process.exited');
    expect(agent.exited).toBe(true);
    await room.do('deleteSession', { session: id });
  });

  test('[CLU23] its state is told to everyone, with the moment', async () => {
    const { room, gpu } = await open();
    gpu.away();
    const { since } = gpu.condition;
    const told = room.announcements('machines-changed').at(-1)?.data.machines;
    expect(told?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'local reachable',
      'gpu-1 unreachable',
    ]);
    expect(told?.at(1)?.since).toBe(since);
    expect(room.engine.overview().machines).toEqual(told);
  });

  test('[CLU21] a server that is started while it is away loses nothing, and goes on when it is back', async () => {
    const { room: first, gpu, machines } = await open();
    const { id, agent, interactionId } = await asking(first, gpu);
    gpu.away();
    const room = await reopen(first, machines);
    gpu.driver.onChange = () => room.look();
    expect(await room.interaction(id, interactionId)).toMatchObject({ status: 'open' });
    await room.do('approve', { session: id, requestId: interactionId, decision: 'allow' });
    await room.drained(id);
    expect(room.all(id, 'interaction.resolved')).toEqual([]);
    gpu.back();
    await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(agent.answers()).toHaveLength(1);
    agent.reportAt(300, { type: 'turn-ended', outcome: 'completed' });
    await room.event(id, 'turn.ended');
    expect((await room.session(id)).status).toBe('idle');
  });

  test('[CLU21] one that nobody has heard of is away, not gone', async () => {
    const { room: first, gpu } = await open();
    const { id, interactionId } = await asking(first, gpu);
    const room = await reopen(first, new TestMachines());
    expect(await room.interaction(id, interactionId)).toMatchObject({ status: 'open' });
    expect(stateOf(room, gpu)).toBe('unreachable');
    expect(await machineIn(room, 'gpu-1')).toMatchObject({ sessions: 1, pending: 1, agents: [] });
  });

  test('[CLU21] one that comes back without the agent says so, and what was asked is lost', async () => {
    const { room: first, gpu } = await open();
    const { id } = await asking(first, gpu);
    const others = new TestMachines();
    others.add('gpu-1');
    const room = await reopen(first, others);
    const { outcome, reason } = await room.event(id, 'interaction.resolved');
    expect(outcome).toBe('lost');
    expect(reason).toBe('The machine "gpu-1" came back without the agent, which has ended there.');
    expect((await room.session(id)).status).toBe('asleep');
  });

  test('[CLU22] an agent that was to be started when it went away is started once', async () => {
    const { room, gpu } = await open();
    gpu.cut();
    const created = await room.engine.dispatch(
      'createSession',
      { agent: 'demo', machine: 'gpu-1' },
      { actor: { kind: 'person' } },
    );
    expect(created.ok).toBe(false);
    gpu.back();
    await served(room, gpu);
    const starts = room.until('it is being started', () =>
      room.news.some(
        (news) =>
          news.kind === 'session' &&
          news.news.type === 'event' &&
          news.news.event.type === 'process.starting',
      ),
    );
    const { id } = await room.create({ machine: 'gpu-1' });
    await starts;
    await room.until('it is there', () => gpu.driver.agents.length === 1);
    gpu.away();
    gpu.back();
    await served(room, gpu);
    gpu.driver.agent(id).ready();
    await room.event(id, 'process.ready');
    expect(gpu.driver.agents).toHaveLength(1);
  });
});

describe('a machine that is given up', () => {
  test('[CLU24] one that can be reached is not', async () => {
    const { room } = await open();
    expect((await room.refused('giveUpMachine', { machine: 'gpu-1' })).code).toBe('machine_reachable');
    expect((await room.refused('giveUpMachine', { machine: 'local' })).code).toBe('machine_reachable');
    expect((await room.refused('giveUpMachine', { machine: 'gpu-9' })).code).toBe('machine_not_found');
  });

  test('[CLU24] its asks are lost and its sessions have failed, in words, by whom; the others go on', async () => {
    const { room, gpu } = await open();
    const { id, interactionId } = await asking(room, gpu);
    const [asleep, agent] = await running(room, gpu);
    agent.reportAt(100, { type: 'turn-ended', outcome: 'completed' });
    agent.exit(0);
    await room.event(asleep, 'process.exited');
    const [here] = await room.running();
    gpu.away();
    expect((await room.do('giveUpMachine', { machine: 'gpu-1' })).body).toMatchObject({
      sessions: 2,
      asks: 1,
    });
    const reason = 'The machine "gpu-1" was given up, and what its agent does is not known.';
    expect(await room.interaction(id, interactionId)).toMatchObject({
      outcome: 'lost',
      resolvedReason: reason,
      resolvedBy: { kind: 'person' },
    });
    for (const one of [id, asleep]) {
      expect(await room.session(one)).toMatchObject({ status: 'failed', failure: { reason } });
      expect(room.all(one, 'session.failed').at(-1)?.by).toMatchObject({ kind: 'person' });
    }
    expect((await room.session(here)).status).toBe('running');
    expect((await room.refused('resume', { session: id })).code).toBe('machine_unreachable');
    expect(await machineIn(room, 'gpu-1')).toMatchObject({ sessions: 0, pending: 0, unclaimed: [] });
  });

  test('[CLU24] an answer that was given meanwhile is told as what may have arrived', async () => {
    const { room, gpu } = await open();
    const { id, interactionId, allow } = await asking(room, gpu);
    gpu.away();
    await allow();
    await room.do('giveUpMachine', { machine: 'gpu-1' });
    expect(await room.interaction(id, interactionId)).toMatchObject({
      outcome: 'unknown',
      decision: { type: 'allow' },
    });
  });

  test('[CLU25] comes back nevertheless: its agents are shown, nothing they say counts, and one can be ended', async () => {
    const { room, gpu } = await open();
    const { id, agent } = await asking(room, gpu);
    gpu.away();
    await room.do('giveUpMachine', { machine: 'gpu-1' });
    gpu.back();
    await served(room, gpu);
    const runId = agent.start.processId;
    expect((await machineIn(room, 'gpu-1'))?.unclaimed).toMatchObject([
      { runId, sessionId: id, title: 'go on', isRunning: true, canBeTaken: true },
    ]);
    const before = room.events(id).length;
    agent.reportAt(300, { type: 'turn-ended', outcome: 'completed' });
    await room.do('endRun', { machine: 'gpu-1', runId });
    expect(agent.exited).toBe(true);
    expect((await machineIn(room, 'gpu-1'))?.unclaimed).toEqual([]);
    expect((await room.refused('endRun', { machine: 'gpu-1', runId })).code).toBe('run_not_found');
    expect((await room.refused('takeRun', { machine: 'gpu-1', runId })).code).toBe('run_not_found');
    expect(room.events(id)).toHaveLength(before);
  });

  test('[CLU25] an agent that is taken goes on where it was; what it waits for is asked again, and answered once', async () => {
    const { room: first, gpu, machines } = await open();
    const { id, agent, interactionId } = await asking(first, gpu);
    gpu.away();
    await first.do('giveUpMachine', { machine: 'gpu-1' });
    // Also by a server that was started since.
    const room = await reopen(first, machines);
    agent.reportAt(200, said('still here'));
    gpu.back();
    await served(room, gpu);
    await room.do('takeRun', { machine: 'gpu-1', runId: agent.start.processId });
    await room.event(id, 'agent.text', ({ text }) => text === 'still here');
    const asked = room.all(id, 'interaction.requested');
    expect(asked.map(({ ask }) => ask.agentRequestId)).toEqual(['r1', 'r1']);
    expect(await room.session(id)).toMatchObject({ status: 'waiting', pendingCount: 1, failure: null });
    const again = asked.at(-1)?.interactionId ?? '';
    expect(again).not.toBe(interactionId);
    await room.do('approve', { session: id, requestId: again, decision: 'allow' });
    await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
    expect(agent.answers()).toHaveLength(1);
    agent.reportAt(300, { type: 'turn-ended', outcome: 'completed' });
    await room.until('it is idle', () => room.snapshot(id).session.status === 'idle');
    expect(room.all(id, 'agent.text').map(({ text }) => text)).toEqual(['before', 'still here']);
    expect(await room.interaction(id, interactionId)).toMatchObject({ outcome: 'lost' });
    expect((await machineIn(room, 'gpu-1'))?.unclaimed).toEqual([]);
  });

  test('[CLU25] a session that was resumed since does not go on with its old agent', async () => {
    const { room, gpu } = await open();
    const { id, agent } = await asking(room, gpu);
    gpu.away();
    await room.do('giveUpMachine', { machine: 'gpu-1' });
    gpu.back();
    await served(room, gpu);
    await room.do('resume', { session: id });
    await room.until('it is started anew', () => gpu.driver.agents.length === 2);
    const runId = agent.start.processId;
    expect((await machineIn(room, 'gpu-1'))?.unclaimed).toMatchObject([{ runId, canBeTaken: false }]);
    expect((await room.refused('takeRun', { machine: 'gpu-1', runId })).code).toBe('run_not_found');
  });

  test('[CLU25] a machine that tells of another one’s agents gets none of their sessions', async () => {
    const { room, gpu, machines } = await open();
    const { id, agent } = await asking(room, gpu);
    gpu.away();
    await room.do('giveUpMachine', { machine: 'gpu-1' });
    const runId = agent.start.processId;
    const honest = runnerOf([new ScriptedDriver()]);
    const lies = [{ runId, sessionId: SessionId.parse(id), isRunning: true }];
    const liar = machines.add('build-2', { runner: { ...honest, left: async () => lies } });
    await served(room, liar);
    expect((await machineIn(room, 'build-2'))?.unclaimed).toMatchObject([{ runId, canBeTaken: false }]);
    expect((await room.refused('takeRun', { machine: 'build-2', runId })).code).toBe('run_not_found');
    expect(room.snapshot(id).session).toMatchObject({ machine: 'gpu-1', status: 'failed' });
  });

  test('[CLU25] a room that knows nothing of a run, as after a restore, shows it and ends it', async () => {
    const { room: first, gpu, machines } = await open();
    const { id, agent } = await asking(first, gpu);
    first.abandon();
    machines.forgetListeners();
    const room = await openRoom({ machines, run: 'restored' });
    await served(room, gpu);
    const runId = agent.start.processId;
    const unclaimed = (await machineIn(room, 'gpu-1'))?.unclaimed;
    expect(unclaimed).toEqual([{ runId, sessionId: id, isRunning: true, canBeTaken: false }]);
    expect(agent.exited).toBe(false);
    await room.do('endRun', { machine: 'gpu-1', runId });
    expect(agent.exited).toBe(true);
  });

  test('[CLU15] a run whose session is not known is taken: it is ended there, and a new session goes on with its conversation', async () => {
    const machines = new TestMachines();
    const driver = new ScriptedDriver();
    const runner = runnerOf([driver]);
    const ended: string[] = [];
    const sessionId = SessionId.parse('of-before');
    const cwd = realpathSync(tmpdir());
    const about = { agent: driver.name, cwd, agentSessionId: 'conversation-1' };
    const left = [
      { runId: 'run_known', sessionId, isRunning: true, about },
      { runId: 'run_silent', sessionId, isRunning: true, about: { ...about, agentSessionId: null } },
      { runId: 'run_lost', sessionId, isRunning: true, about: { ...about, cwd: join(cwd, 'is-not-there') } },
    ];
    const gpu = machines.add('gpu-1', {
      runner: {
        ...runner,
        left: async () => left,
        end: async (runId) => {
          expect(driver.agents).toEqual([]);
          ended.push(runId);
        },
      },
    });
    const room = await openRoom({ machines, run: 'restored' });
    await served(room, gpu);
    const take = (runId: string) => room.refused('takeRun', { machine: 'gpu-1', runId });
    expect((await machineIn(room, 'gpu-1'))?.unclaimed).toMatchObject([
      { runId: 'run_known', canBeTaken: true, agent: driver.name, cwd },
      { runId: 'run_silent', canBeTaken: false },
      { runId: 'run_lost', canBeTaken: true },
    ]);
    expect((await take('run_silent')).code).toBe('run_not_found');
    // What cannot be gone on with is not ended for it.
    expect((await take('run_lost')).code).toBe('directory_not_found');
    expect(ended).toEqual([]);

    await room.do('takeRun', { machine: 'gpu-1', runId: 'run_known' });
    expect(ended).toEqual(['run_known']);
    expect((await take('run_known')).code).toBe('run_not_found');
    const { sessions } = (await room.do('listSessions')).body as { sessions: Session[] };
    expect(sessions).toMatchObject([{ machine: 'gpu-1', cwd, agentSessionId: 'conversation-1' }]);
    await room.do('sendMessage', { session: sessions[0]?.id ?? '', message: 'go on' });
    await eventually('it is started', () => driver.agents.length === 1);
    expect(driver.agent().start).toMatchObject({ resume: 'conversation-1', cwd });
  });

  test('[CLU32] a run that is ahead of a restored server is shown with its session, and taken by ending it: the session goes on with the conversation', async () => {
    const { room, gpu } = await open();
    const { driver } = gpu;
    const ended: string[] = [];
    const left: LeftRun[] = [];
    // What a runner does that has set it aside.
    Object.assign(gpu.runner, {
      left: async () => left,
      end: async (runId: string) => void ended.push(runId),
    });
    const { id, agent, interactionId } = await asking(room, gpu);
    const { processId: runId } = agent.start;
    const about = { agent: driver.name, cwd: '/', agentSessionId: `own-${id}` };
    left.push({ runId, sessionId: SessionId.parse(id), isRunning: true, about });
    const hostLost = 'The agent goes on there without this session.';
    agent.report({ type: 'exited', code: null, signal: null, stderr: [], hostLost });
    await room.until('it is told', () => room.announcements('machines-changed').length > 1);
    expect(await room.interaction(id, interactionId)).toMatchObject({
      outcome: 'lost',
      resolvedReason: hostLost,
    });
    const unclaimed = async () => (await machineIn(room, 'gpu-1'))?.unclaimed;
    expect(await unclaimed()).toMatchObject([
      { runId, title: 'go on', canBeTaken: true, endsWhenTaken: true },
    ]);
    expect(ended).toEqual([]);
    await room.do('takeRun', { machine: 'gpu-1', runId });
    expect([ended, await unclaimed()]).toEqual([[runId], []]);
    await room.do('sendMessage', { session: id, message: 'and now?' });
    await eventually('it is started', () => driver.agents.length === 2);
    expect(driver.agent().start).toMatchObject({ sessionId: id, resume: `own-${id}` });
  });
});

test('[CLU29] [POL5] what is trusted in a directory here is not trusted under the same path on another machine, and silence changes nothing', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-machines-')));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, '.beckon'));
  const rules = [{ effect: 'allow', tool: 'Bash', pattern: 'make' }];
  writeFileSync(join(cwd, '.beckon/policy.json'), JSON.stringify({ version: 1, rules }));
  const { room, gpu } = await open();
  const [here] = await room.running({ cwd });
  const policyOf = async (session: string) =>
    (await room.do('getSessionPolicy', { session })).body.policy as DirectoryPolicy;
  const { id: policyId, digest } = await policyOf(here);
  await room.do('trustPolicy', { policyId, digest });
  expect((await room.asks(here, bashAsk('a', 'make'))).status).toBe('resolved');
  const [there, agent] = await running(room, gpu, { cwd });
  agent.report({ type: 'asked', ask: bashAsk('b', 'make') });
  await room.event(there, 'interaction.requested');
  expect(room.snapshot(there).pending).toHaveLength(1);
  const known = await policyOf(there);
  expect(known).toMatchObject({ directory: `gpu-1:${cwd}`, needsTrust: true, trusted: null });
  gpu.away();
  room.clock.pass(60_000);
  await room.drained(there);
  expect(await policyOf(there)).toEqual(known);
});

test('[CLU21] by the link of a cluster, an answer that was given while nothing got through is given once', async () => {
  const driver = new ScriptedDriver();
  let isCut = false;
  const linked = new LinkedRunner(runnerOf([driver]), { random: () => (isCut ? 0 : 1) });
  const runner = linked.room();
  onTestFinished(async () => {
    await runner.detach();
    linked.stop();
  });
  const listeners = new Set<() => void>();
  let condition = { isReachable: true, since: '2026-01-01T00:00:00.000Z' };
  const tell = (isReachable: boolean, since: string): void => {
    condition = { isReachable, since };
    for (const listener of listeners) listener();
  };
  const machine = {
    name: 'gpu-1',
    driver,
    runner,
    get condition() {
      return condition;
    },
  };
  const room = await openRoom({
    machines: {
      current: () => [machine],
      listen(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  await served(room, machine);
  const { id, agent, interactionId, allow } = await asking(room, machine);
  isCut = true;
  tell(false, '2026-01-01T00:01:00.000Z');
  await allow();
  agent.reportAt(200, said('meanwhile'));
  expect(await room.interaction(id, interactionId)).toHaveProperty('undelivered');
  expect(agent.answers()).toEqual([]);
  isCut = false;
  tell(true, '2026-01-01T00:02:00.000Z');
  await room.event(id, 'interaction.resolved', ({ delivered }) => delivered);
  await room.event(id, 'agent.text', ({ text }) => text === 'meanwhile');
  expect(agent.answers()).toHaveLength(1);
  expect(room.all(id, 'agent.text').map(({ text }) => text)).toEqual(['before', 'meanwhile']);
});
