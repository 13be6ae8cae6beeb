import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileProcessHost } from '../../src/drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { agentStatus, stopAgents } from '../../src/drivers/process/run-admin.ts';
import { RunArchive } from '../../src/drivers/process/run-archive.ts';
import { createRun, findRun } from '../../src/drivers/process/run-directory.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { outputOf, textOf } from '../support/process-room.ts';
import { rawByDirection } from '../support/raw-text.ts';
import { isRunning } from '../support/running.ts';
import { fileProcessRooms } from './file-process-rooms.ts';

processHostContract('a host whose processes are on files', ({ dataDir }) => {
  const archive = new RunArchive({ dataDir });
  const host = new FileProcessHost({ dataDir, onOver: (run) => void archive.add(run) });
  return { host, raw: (sessionId) => rawByDirection(archive.read(sessionId)) };
});

const rooms = fileProcessRooms();

test('[SES7] an agent that ended while nobody listened tells its end, its last words and its output later', async () => {
  const wait = 'while [ ! -e go ]; do sleep 0.01; done';
  const spec = rooms.room.shell(`read line; ${wait}; echo "heard $line"; echo why >&2; exit 3`);
  const first = rooms.server();
  first.do({ do: 'start', spec });
  first.do({ do: 'write', id: spec.id, text: 'word\n', writeId: 'w' });
  await first.hears('it was written', (events) => events.some(({ what }) => what === 'wrote') || undefined);
  await first.kill();
  writeFileSync(join(rooms.room.dir, 'go'), '');
  await eventually('it has ended', async () =>
    (await agentStatus(rooms.room.dir)).every(({ running }) => !running),
  );

  const archive = new RunArchive({ dataDir: rooms.room.dir });
  const host = rooms.hostOf({ onOver: (run) => void archive.add(run) });
  expect(await host.kept()).toEqual([
    { id: spec.id, sessionId: 's1', running: false, outputEnd: 'heard word\n'.length, givenBack: 0 },
  ]);
  const agent = host.attach(spec.id, 6);
  if (agent === undefined) throw new Error('It is not there');
  expect(host.attach(spec.id, 0)).toBeUndefined();
  expect(await textOf(agent)).toBe('word\n');
  expect(await agent.exited).toEqual({ kind: 'exited', code: 3, signal: null });
  expect(agent.stderrTail()).toEqual(['why']);
  expect(await host.kept()).toEqual([]);
  agent.stored('heard word\n'.length);
  await eventually('it is over', () => readdirSync(join(rooms.room.dir, 'run')).length === 0);
  await archive.close();
  expect(await rawByDirection(archive.read(SessionId.parse('s1')))).toEqual({
    in: 'word\n',
    out: 'heard word\n',
    err: 'why\n',
  });
  await host.close();
});

test('[STORE3] a raw log that is being read when its run ends is read to the end', async () => {
  const archive = new RunArchive({ dataDir: rooms.room.dir });
  const size = 4 * 1024 * 1024;
  const host = rooms.hostOf({ onOver: (run) => void archive.add(run) });
  const agent = host.start(
    rooms.room.node(`process.stdout.write('x'.repeat(${size})); process.stderr.write('why')`),
  );
  expect((await textOf(agent)).length).toBe(size);
  await agent.exited;
  const download = archive.read(SessionId.parse('s1'))[Symbol.asyncIterator]();
  const pieces = [(await download.next()).value];
  agent.stored(size);
  await eventually('it is over', () => readdirSync(join(rooms.room.dir, 'run')).length === 0);
  await archive.close();
  for (let next = await download.next(); !next.done; next = await download.next()) pieces.push(next.value);
  const raw = Buffer.concat(pieces).toString();
  expect(raw.match(/x/g)).toHaveLength(size);
  expect(raw).toContain('why');
  await host.close();
});

