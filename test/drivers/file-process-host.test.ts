import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { roomIn } from '../../src/drivers/process/disk-room.ts';
import { FileProcessHost, type FileProcessHostOptions } from '../../src/drivers/process/file-process-host.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { agentStatus, stopAgents } from '../../src/drivers/process/run-admin.ts';
import { RunArchive } from '../../src/drivers/process/run-archive.ts';
import { createRun, findRun } from '../../src/drivers/process/run-directory.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { outputOf, ProcessRoom, textOf } from '../support/process-room.ts';
import { ProcessServer } from '../support/process-server.ts';
import { rawByDirection } from '../support/raw-text.ts';
import { isRunning } from '../support/running.ts';

processHostContract('a host whose processes are on files', ({ dataDir }) => {
  const archive = new RunArchive({ dataDir });
  const host = new FileProcessHost({ dataDir, onOver: (run) => void archive.add(run) });
  return { host, raw: (sessionId) => rawByDirection(archive.read(sessionId)) };
});

let room: ProcessRoom;
let servers: ProcessServer[];

beforeEach(() => {
  room = new ProcessRoom();
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await stopAgents(room.dir);
  await eventually('nothing is left', () => markedProcesses(room.dir).length === 0);
  await room.end();
});

const hostOf = (options: Partial<FileProcessHostOptions> = {}): FileProcessHost =>
  new FileProcessHost({ dataDir: room.dir, ...options });

function server(): ProcessServer {
  const started = new ProcessServer(room.dir);
  servers.push(started);
  return started;
}

const megabyte = 1024 * 1024;
const lineCount = 20_000;
// Of several bytes each, so that a border may fall into a character.
const numbered = Array.from({ length: lineCount }, (_, index) => `${index + 1} → ä\n`).join('');
const printsNumbered = `
  let n = 0;
  const step = () => {
    while (n < ${lineCount}) {
      n += 1;
      if (!process.stdout.write(n + ' → ä\\n')) return process.stdout.once('drain', step);
      if (n % 50 === 0) return setTimeout(step, 1);
    }
  };
  step();`;

test('[STORE2] [SES10] servers are killed one after another, and not a byte is lost or doubled', async () => {
  const expected = Buffer.from(numbered);
  const spec = room.node(printsNumbered);
  const collected = Buffer.alloc(expected.length);
  let stored = 0;
  let kills = 0;
  for (let from = 0; stored < expected.length; ) {
    const reading = server();
    if (from === 0) reading.do({ do: 'start', spec });
    else {
      expect((await reading.kept()).map(({ id }) => id)).toEqual([spec.id]);
      reading.do({ do: 'attach', id: spec.id, from: stored });
    }
    const wanted = stored + 20_011 + kills * 7_919;
    await reading.hears(
      'some output',
      () => reading.output(spec.id).end >= Math.min(wanted, expected.length) || undefined,
    );
    await reading.kill();
    kills += 1;
    const { from: begun, end, bytes } = reading.output(spec.id);
    expect(begun).toBe(stored);
    // It died after it had heard this much, and had stored some of it: anything from nothing to all.
    bytes.copy(collected, begun);
    stored = end >= expected.length ? end : begun + Math.floor(((end - begun) * (kills % 4)) / 3);
    from = stored + 1;
  }
  expect(kills).toBeGreaterThan(3);
  expect(collected.equals(expected)).toBe(true);
});

test('[ASK5] a write that is repeated by the next server reaches the agent once, but for the one that its killer cut short', async () => {
  const spec = room.spec('cat', []);
  const first = server();
  first.do({ do: 'start', spec });
  const lines = Array.from({ length: 200 }, (_, index) => `answer ${index}\n`);
  const write = (to: ProcessServer) => {
    for (const [index, text] of lines.entries()) {
      to.do({ do: 'write', id: spec.id, text, writeId: `w${index}` });
    }
  };
  write(first);
  await first.hears(
    'some of the answers were written',
    (events) => events.some((event) => event.what === 'wrote' && event.writeId === 'w20') || undefined,
  );
  await first.kill();

  const second = server();
  await second.kept();
  second.do({ do: 'attach', id: spec.id, from: 0 });
  write(second);
  await second.hears(
    'all are answered for',
    (events) =>
      events.filter((event) => event.what === 'wrote' && event.ok).length === lines.length || undefined,
  );
  second.do({ do: 'write', id: spec.id, text: 'last\n', writeId: 'last' });
  await second.hears('the last line', () => second.output(spec.id).bytes.includes('last\n') || undefined);
  const said = second.output(spec.id).bytes.toString().trimEnd().split('\n');
  const twice = said.filter((line, index) => line === said[index - 1]);
  expect(twice.length).toBeLessThanOrEqual(1);
  expect(said.filter((line, index) => line !== said[index - 1])).toEqual([
    ...lines.map((line) => line.trimEnd()),
    'last',
  ]);
});

