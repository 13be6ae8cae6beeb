import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeperStatus, stopKeeper } from '../../src/drivers/keeper/keeper-admin.ts';
import { launchKeeper } from '../../src/drivers/keeper/launch.ts';
import { eventually } from '../support/eventually.ts';
import { textOf } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';
import { frameBytes } from './support/frame-bytes.ts';
import { KeeperRoom } from './support/keeper-room.ts';
import { RawClient } from './support/raw-client.ts';

let room: KeeperRoom;

beforeEach(() => {
  room = new KeeperRoom();
});

afterEach(() => room.end());

const sleeper = (file: string) => room.shell(`echo $$ > ${file}; exec sleep 600`);
const launch = (dataDir = room.dir) => ({ dataDir, version: 'test', environment: process.env });

/** The living keepers of the test's directory. */
function keepers(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isRunning(pid))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('keeper/program/main') && command.includes(room.dir);
      } catch {
        return false;
      }
    });
}

test('[ASK5] [SES7] when the keeper is killed its agents are gone, in words, and the next one starts afresh', async () => {
  const host = room.host({ leftoverGraceMs: 200 });
  const agent = host.start(room.shell(`trap '' TERM HUP PIPE; echo $$ > agent; while :; do sleep 1; done`));
  const pid = await room.pidIn('agent');
  const unread = agent.write(Buffer.alloc(4 * 1024 * 1024));
  const keeper = await room.keeperPid();
  process.kill(keeper, 'SIGKILL');
  expect(await agent.exited).toEqual({
    kind: 'host-lost',
    message: 'The keeper that ran the agent has ended, and the agent with it',
  });
  expect(isRunning(pid)).toBe(false);
  expect(await unread).toMatchObject({ ok: false });
  expect(await textOf(agent)).toBe('');
  await agent.end();

  const next = host.start(room.shell('echo again'));
  expect(await textOf(next)).toBe('again\n');
  expect(await room.keeperPid()).not.toBe(keeper);
  await host.close();
  expect(keepers()).toEqual([]);
});

test('of many keepers that are started in the same moment one stays, also where a dead one left its socket', async () => {
  await launchKeeper(launch());
  process.kill(await room.keeperPid(), 'SIGKILL');
  await eventually('it is dead', () => keepers().length === 0);
  await Promise.all(Array.from({ length: 6 }, () => launchKeeper(launch())));
  const pid = await eventually('all but one have ended', () => keepers().length === 1 && keepers()[0]);
  expect(await room.keeperPid()).toBe(pid);
  expect(readdirSync(join(room.dir, 'keeper')).filter((name) => /sock|new/.test(name))).toHaveLength(1);
});

test('two hosts that need a keeper at once get the same one', async () => {
  const hosts = [room.host(), room.host()];
  await Promise.all(hosts.map((host, index) => host.start(room.shell('exit 0', `s${index}`)).exited));
  await eventually('whoever came second has ended', () => keepers().length === 1);
  await Promise.all(hosts.map((host) => host.close()));
});

