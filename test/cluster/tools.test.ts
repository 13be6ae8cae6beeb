import { expect, test } from 'vitest';
import { RunnerTools } from '../../src/cluster/runner-tools.ts';
import type { CallEnd } from '../../src/engine/ports/tool-calls.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { describe as describeTool, done, ScriptedHost } from '../tools/mcp-stage.ts';
import { pair, startOrder } from './pair.ts';

const session = SessionId.parse('s1');
const elsewhere = SessionId.parse('of-another-machine');
const graceTicks = 60;

/** A room with tools, and runners whose agents call them. */
function toolPair() {
  const world = pair();
  const host = new ScriptedHost();
  const shared = {
    calls: host,
    admits: (machine: string, id: SessionId) => machine === 'far' && id === session,
  };
  world.room.offerTools(shared);
  const start = (id: string, earlier: readonly string[] = []) => {
    const calls = new RunnerTools(id);
    const access = (sessionId: SessionId) => ({
      url: `http://127.0.0.1:1/mcp/${sessionId}`,
      key: `key of ${sessionId}`,
      unasked: calls.tools.filter(({ askFirst }) => !askFirst).map(({ name }) => name),
    });
    world.tools.set(id, { calls, access });
    return { calls, side: world.runner(id, earlier) };
  };
  const call = (calls: RunnerTools, callId = 'toolu_1', sessionId = session) => {
    const work = new AbortController();
    const told: string[] = [];
    const progress = (text: string): void => void told.push(text);
    const end = calls.call(sessionId, 'deploy', { to: 'x' }, { callId, signal: work.signal, progress });
    return { end, told, work };
  };
  const resume = (calls: RunnerTools, callId = 'toolu_1') =>
    calls.resume(session, callId, { signal: new AbortController().signal });
  return { ...world, host, shared, start, call, resume, world };
}

/** What was ended has been heard of. */
const heard = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

const hasEnded = async (end: Promise<CallEnd>): Promise<boolean> => {
  const no = Symbol('no');
  await heard();
  return (await Promise.race([end, Promise.resolve(no)])) !== no;
};

test('[CLU11] an agent there is started with the tools, at an address of its own machine', async () => {
  const { start, meet, carry, room, driver } = toolPair();
  const { side } = start('a');
  await meet(side);
  room.start({ ...startOrder, tools: { url: 'http://here', key: 'of the room', unasked: [] } }, () => {});
  await carry(side);
  expect(driver.agent().start.tools).toEqual({
    url: 'http://127.0.0.1:1/mcp/s1',
    key: 'key of s1',
    unasked: ['ask_user', 'deploy'],
  });
});

test('[CLU11] a call is run by the room, tells how it goes, and brings its result; tools that change are told', async () => {
  const { start, meet, carry, room, host, call } = toolPair();
  const { calls, side } = start('a');
  await meet(side);
  expect(calls.tools.map(({ name }) => name)).toEqual(['ask_user', 'deploy']);
  const { end, told } = call(calls);
  await carry(side);
  const run = await host.nth(0);
  expect(run).toMatchObject({ sessionId: 's1', name: 'deploy', args: { to: 'x' } });
  expect(run.options).toMatchObject({ callId: 'toolu_1' });
  run.options.progress?.('half');
  run.options.progress?.('nearly');
  room.tick();
  await carry(side);
  expect(told).toEqual(['nearly']);
  run.end(done('deployed'));
  await heard();
  await carry(side);
  expect(await end).toEqual({ ok: true, text: 'deployed' });
  host.change([describeTool('other')]);
  await carry(side);
  expect(calls.tools.map(({ name }) => name)).toEqual(['other']);
});

test('[CLU11] what the agent takes back is taken back in the room, with its reason', async () => {
  const { start, meet, carry, host, call } = toolPair();
  const { calls, side } = start('a');
  await meet(side);
  const { work, end } = call(calls);
  await carry(side);
  const { options } = await host.nth(0);
  work.abort('interrupted');
  await carry(side);
  expect(options.signal.reason).toBe('interrupted');
  expect(await end).toMatchObject({ ok: false });
});