test('[ASK5] what was being noted when a server died is written again, and what was noted after it is not', async () => {
  const first = hostOf();
  const spec = room.spec('cat', []);
  const agent = first.start(spec);
  expect(await agent.write('one\n', 'a')).toEqual({ ok: true });
  await first.detach();
  const told = join(findRun(room.dir, spec.id)?.path ?? '', 'told');
  writeFileSync(told, '== in 2026-01-01T00:00:00.000Z 400 0 0 b\nhalf of wh', { flag: 'a' });
  const second = hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  expect(await again?.write('two\n', 'b')).toEqual({ ok: true });
  await second.detach();
  const third = hostOf();
  await third.kept();
  const last = third.attach(spec.id, 0);
  if (last === undefined) throw new Error('It is not there');
  expect(await last.write('one again\n', 'a')).toEqual({ ok: true });
  expect(await last.write('two again\n', 'b')).toEqual({ ok: true });
  const output = textOf(last);
  last.closeInput();
  expect(await output).toBe('one\ntwo\n');
  await third.close();
});

test('[PEER3] what is too large for one piece keeps its place among the others, and the end of the input comes behind all', async () => {
  const host = hostOf();
  const agent = host.start(room.spec('cat', []));
  const large = [`${'ä'.repeat(300_000)}\n`, `${'b'.repeat(5_000)}\n`];
  const texts = ['one\n', large[0], 'two\n', large[1], 'three\n'].map(String);
  const written = texts.map((text, index) => agent.write(text, `w${index}`));
  agent.closeInput();
  expect(await textOf(agent)).toBe(texts.join(''));
  expect(await Promise.all(written)).toEqual(texts.map(() => ({ ok: true })));
  expect(await agent.write('late\n')).toMatchObject({ ok: false });
  expect(readdirSync(join(findRun(room.dir, agent.id)?.path ?? '', 'large'))).toEqual([]);
  await host.close();
});

test('[ASK5] a large write that its server did not see the end of is known to the next, and not made again', async () => {
  const first = hostOf();
  const spec = room.shell('read -r go < go; exec cat');
  execFileSync('mkfifo', [join(room.dir, 'go')]);
  const agent = first.start(spec);
  const text = `${'x'.repeat(200_000)}\n`;
  const outcome = agent.write(text, 'large', { announced: true });
  const run = findRun(room.dir, spec.id)?.path ?? '';
  await eventually(
    'the shell has it',
    () => existsSync(join(run, 'large')) && readdirSync(join(run, 'large')).length === 1,
  );
  await first.detach();
  expect(await outcome).toMatchObject({ ok: false, uncertain: true });

  const second = hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  if (again === undefined) throw new Error('It is not there');
  expect(again.earlierWrites).toEqual({ written: new Set(['large']), doubtful: new Set() });
  const repeated = [again.write(text, 'large'), again.write('next\n', 'next')];
  writeFileSync(join(room.dir, 'go'), 'go\n');
  expect(await Promise.all(repeated)).toEqual([{ ok: true }, { ok: true }]);
  again.closeInput();
  expect(await textOf(again)).toBe(`${text}next\n`);
  await second.close();
});

test('[PEER3] where the shell is gone, the server itself writes what is large', async () => {
  const host = hostOf();
  const agent = host.start(room.spec('cat', []));
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const shells = markedProcesses(room.dir).filter(({ marker }) => marker.endsWith('/holder'));
  expect(shells).toHaveLength(2);
  for (const { pid } of shells) process.kill(pid, 'SIGKILL');
  await eventually('they are gone', () => shells.every(({ pid }) => !isRunning(pid)));
  const text = `${'x'.repeat(200_000)}\n`;
  expect(await agent.write(text)).toEqual({ ok: true });
  agent.closeInput();
  expect(await textOf(agent)).toBe(`one\n${text}`);
  await host.close();
});