test('garbage, half frames and silence on the socket disturb nobody', async () => {
  const host = room.host();
  const agent = host.start(room.spec('cat', []));
  const output = textOf(agent);
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const garbage = new RawClient(room.dir);
  garbage.socket.write(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  const noHello = new RawClient(room.dir);
  noHello.say({ t: 'status', n: 1 });
  const broken = new RawClient(room.dir);
  await broken.greet('visitor');
  broken.say({ t: 'status', n: 'one' });
  const presumptuous = new RawClient(room.dir);
  await presumptuous.greet('visitor');
  presumptuous.say({ t: 'write', id: agent.id, n: 1, writeId: 'x' }, Buffer.from('not for you\n'));
  await Promise.all([garbage.closed, noHello.closed, broken.closed, presumptuous.closed]);
  const half = new RawClient(room.dir);
  half.socket.write(frameBytes({ t: 'hello' }).subarray(0, 11));
  const silent = new RawClient(room.dir);
  const later = new RawClient(room.dir);
  await later.greet('visitor');
  later.say({ t: 'a-message-of-a-later-version' });
  later.say({ t: 'status', n: 7 });
  await later.hears('status', { n: 7 });
  expect(await agent.write('two\n')).toEqual({ ok: true });
  agent.closeInput();
  expect(await output).toBe('one\ntwo\n');
  // Who says nothing is not waited for.
  await Promise.all([half.closed, silent.closed]);
  later.socket.destroy();
  await host.close();
});

test('[ASK5] a write that was cut off in the middle is not made, and its repetition is', async () => {
  await launchKeeper(launch());
  const first = new RawClient(room.dir);
  await first.greet('server');
  const spec = room.spec('cat', []);
  first.say({ t: 'start', id: spec.id, sessionId: 's1', to: 1_000 }, Buffer.from(JSON.stringify(spec)));
  await first.hears('attached');
  first.say({ t: 'write', id: spec.id, n: 1, writeId: 'a' }, Buffer.from('whole\n'));
  first.socket.write(
    frameBytes({ t: 'write', id: spec.id, n: 2, writeId: 'b' }, Buffer.from('half\n')).subarray(0, -2),
  );
  await first.hears('wrote', { n: 1 });
  first.socket.destroy();
  const host = room.host();
  await host.kept();
  const agent = host.attach(spec.id, 0);
  if (!agent) throw new Error('It is not there');
  const output = textOf(agent);
  expect(await agent.write('whole\n', 'a')).toEqual({ ok: true });
  expect(await agent.write('half\n', 'b')).toEqual({ ok: true });
  agent.closeInput();
  expect(await output).toBe('whole\nhalf\n');
  await host.close();
});

test('[PEER3] a connection that breaks while the keeper lives is made again, and nothing is lost or doubled', async () => {
  await launchKeeper(launch());
  const elsewhere = join(room.dir, 'elsewhere');
  mkdirSync(join(elsewhere, 'keeper'), { recursive: true });
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(join(room.dir, 'keeper', '1.sock'));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(join(elsewhere, 'keeper', '1.sock'), resolve));
  const host = room.host({ dataDir: elsewhere });
  const agent = host.start(room.spec('cat', []));
  const output = textOf(agent);
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
  for (const [index, line] of lines.entries()) {
    const written = agent.write(line);
    if (index % 100 === 50) for (const socket of sockets) socket.destroy();
    if (index % 10 === 0) expect(await written).toEqual({ ok: true });
  }
  agent.closeInput();
  expect(await output).toBe(lines.join(''));
  expect(await agent.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  await host.detach();
  proxy.close();
});

test('[SES6] a terminal’s signals do not reach it; SIGTERM ends its agents and itself', async () => {
  const host = room.host();
  host.start(sleeper('agent'));
  const agent = await room.pidIn('agent');
  const keeper = await room.keeperPid();
  process.kill(keeper, 'SIGHUP');
  process.kill(keeper, 'SIGINT');
  expect((await keeperStatus(room.dir))?.pid).toBe(keeper);
  // In a session of its own: field 6 of stat.
  expect(readFileSync(`/proc/${keeper}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]).toBe(String(keeper));
  await host.detach();
  process.kill(keeper, 'SIGTERM');
  await eventually('all has ended', () => !isRunning(keeper) && !isRunning(agent));
  expect(await keeperStatus(room.dir)).toBeUndefined();
});

test('[SES7] a keeper whose data directory was removed ends, with its agents', async () => {
  const host = room.host({ tuning: { checkMs: 50 } });
  host.start(sleeper('agent'));
  const agent = await room.pidIn('agent');
  const keeper = await room.keeperPid();
  await host.detach();
  rmSync(room.dir, { recursive: true, force: true });
  await eventually('all has ended', () => !isRunning(keeper) && !isRunning(agent));
});

test('a keeper without agents and servers ends by itself, and not before', async () => {
  const host = room.host({ tuning: { idleMs: 100, lingerMs: 0 } });
  const agent = host.start(sleeper('agent'));
  const pid = await room.pidIn('agent');
  const keeper = await room.keeperPid();
  await host.detach();
  const second = room.host();
  expect(await second.kept()).toHaveLength(1);
  const again = second.attach(agent.id, 0);
  await again?.end();
  again?.stored(0);
  await second.detach();
  await eventually('it has ended', () => !isRunning(keeper));
  expect(isRunning(pid)).toBe(false);
});

test('a data directory with a long path works as any other', async () => {
  const deep = join(room.dir, 'a-rather-long-name'.repeat(6), 'and-one-more'.repeat(4));
  mkdirSync(deep, { recursive: true });
  expect(deep.length).toBeGreaterThan(150);
  const host = room.host({ dataDir: deep });
  const agent = host.start(room.shell('echo deep; exec sleep 600'));
  await new Promise<void>((resolve) => {
    agent.readOutput({ chunk: () => resolve(), end() {} });
  });
  expect((await keeperStatus(deep))?.agents).toMatchObject([{ id: agent.id, running: true }]);
  await host.close();
  expect(await keeperStatus(deep)).toBeUndefined();
});

test('[SEC3] the socket is its owner’s alone, whatever the mode of the data directory', async () => {
  chmodSync(room.dir, 0o755);
  await launchKeeper(launch());
  const folder = join(room.dir, 'keeper');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, '1.sock')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'log')).mode & 0o777).toBe(0o600);
});

test.runIf(process.getuid?.() === 0)('[SEC3] another user cannot connect', async () => {
  chmodSync(room.dir, 0o755);
  await launchKeeper(launch());
  const control = join(room.dir, 'open.sock');
  const open = createServer((socket) => socket.end()).listen(control);
  await eventually('the control is there', () => statSync(control, { throwIfNoEntry: false }));
  chmodSync(control, 0o777);
  expect(await connectAsNobody(control)).toBe('connected');
  expect(await connectAsNobody(join(room.dir, 'keeper', '1.sock'))).toBe('EACCES');
  // Even if the folder were open, the socket is not.
  chmodSync(join(room.dir, 'keeper'), 0o755);
  expect(await connectAsNobody(join(room.dir, 'keeper', '1.sock'))).toBe('EACCES');
  open.close();
});

function connectAsNobody(path: string): Promise<string> {
  const script = `
    process.setgroups([]);
    process.setgid(65534);
    process.setuid(65534);
    require('node:net').connect(process.argv[1])
      .on('connect', () => { console.log('connected'); process.exit(); })
      .on('error', (error) => console.log(error.code));`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', script, path], (_error, stdout, stderr) =>
      resolve(stdout.trim() || stderr.trim()),
    );
  });
}

test('status and stop work without a server', async () => {
  expect(await keeperStatus(room.dir)).toBeUndefined();
  expect(await stopKeeper(room.dir)).toEqual({ agents: 0, killed: 0, remaining: 0 });
  const host = room.host({ version: '9.9.9' });
  host.start(room.shell('echo $$ > agent; echo some output; exec sleep 600', 's7'));
  const agent = await room.pidIn('agent');
  await host.detach();
  const status = await eventually('its output was read', async () => {
    const now = await keeperStatus(room.dir);
    return now?.agents[0]?.unstored === 12 && now;
  });
  expect(status).toMatchObject({
    version: '9.9.9',
    agents: [{ sessionId: 's7', pid: agent, running: true, unstored: 12 }],
  });
  expect(isRunning(status.pid)).toBe(true);
  expect(Date.now() - status.startedAt.getTime()).toBeLessThan(60_000);
  expect(status.memory).toBeGreaterThan(1_000_000);
  expect(status.agents[0]?.memory).toBeGreaterThan(1_000);
  expect(await stopKeeper(room.dir)).toEqual({ agents: 1, killed: 0, remaining: 0 });
  expect([agent, status.pid].map(isRunning)).toEqual([false, false]);
});

test('[SES6] a keeper that does not answer is killed in time, and its agents are ended', async () => {
  const host = room.host();
  host.start(sleeper('agent'));
  const agent = await room.pidIn('agent');
  const keeper = await room.keeperPid();
  process.kill(keeper, 'SIGSTOP');
  const began = performance.now();
  await host.close();
  expect(performance.now() - began).toBeLessThan(10_000);
  expect([keeper, agent].map(isRunning)).toEqual([false, false]);
});

test('where no keeper can be started, the agent says so', async () => {
  const file = join(room.dir, 'file');
  await new Promise((resolve) => spawn('touch', [file]).once('exit', resolve));
  const host = room.host({ dataDir: file });
  const agent = host.start(room.shell('true'));
  expect(await agent.exited).toMatchObject({
    kind: 'spawn-failed',
    code: 'failed',
    message: expect.stringContaining('could not be started'),
  });
  expect(await agent.write('x')).toMatchObject({ ok: false });
  await agent.end();
  await host.close();
});