test('[CLU12] a runner calls for sessions of its own machine alone', async () => {
  const { start, meet, carry, host, call } = toolPair();
  const { calls, side } = start('a');
  await meet(side);
  const other = call(calls, 'toolu_1', elsewhere);
  const comesBack = calls.resume(elsewhere, 'toolu_2', { signal: new AbortController().signal });
  await carry(side);
  expect(await other.end).toMatchObject({ ok: false, text: expect.stringContaining('another machine') });
  expect(await comesBack).toMatchObject({ ok: false });
  expect(host.calls).toEqual([]);
});

test('[CLU12] how much may be open for a session is bounded, whatever the runner says', async () => {
  const { start, meet, carry, host, call } = toolPair();
  const { calls, side } = start('a');
  await meet(side);
  const ends = Array.from({ length: 65 }, (_, number) => call(calls, `toolu_${number}`).end);
  await carry(side);
  expect(host.calls).toHaveLength(64);
  expect(await ends.at(-1)).toMatchObject({ ok: false, text: expect.stringContaining('Too much is open') });
  expect(
    await calls.call(session, 'x'.repeat(20_000), {}, { callId: 'c', signal: new AbortController().signal }),
  ).toMatchObject({ ok: false });
});

test('[CLU11] a room that was restarted runs nothing again: the call is told what became of its ask', async () => {
  const { start, meet, carry, host, call, restartRoom, shared } = toolPair();
  const { calls, side } = start('a');
  await meet(side);
  const { end } = call(calls);
  await carry(side);
  await host.nth(0);
  host.left = (id, callId) => (id === 's1' && callId === 'toolu_1' ? 'open' : null);
  restartRoom('room2').offerTools(shared);
  // Whether this reached the room that is gone nobody can say.
  const meanwhile = call(calls, 'toolu_2');
  await meet(side);
  expect(await end).toEqual({ left: 'open' });
  expect(await meanwhile.end).toEqual({ left: null });
  const next = call(calls, 'toolu_3');
  await carry(side);
  expect(host.calls.map(({ options }) => options.callId)).toEqual(['toolu_1', 'toolu_3']);
  host.calls[1]?.end(done('new'));
  await heard();
  await carry(side);
  expect(await next.end).toMatchObject({ text: 'new' });
});

test('[CLU11] a runner is started anew while a tool waits: the agent comes back to the same run, and the person is asked once', async () => {
  const { start, meet, carry, host, call, resume } = toolPair();
  const first = start('a');
  await meet(first.side);
  const { end } = call(first.calls);
  await carry(first.side);
  const run = await host.nth(0);
  first.side.detach();
  const second = start('b', ['a']);
  // It may be back before the room is.
  const again = resume(second.calls);
  await meet(second.side);
  expect(run.options.signal.aborted).toBe(false);
  run.end(done('yes'));
  await heard();
  await carry(second.side);
  expect(await again).toEqual({ ok: true, text: 'yes' });
  expect(await hasEnded(end)).toBe(false);
  expect(host.calls).toHaveLength(1);
});

test('[CLU11] an answer that came while the runner was gone is kept for the agent; nobody comes back, and a run is taken back', async () => {
  const { start, meet, carry, host, call, resume, room } = toolPair();
  const first = start('a');
  await meet(first.side);
  void call(first.calls, 'toolu_1');
  void call(first.calls, 'toolu_2');
  await carry(first.side);
  const [answered, waiting] = [await host.nth(0), await host.nth(1)];
  first.side.detach();
  answered.end(done('yes'));
  for (let tick = 0; tick < 2 * graceTicks; tick += 1) room.tick();
  // That a machine is silent says nothing about who waits there.
  expect(waiting.options.signal.aborted).toBe(false);
  const second = start('b', ['a']);
  await meet(second.side);
  const kept = resume(second.calls, 'toolu_1');
  await carry(second.side);
  expect(await kept).toEqual({ ok: true, text: 'yes' });
  for (let tick = 0; tick < graceTicks; tick += 1) room.tick();
  expect(waiting.options.signal.reason).toBe('The connection to the agent was lost.');
  const late = resume(second.calls, 'toolu_2');
  await carry(second.side);
  expect(await late).toEqual({ left: null });
});