test('[ASK5] of a write that was announced, the next server knows whether it was made, was not, or is in doubt', async () => {
  const first = hostOf();
  const spec = room.spec('cat', []);
  const agent = first.start(spec);
  expect(agent.earlierWrites).toEqual({ written: new Set(), doubtful: new Set() });
  expect(await agent.write('one\n', 'a', { announced: true })).toEqual({ ok: true });
  expect(await agent.write('two\n', 'b')).toEqual({ ok: true });
  await first.detach();
  const told = join(findRun(room.dir, spec.id)?.path ?? '', 'told');
  writeFileSync(told, '== to 2026-01-01T00:00:00.000Z 0 0 0 c\n\n== to 2026-01-01T00:', { flag: 'a' });
  const second = hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  expect(again?.earlierWrites).toEqual({ written: new Set(['a', 'b']), doubtful: new Set(['c']) });
  expect(await again?.write('three\n', 'c', { announced: true })).toEqual({ ok: true });
  await second.detach();
  const third = hostOf();
  await third.kept();
  const last = third.attach(spec.id, 0);
  expect(last?.earlierWrites).toEqual({ written: new Set(['a', 'b', 'c']), doubtful: new Set() });
  await third.close();
});

test('[SES7] an agent that ended while nobody listened tells its end, its last words and its output later', async () => {
  const wait = 'while [ ! -e go ]; do sleep 0.01; done';
  const spec = room.shell(`read line; ${wait}; echo "heard $line"; echo why >&2; exit 3`);
  const first = server();
  first.do({ do: 'start', spec });
  first.do({ do: 'write', id: spec.id, text: 'word\n', writeId: 'w' });
  await first.hears('it was written', (events) => events.some(({ what }) => what === 'wrote') || undefined);
  await first.kill();
  writeFileSync(join(room.dir, 'go'), '');
  await eventually('it has ended', async () =>
    (await agentStatus(room.dir)).every(({ running }) => !running),
  );

  const archive = new RunArchive({ dataDir: room.dir });
  const host = hostOf({ onOver: (run) => void archive.add(run) });
  expect(await host.kept()).toEqual([
    { id: spec.id, sessionId: 's1', running: false, outputEnd: 'heard word\n'.length },
  ]);
  const agent = host.attach(spec.id, 6);
  if (agent === undefined) throw new Error('It is not there');
  expect(host.attach(spec.id, 0)).toBeUndefined();
  expect(await textOf(agent)).toBe('word\n');
  expect(await agent.exited).toEqual({ kind: 'exited', code: 3, signal: null });
  expect(agent.stderrTail()).toEqual(['why']);
  expect(await host.kept()).toEqual([]);
  agent.stored('heard word\n'.length);
  await eventually('it is over', () => readdirSync(join(room.dir, 'run')).length === 0);
  await archive.close();
  expect(await rawByDirection(archive.read(SessionId.parse('s1')))).toEqual({
    in: 'word\n',
    out: 'heard word\n',
    err: 'why\n',
  });
  await host.close();
});

test('[STORE3] a raw log that is being read when its run ends is read to the end', async () => {
  const archive = new RunArchive({ dataDir: room.dir });
  const size = 4 * megabyte;
  const host = hostOf({ onOver: (run) => void archive.add(run) });
  const agent = host.start(
    room.node(`process.stdout.write('x'.repeat(${size})); process.stderr.write('why')`),
  );
  expect((await textOf(agent)).length).toBe(size);
  await agent.exited;
  const download = archive.read(SessionId.parse('s1'))[Symbol.asyncIterator]();
  const pieces = [(await download.next()).value];
  agent.stored(size);
  await eventually('it is over', () => readdirSync(join(room.dir, 'run')).length === 0);
  await archive.close();
  for (let next = await download.next(); !next.done; next = await download.next()) pieces.push(next.value);
  const raw = Buffer.concat(pieces).toString();
  expect(raw.match(/x/g)).toHaveLength(size);
  expect(raw).toContain('why');
  await host.close();
});