test('an end that was told, and not stored by the server that heard it, is told to the next', async () => {
  const spec = rooms.room.shell('echo all; exit 0');
  const first = rooms.server();
  first.do({ do: 'start', spec });
  await first.hears('its end', (events) => events.some(({ what }) => what === 'exited') || undefined);
  await first.hears('all of it', (events) => events.some(({ what }) => what === 'output-end') || undefined);
  await first.kill();
  const host = rooms.hostOf();
  expect(await host.kept()).toMatchObject([{ id: spec.id, running: false, outputEnd: 4 }]);
  const agent = host.attach(spec.id, 4);
  expect(await agent?.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  await host.close();
});

test('[SES10] let go of in order, agents go on, and the next server starts none twice', async () => {
  const first = rooms.hostOf();
  const spec = rooms.room.shell('echo $$ > agent; echo one; read line; echo "two $line"; exec sleep 600');
  const begun = first.start(spec);
  expect(begun.outlivesServer).toBe(true);
  const pid = await rooms.room.pidIn('agent');
  // It is under way when the server lets go, and is not lost.
  const written = begun.write('word\n', 'w');
  await first.detach();
  expect(await written).toEqual({ ok: true });
  expect(isRunning(pid)).toBe(true);
  expect(first.start(rooms.room.shell('true'))).toMatchObject({ pid: undefined });

  const second = rooms.hostOf();
  const again = second.start(spec);
  let text = '';
  again.readOutput({
    chunk: (chunk) => {
      text += chunk;
    },
    end() {},
  });
  await eventually('all of its output', () => text === 'one\ntwo word\n');
  expect(again.pid).toBe(pid);
  expect(await second.kept()).toEqual([]);
  await second.close();
  expect(isRunning(pid)).toBe(false);
  expect(await again.exited).toMatchObject({ kind: 'exited' });
});

test('[SES10] a start that was never made is made, and a shell that comes to it late starts nothing', async () => {
  const spec = rooms.room.shell('echo $$ >> started; exec sleep 600');
  const given = createRun(rooms.room.dir, spec, {
    startedAt: new Date().toISOString(),
    isolation: 'none',
  });
  const host = rooms.hostOf();
  const agent = host.start(spec);
  await rooms.room.pidIn('started');
  expect(findRun(rooms.room.dir, spec.id)?.path).not.toBe(given.path);
  expect(readdirSync(given.path)).toContain('begun');
  await agent.end();
  await host.endLeftovers();
  expect(readdirSync(join(rooms.room.dir, 'run'))).toEqual([`${spec.id}.2`]);
  await host.close();
});

test('[SES6] an agent that is ended before it began never begins', async () => {
  const host = rooms.hostOf();
  const agent = host.start(rooms.room.shell('echo $$ > started; exec sleep 600'));
  await agent.end();
  expect(await agent.exited).toMatchObject({ kind: 'exited' });
  expect(await textOf(agent)).toBe('');
  await host.close();
});

test('[SES7] an input that is closed while the agent is being started does not keep it from starting', async () => {
  const host = rooms.hostOf();
  for (let round = 0; round < 20; round += 1) {
    const agent = host.start({ ...rooms.room.spec('cat', []), id: `p${round}` });
    const hold = join(findRun(rooms.room.dir, agent.id)?.path ?? '', 'hold');
    while (!existsSync(hold)) await new Promise((resolve) => setImmediate(resolve));
    agent.closeInput();
    expect(await agent.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  }
  await host.close();
});

test.each([
  ['both', (pids: number[]) => pids],
  ['the one that waits for it', (pids: number[]) => pids.slice(0, 1)],
])(
  '[SES10] the shells that hold an agent are killed, %s: it goes on, that its end is not known is said, and nothing is left',
  async (_, those) => {
    const host = rooms.hostOf();
    const agent = host.start(rooms.room.spec('cat', []));
    const heard: string[] = [];
    agent.readOutput({ chunk: (chunk) => heard.push(chunk.toString()), end() {} });
    expect(await agent.write('one\n')).toEqual({ ok: true });
    await eventually('it has answered', () => heard.join('') === 'one\n');
    const holders = markedProcesses(rooms.room.dir).filter(({ marker }) => marker.endsWith('/holder'));
    expect(holders).toHaveLength(2);
    for (const pid of those(holders.map(({ pid }) => pid).sort((a, b) => a - b)))
      process.kill(pid, 'SIGKILL');
    expect(await agent.write('two\n')).toEqual({ ok: true });
    await eventually('it goes on', () => heard.join('') === 'one\ntwo\n');
    await eventually('its own process is known', () => agent.pid !== undefined);
    process.kill(agent.pid ?? process.pid, 'SIGKILL');
    expect(await agent.exited).toMatchObject({
      kind: 'host-lost',
      message: expect.stringContaining('not known'),
    });
    await agent.end();
    await host.close();
    await eventually('its shells are gone', () => markedProcesses(rooms.room.dir).length === 0);
  },
);

test('[SES6] an agent that is stopped is ended all the same', async () => {
  const host = rooms.hostOf();
  const agent = host.start(rooms.room.shell('echo $$ > agent; exec sleep 600'));
  const pid = await rooms.room.pidIn('agent');
  process.kill(pid, 'SIGSTOP');
  await agent.end({ graceMs: 300 });
  expect(isRunning(pid)).toBe(false);
  await host.close();
});

test('[SES7] leftovers are what has no files; what has them is let be', async () => {
  const first = rooms.hostOf();
  first.start(rooms.room.shell('echo $$ > kept; exec sleep 600'));
  const kept = await rooms.room.pidIn('kept');
  await first.detach();
  new LocalProcessHost({ dataDir: rooms.room.dir }).start(
    rooms.room.shell('echo $$ > stray; exec sleep 600'),
  );
  const stray = await rooms.room.pidIn('stray');
  const second = rooms.hostOf({ leftoverGraceMs: 500 });
  expect(await second.endLeftovers()).toMatchObject({ remaining: 0, found: 1 });
  expect([kept, stray].map(isRunning)).toEqual([true, false]);
  await second.kept();
  const attached = second.attach('p1', 0);
  if (attached === undefined) throw new Error('It is not there');
  const output = outputOf(attached);
  await attached.end();
  expect((await output).length).toBe(0);
  expect(isRunning(kept)).toBe(false);
  await second.close();
});

test('[SEC3] what agents say lies in files of their owner alone, whatever the mode of the data directory', async () => {
  const deep = join(rooms.room.dir, 'a-rather-long-name'.repeat(6), 'and-one-more'.repeat(4));
  mkdirSync(deep, { recursive: true, mode: 0o755 });
  const host = rooms.hostOf({ dataDir: deep });
  const agent = host.start({ ...rooms.room.shell('echo said; echo err >&2; exec sleep 600'), id: '../p/1' });
  await new Promise<void>((resolve) => {
    agent.readOutput({ chunk: () => resolve(), end() {} });
  });
  await agent.write('told\n');
  const { path = '' } = findRun(deep, '../p/1') ?? {};
  expect(path.startsWith(join(deep, 'run'))).toBe(true);
  const modes = (names: readonly string[]) => names.map((name) => statSync(join(path, name)).mode & 0o777);
  expect(modes(['.', '..', 'agent'])).toEqual([0o700, 0o700, 0o700]);
  expect(modes(['in', 'told', 'about.json', 'agent/out', 'agent/err'])).toEqual(Array(5).fill(0o600));
  await host.close();
});

test('[SES4] status and stop work without a server', async () => {
  expect(await agentStatus(rooms.room.dir)).toEqual([]);
  expect(await stopAgents(rooms.room.dir)).toEqual({ agents: 0, remaining: 0 });
  const host = rooms.hostOf();
  host.start(rooms.room.shell('echo $$ > agent; exec sleep 600', 's7'));
  const pid = await rooms.room.pidIn('agent');
  await host.detach();
  const [agent] = await agentStatus(rooms.room.dir);
  expect(agent).toMatchObject({ sessionId: 's7', pid, running: true });
  expect(agent?.memory).toBeGreaterThan(1_000);
  expect(await stopAgents(rooms.room.dir)).toEqual({ agents: 1, remaining: 0 });
  expect(isRunning(pid)).toBe(false);
  expect(await agentStatus(rooms.room.dir)).toMatchObject([{ running: false }]);
});