test('[CLU6] a runner of the first version is told nothing of tools', () => {
  const { room, fromRoom } = toolPair();
  const meets = (runner: string, to: number): string => {
    fromRoom.length = 0;
    const about = { runner, earlier: [], serves: null, speaks: { from: 1, to }, version: '1.0.0' };
    for (let tick = 0; tick < 9; tick += 1) room.tick();
    room.heard({ type: 'here', offers: `${runner}.1`, ...about });
    room.heard({ type: 'welcome', room: 'room1', connection: `${runner}.1` });
    return JSON.stringify(fromRoom);
  };
  expect(meets('old', 1)).not.toContain('ask_user');
  expect(meets('new', 2)).toContain('ask_user');
});

const seed = testSeed();
test(`[CLU11] [CLU1] whatever is lost, doubled and late, and whoever is started anew, each call is run once and told once (from seed ${seed})`, async () => {
  for (let each = seed; each < seed + times(30); each += 1)
    expect({ seed: each, broken: await disturbed(each) }).toEqual({ seed: each, broken: [] });
});

/** Calls over a link that loses, doubles and reorders, between a room and runners that are started anew. Returns what was broken. */
async function disturbed(seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const { start, call, resume, host, shared, world } = toolPair();
  const starts: string[] = [];
  const begin = () => {
    const id = `runner${starts.length}`;
    const begun = start(id, [...starts]);
    starts.push(id);
    return begun;
  };
  let runner = begin();
  let rooms = 1;
  const told = new Map<string, CallEnd[]>();
  const waits = new Set<string>();
  const listen = (callId: string, end: Promise<CallEnd>): void => {
    waits.add(callId);
    const { side } = runner;
    void end.then((how) => {
      if (side !== runner.side) return;
      waits.delete(callId);
      told.set(callId, [...(told.get(callId) ?? []), how]);
    });
  };
  const pass = async (isCalm: boolean): Promise<void> => {
    const { fromRunner, fromRoom } = world;
    const bring = <T>(messages: T[], to: (message: T) => void): void => {
      for (const message of messages.splice(0)) {
        const chance = isCalm ? 1 : random();
        if (chance < 0.15) continue;
        if (chance < 0.3) messages.push(message);
        to(JSON.parse(JSON.stringify(message)) as T);
      }
    };
    bring(fromRunner, (message) => world.room.heard(message));
    bring(fromRoom, (message) => runner.side.heard(message));
    await heard();
  };
  let count = 0;
  for (let step = 0; step < 150; step += 1) {
    const chance = random();
    if (chance < 0.15) {
      count += 1;
      listen(`toolu_${count}`, call(runner.calls, `toolu_${count}`).end);
    } else if (chance < 0.3) {
      const run = host.calls[Math.floor(random() * host.calls.length)];
      run?.end(done(`result of ${run.options.callId}`));
    } else if (chance < 0.34) {
      const waiting = [...waits];
      waits.clear();
      runner.side.detach();
      world.fromRunner.length = 0;
      runner = begin();
      for (const callId of waiting) listen(callId, resume(runner.calls, callId));
    } else if (chance < 0.37) {
      rooms += 1;
      world.fromRoom.length = 0;
      world.restartRoom(`room${rooms}`).offerTools(shared);
    } else if (chance < 0.6) {
      runner.side.tick();
      world.room.tick();
    }
    await pass(false);
  }
  for (let step = 0; step < 400 && waits.size > 0; step += 1) {
    runner.side.tick();
    world.room.tick();
    for (const run of host.calls) run.end(done(`result of ${run.options.callId}`));
    await pass(true);
  }
  const runs = (callId: string): number =>
    host.calls.filter(({ options }) => options.callId === callId).length;
  return Array.from({ length: count }, (_, index) => `toolu_${index + 1}`).flatMap((callId) => {
    const ends = told.get(callId) ?? [];
    const right = ends.every((end) => 'left' in end || end.text === `result of ${callId}`);
    return [
      ...(runs(callId) > 1 ? [`${callId} was run ${runs(callId)} times`] : []),
      ...(ends.length === 1 ? [] : [`${callId} was told ${ends.length} ends`]),
      ...(right ? [] : [`${callId} was told ${JSON.stringify(ends)}`]),
    ];
  });
}
