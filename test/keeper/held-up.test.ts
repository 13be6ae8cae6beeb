import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SilentKeeper } from '../../src/drivers/keeper/dial.ts';
import { keeperStatus, stopKeeper } from '../../src/drivers/keeper/keeper-admin.ts';
import { launchKeeper } from '../../src/drivers/keeper/launch.ts';
import { eventually } from '../support/eventually.ts';
import { textOf } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';
import { KeeperRoom } from './support/keeper-room.ts';
import { RawClient } from './support/raw-client.ts';

let room: KeeperRoom;

beforeEach(() => {
  room = new KeeperRoom();
});

afterEach(() => room.end());

/** A keeper with an agent that no server looks after. */
async function keptAgent(): Promise<{ keeper: number; agent: number }> {
  const host = room.host();
  host.start(room.shell('echo $$ > agent; exec sleep 600'));
  const agent = await room.pidIn('agent');
  const keeper = await room.keeperPid();
  await host.detach();
  return { keeper, agent };
}

test('[ASK2] [SES10] a keeper that does not answer is not taken for dead: its agents are let be, and found when it does', async () => {
  const { keeper, agent } = await keptAgent();
  process.kill(keeper, 'SIGSTOP');
  const host = room.host({ patienceMs: 200, leftoverGraceMs: 100 });
  await expect(host.kept()).rejects.toThrow(SilentKeeper);
  await expect(host.kept()).rejects.toThrow(`(process ${keeper}) runs and does not answer`);
  await expect(host.endLeftovers()).rejects.toThrow(SilentKeeper);
  expect(await host.start(room.shell('true', 's2')).exited).toMatchObject({
    kind: 'spawn-failed',
    message: expect.stringContaining('does not answer'),
  });
  process.kill(keeper, 'SIGCONT');
  expect(await room.host().kept()).toHaveLength(1);
  expect(isRunning(agent)).toBe(true);
});

test('[SES10] a keeper that stops answering after its hello holds nobody up for ever', async () => {
  const { keeper } = await keptAgent();
  const host = room.host({ patienceMs: 300 });
  expect(await host.kept()).toHaveLength(1);
  process.kill(keeper, 'SIGSTOP');
  await expect(host.kept()).rejects.toThrow(SilentKeeper);
  process.kill(keeper, 'SIGCONT');
  expect(await host.kept()).toHaveLength(1);
});

test('[SES7] what does not answer is told by the status, and ended by stop, with its agents', async () => {
  const { keeper, agent } = await keptAgent();
  process.kill(keeper, 'SIGSTOP');
  await expect(keeperStatus(room.dir, { patienceMs: 100 })).rejects.toMatchObject({ pid: keeper });
  expect(await stopKeeper(room.dir, { patienceMs: 100 })).toEqual({ agents: 0, killed: 1, remaining: 0 });
  await eventually('both are gone', () => !isRunning(keeper) && !isRunning(agent));
  expect(await keeperStatus(room.dir)).toBeUndefined();
});

test('[SES10] who called while the keeper was held up is heard when it goes on', async () => {
  await launchKeeper({
    dataDir: room.dir,
    version: 'test',
    environment: process.env,
    tuning: { helloMs: 200 },
  });
  const keeper = await room.keeperPid();
  const caller = new RawClient(room.dir);
  const bystander = new RawClient(room.dir);
  await bystander.greet('visitor');
  process.kill(keeper, 'SIGSTOP');
  const greeted = caller.greet('visitor');
  // The time that a caller is given to say hello has to pass while the keeper hears nothing.
  await delay(400);
  process.kill(keeper, 'SIGCONT');
  await greeted;
  caller.say({ t: 'status', n: 3 });
  await caller.hears('status', { n: 3 });
});

test('[SES10] visitors that come and stay do not keep a server out', async () => {
  const { agent } = await keptAgent();
  const visitors = Array.from({ length: 80 }, () => new RawClient(room.dir));
  const connected = () => visitors.filter(({ heard }) => heard.length > 0).length;
  for (const visitor of visitors) visitor.sayHello('visitor');
  await eventually('most are in', () => connected() >= 60);
  const host = room.host();
  expect(await host.kept()).toHaveLength(1);
  expect(await textOf(host.start(room.shell('echo served', 's2')))).toBe('served\n');
  expect(isRunning(agent)).toBe(true);
  for (const { socket } of visitors) socket.destroy();
  await host.close();
});

test('[STORE2] a disk that takes not even the log does a keeper and its agents no harm', async () => {
  mkdirSync(join(room.dir, 'keeper'), { mode: 0o700 });
  symlinkSync('/dev/full', join(room.dir, 'keeper', 'log'));
  const host = room.host();
  const agent = host.start(room.spec('cat', []));
  const output = textOf(agent);
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const garbage = new RawClient(room.dir);
  garbage.socket.write('this is logged, or would be');
  await garbage.closed;
  expect(await agent.write('two\n')).toEqual({ ok: true });
  agent.closeInput();
  expect(await output).toBe('one\ntwo\n');
  await host.close();
});