test('an end that was told, and not stored by the server that heard it, is told to the next', async () => {
  const spec = room.shell('echo all; exit 0');
  const first = server();
  first.do({ do: 'start', spec });
  await first.hears('its end', (events) => events.some(({ what }) => what === 'exited') || undefined);
  await first.hears('all of it', (events) => events.some(({ what }) => what === 'output-end') || undefined);
  await first.kill();
  const host = hostOf();
  expect(await host.kept()).toMatchObject([{ id: spec.id, running: false, outputEnd: 4 }]);
  const agent = host.attach(spec.id, 4);
  expect(await agent?.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  await host.close();
});

test('[SES10] let go of in order, agents go on, and the next server starts none twice', async () => {
  const first = hostOf();
  const spec = room.shell('echo $$ > agent; echo one; read line; echo "two $line"; exec sleep 600');
  const begun = first.start(spec);
  expect(begun.outlivesServer).toBe(true);
  const pid = await room.pidIn('agent');
  // It is under way when the server lets go, and is not lost.
  const written = begun.write('word\n', 'w');
  await first.detach();
  expect(await written).toEqual({ ok: true });
  expect(isRunning(pid)).toBe(true);
  expect(first.start(room.shell('true'))).toMatchObject({ pid: undefined });

  const second = hostOf();
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
  const spec = room.shell('echo $$ >> started; exec sleep 600');
  const given = createRun(room.dir, spec, {
    startedAt: new Date().toISOString(),
    isolation: 'none',
  });
  const host = hostOf();
  const agent = host.start(spec);
  await room.pidIn('started');
  expect(findRun(room.dir, spec.id)?.path).not.toBe(given.path);
  expect(readdirSync(given.path)).toContain('begun');
  await agent.end();
  await host.endLeftovers();
  expect(readdirSync(join(room.dir, 'run'))).toEqual([`${spec.id}.2`]);
  await host.close();
});

test('[SES6] an agent that is ended before it began never begins', async () => {
  const host = hostOf();
  const agent = host.start(room.shell('echo $$ > started; exec sleep 600'));
  await agent.end();
  expect(await agent.exited).toMatchObject({ kind: 'exited' });
  expect(await textOf(agent)).toBe('');
  await host.close();
});

test('[SES7] an input that is closed while the agent is being started does not keep it from starting', async () => {
  const host = hostOf();
  for (let round = 0; round < 20; round += 1) {
    const agent = host.start({ ...room.spec('cat', []), id: `p${round}` });
    const hold = join(findRun(room.dir, agent.id)?.path ?? '', 'hold');
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
    const host = hostOf();
    const agent = host.start(room.spec('cat', []));
    const heard: string[] = [];
    agent.readOutput({ chunk: (chunk) => heard.push(chunk.toString()), end() {} });
    expect(await agent.write('one\n')).toEqual({ ok: true });
    await eventually('it has answered', () => heard.join('') === 'one\n');
    const holders = markedProcesses(room.dir).filter(({ marker }) => marker.endsWith('/holder'));
    expect(holders).toHaveLength(2);
    for (const pid of those(holders.map(({ pid }) => pid).sort((a, b) => a - b)))
      process.kill(pid, 'SIGKILL');
    expect(await agent.write('two\n')).toEqual({ ok: true });
    await eventually('it goes on', () => heard.join('') === 'one\ntwo\n');
    process.kill(agent.pid ?? 0, 'SIGKILL');
    expect(await agent.exited).toMatchObject({
      kind: 'host-lost',
      message: expect.stringContaining('not known'),
    });
    await agent.end();
    await host.close();
    await eventually('its shells are gone', () => markedProcesses(room.dir).length === 0);
  },
);

test('[MULTI4] [STORE3] an agent that prints faster than it is read is stopped before it fills the disk, and goes on when it is read', async () => {
  const size = 24 * 1024 * 1024;
  const mostUnreadBytes = 1024 * 1024;
  const host = hostOf({ mostUnreadBytes });
  // In small pieces, so that it can be stopped between two of them.
  const agent = host.start(
    room.node(`const piece = Buffer.alloc(16384, 120); let n = 0;
      const step = () => { process.stdout.write(piece); n += piece.length; if (n < ${size}) setTimeout(step, 1); };
      step();`),
  );
  let received = 0;
  const ended = new Promise<void>((resolve) => {
    agent.readOutput({
      chunk(chunk, offset) {
        expect(offset).toBe(received);
        received += chunk.length;
        agent.stored(received);
      },
      end: resolve,
    });
  });
  agent.pauseOutput();
  const out = join(findRun(room.dir, agent.id)?.path ?? '', 'agent', 'out');
  await eventually('it is stopped', () => agent.pid !== undefined && stateOf(agent.pid) === 'T');
  const stoppedAt = statSync(out).size;
  expect(stoppedAt).toBeGreaterThan(mostUnreadBytes);
  expect(stoppedAt).toBeLessThan(size);
  agent.resumeOutput();
  await ended;
  expect(received).toBe(size);
  // All of it but its end was given back to the disk, and the offsets stayed.
  await eventually('space is given back', () => statSync(out).blocks * 512 < size - 4 * 1024 * 1024);
  expect(statSync(out).size).toBe(size);
  await host.close();
});

const stateOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[0];

/** Prints 64 kB again and again as fast as it can, and says how much in the end. */
const printsFast = (megabytes: number) => `head -c ${megabytes}m /dev/zero | tr '\\0' x`;

test('[STORE9] one that prints faster than it is read is stopped also while it is being read', async () => {
  const megabytes = 96;
  const host = hostOf({ mostUnreadBytes: megabyte });
  const agent = host.start(room.shell(printsFast(megabytes)));
  const stopped = () => existsSync(join(findRun(room.dir, agent.id)?.path ?? '', 'stopped'));
  let [received, wasStopped] = [0, false];
  await new Promise<void>((resolve) => {
    agent.readOutput({
      chunk(chunk) {
        received += chunk.length;
        wasStopped ||= stopped();
        // The work that a piece makes.
        const until = performance.now() + 2;
        while (performance.now() < until);
      },
      end: resolve,
    });
  });
  expect(received).toBe(megabytes * megabyte);
  expect(wasStopped).toBe(true);
  await host.close();
});

test('[STORE9] on a disk without room all are stopped, and those that a server left stopped go on with the next', async () => {
  let space = { free: 100 * megabyte, all: 100 * megabyte };
  const rooms: string[] = [];
  const first = hostOf({ space: async () => space, onRoom: (each) => rooms.push(each) });
  const spec = room.spec('cat', []);
  const agent = first.start(spec);
  agent.readOutput({ chunk() {}, end() {} });
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const stateOf = () => /^State:\s*(\S)/m.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1];
  space = { ...space, free: megabyte };
  await eventually('it is told', () => rooms.includes('low'));
  expect(stateOf()).not.toBe('T');
  space = { ...space, free: 0 };
  await eventually('it is stopped', () => stateOf() === 'T');
  await first.detach();
  expect(stateOf()).toBe('T');

  const second = hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  if (again === undefined) throw new Error('It is not there');
  await eventually('it goes on', () => stateOf() !== 'T');
  again.closeInput();
  expect(await textOf(again)).toBe('one\n');
  await second.close();
  expect(rooms).toEqual(['low', 'none']);
});

test.each([
  [{ free: 600, all: 1_000_000 }, 'enough', 'enough'],
  [{ free: 500, all: 1_000_000 }, 'enough', 'low'],
  [{ free: 600, all: 1_000_000 }, 'low', 'low'],
  [{ free: 800, all: 1_000_000 }, 'low', 'enough'],
  [{ free: 60, all: 1_000_000 }, 'low', 'none'],
  [{ free: 60, all: 1_000 }, 'none', 'enough'],
  [{ free: 10, all: 1_000 }, 'enough', 'low'],
  [{ free: 1, all: 1_000 }, 'enough', 'none'],
] as const)('[STORE9] %o (in MB), after there was %s: %s', ({ free, all }, before, expected) => {
  expect(roomIn({ free: free * megabyte, all: all * megabyte }, before)).toBe(expected);
});

test('[SES6] an agent that is stopped is ended all the same', async () => {
  const host = hostOf();
  const agent = host.start(room.shell('echo $$ > agent; exec sleep 600'));
  const pid = await room.pidIn('agent');
  process.kill(pid, 'SIGSTOP');
  await agent.end({ graceMs: 300 });
  expect(isRunning(pid)).toBe(false);
  await host.close();
});

test('[SES7] leftovers are what has no files; what has them is let be', async () => {
  const first = hostOf();
  first.start(room.shell('echo $$ > kept; exec sleep 600'));
  const kept = await room.pidIn('kept');
  await first.detach();
  new LocalProcessHost({ dataDir: room.dir }).start(room.shell('echo $$ > stray; exec sleep 600'));
  const stray = await room.pidIn('stray');
  const second = hostOf({ leftoverGraceMs: 500 });
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
  const deep = join(room.dir, 'a-rather-long-name'.repeat(6), 'and-one-more'.repeat(4));
  mkdirSync(deep, { recursive: true, mode: 0o755 });
  const host = hostOf({ dataDir: deep });
  const agent = host.start({ ...room.shell('echo said; echo err >&2; exec sleep 600'), id: '../p/1' });
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
  expect(await agentStatus(room.dir)).toEqual([]);
  expect(await stopAgents(room.dir)).toEqual({ agents: 0, remaining: 0 });
  const host = hostOf();
  host.start(room.shell('echo $$ > agent; exec sleep 600', 's7'));
  const pid = await room.pidIn('agent');
  await host.detach();
  const [agent] = await agentStatus(room.dir);
  expect(agent).toMatchObject({ sessionId: 's7', pid, running: true });
  expect(agent?.memory).toBeGreaterThan(1_000);
  expect(await stopAgents(room.dir)).toEqual({ agents: 1, remaining: 0 });
  expect(isRunning(pid)).toBe(false);
  expect(await agentStatus(room.dir)).toMatchObject([{ running: false }]);
});
