import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeperStatus } from '../../src/drivers/keeper/keeper-admin.ts';
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

const launch = (major: number, minor: number) =>
  launchKeeper({
    dataDir: room.dir,
    version: `${major}.${minor}`,
    environment: process.env,
    tuning: { protocol: { major, minor }, idleMs: 100, checkMs: 50 },
  });

/** Starts an agent as a server of that keeper's own time did. */
async function startInOld(client: RawClient, session: string, script: string): Promise<string> {
  const { id, ...spec } = room.shell(script, session);
  client.say({ t: 'start', id, sessionId: session, to: 1_000_000 }, Buffer.from(JSON.stringify(spec)));
  await client.hears('attached', { id });
  return id;
}

for (const minor of [0, 7]) {
  test(`a keeper of the same major version is used as it is (1.${minor})`, async () => {
    await launch(1, minor);
    const keeper = await room.keeperPid();
    const host = room.host();
    expect(await textOf(host.start(room.shell('echo served')))).toBe('served\n');
    expect(await room.keeperPid()).toBe(keeper);
    await host.close();
    await eventually('the keeper has ended', () => !isRunning(keeper));
  });
}

for (const major of [0, 2]) {
  test(`[SES10] a keeper of another major version (${major}) is drained, and replaced when its agents are done`, async () => {
    await launch(major, 0);
    const oldKeeper = await room.keeperPid();
    const client = new RawClient(room.dir);
    expect(await client.greet('server', major)).toMatchObject({ protocol: { major } });
    await startInOld(client, 'ends-at-end-of-input', 'echo $$ > reader; cat > /dev/null; echo done > ended');
    await startInOld(client, 'goes-on', 'echo $$ > worker; exec sleep 600');
    const reader = await room.pidIn('reader');
    const worker = await room.pidIn('worker');
    client.socket.destroy();

    const host = room.host();
    expect(await host.kept()).toEqual([]);
    await eventually('the reader was let end', () => !isRunning(reader));
    expect(await host.endLeftovers()).toEqual({ found: 0, killed: 0, remaining: 0 });
    expect(isRunning(worker)).toBe(true);
    const other = host.start(room.shell('echo $$ > other; exec sleep 600', 'another'));
    const otherPid = await room.pidIn('other');
    const status = await keeperStatus(room.dir);
    expect(status?.pid).not.toBe(oldKeeper);
    expect(
      status?.agents
        .filter(({ running }) => running)
        .map(({ sessionId }) => sessionId)
        .sort(),
    ).toEqual(['another', 'goes-on']);
    expect(isRunning(worker)).toBe(true);

    // The session goes on in a new process, and never in two.
    const next = host.start(
      room.shell(`kill -0 ${worker} 2>/dev/null && echo both || echo alone`, 'goes-on'),
    );
    expect(await textOf(next)).toBe('alone\n');
    await eventually('the old keeper has ended', () => !isRunning(oldKeeper));
    expect(isRunning(otherPid)).toBe(true);
    expect(other.pid).toBe(otherPid);
    await host.close();
    expect(isRunning(otherPid)).toBe(false);
  });
}

test('[SES10] a server that is restarted lets the agents of an older keeper finish, too', async () => {
  await launch(0, 0);
  const client = new RawClient(room.dir);
  await client.greet('server', 0);
  await startInOld(client, 'finishes', 'echo $$ > worker; exec sleep 600');
  const worker = await room.pidIn('worker');
  client.socket.destroy();
  const first = room.host();
  await first.kept();
  first.start(room.shell('echo $$ > other; exec sleep 600', 'another'));
  const other = await room.pidIn('other');
  await first.detach();

  const second = room.host();
  expect((await second.kept()).map(({ sessionId }) => sessionId)).toEqual(['another']);
  expect(await second.endLeftovers()).toEqual({ found: 0, killed: 0, remaining: 0 });
  expect([worker, other].map(isRunning)).toEqual([true, true]);
  await second.close();
  expect([worker, other].map(isRunning)).toEqual([false, false]);
});

test('closing ends the agents of older keepers, too', async () => {
  await launch(0, 3);
  const client = new RawClient(room.dir);
  await client.greet('server', 0);
  await startInOld(client, 'old', 'echo $$ > worker; exec sleep 600');
  const worker = await room.pidIn('worker');
  client.socket.destroy();
  const host = room.host();
  await host.kept();
  await host.close();
  expect(isRunning(worker)).toBe(false);
});
