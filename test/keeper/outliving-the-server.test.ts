import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeperStatus } from '../../src/drivers/keeper/keeper-admin.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { eventually } from '../support/eventually.ts';
import { outputOf, textOf } from '../support/process-room.ts';
import { isRunning } from '../support/running.ts';
import { KeeperRoom } from './support/keeper-room.ts';
import type { Server } from './support/server.ts';

let room: KeeperRoom;

beforeEach(() => {
  room = new KeeperRoom();
});

afterEach(() => room.end());

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
    const server = room.server();
    if (from === 0) server.do({ do: 'start', spec });
    else {
      expect((await server.kept()).map(({ id }) => id)).toEqual([spec.id]);
      server.do({ do: 'attach', id: spec.id, from: stored });
    }
    const wanted = stored + 20_011 + kills * 7_919;
    await server.hears(
      'some output',
      () => server.output(spec.id).end >= Math.min(wanted, expected.length) || undefined,
    );
    await server.kill();
    kills += 1;
    const { from: begun, end, bytes } = server.output(spec.id);
    expect(begun).toBe(stored);
    // It died after it had heard this much, and had stored some of it: anything from nothing to all.
    bytes.copy(collected, begun);
    stored = end >= expected.length ? end : begun + Math.floor(((end - begun) * (kills % 4)) / 3);
    from = stored + 1;
  }
  expect(kills).toBeGreaterThan(3);
  expect(collected.equals(expected)).toBe(true);
});

test('[ASK5] a write that is repeated by the next server reaches the agent once', async () => {
  const spec = room.spec('cat', []);
  const first = room.server();
  first.do({ do: 'start', spec });
  const lines = Array.from({ length: 200 }, (_, index) => `answer ${index}\n`);
  const write = (server: Server) => {
    for (const [index, text] of lines.entries()) {
      server.do({ do: 'write', id: spec.id, text, writeId: `w${index}` });
    }
  };
  write(first);
  await first.hears(
    'some of the answers were written',
    (events) => events.some((event) => event.what === 'wrote' && event.writeId === 'w20') || undefined,
  );
  await first.kill();

  const second = room.server();
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
  expect(second.output(spec.id).bytes.toString()).toBe(`${lines.join('')}last\n`);
});

test('[SES7] an agent that ended while nobody listened tells its end, its last words and its output later', async () => {
  const wait = 'while [ ! -e go ]; do sleep 0.01; done';
  const spec = room.shell(`read line; ${wait}; echo "heard $line"; echo why >&2; exit 3`);
  const first = room.server({ lingerMs: 50, idleMs: 300 });
  first.do({ do: 'start', spec });
  first.do({ do: 'write', id: spec.id, text: 'word\n', writeId: 'w' });
  await first.hears('it was written', (events) => events.some(({ what }) => what === 'wrote') || undefined);
  await first.kill();
  writeFileSync(join(room.dir, 'go'), '');
  await eventually('it has ended', async () =>
    (await keeperStatus(room.dir))?.agents.every(({ running }) => !running),
  );
  const keeper = await room.keeperPid();

  const host = room.host();
  expect(await host.kept()).toEqual([
    { id: spec.id, sessionId: 's1', running: false, outputEnd: 'heard word\n'.length },
  ]);
  const agent = host.attach(spec.id, 6);
  if (!agent) throw new Error('It is not there');
  expect(host.attach(spec.id, 0)).toBeUndefined();
  expect(await textOf(agent)).toBe('word\n');
  expect(await agent.exited).toEqual({ kind: 'exited', code: 3, signal: null });
  expect(agent.stderrTail()).toEqual(['why']);
  agent.stored('heard word\n'.length);
  await eventually('it is forgotten', async () => (await keeperStatus(room.dir))?.agents.length === 0);
  await host.detach();
  await eventually('the keeper has ended by itself', () => !isRunning(keeper));
});

test('an end that was told, and not stored by the server that heard it, is told to the next', async () => {
  const spec = room.shell('echo all; exit 0');
  const first = room.server();
  first.do({ do: 'start', spec });
  await first.hears('its end', (events) => events.some(({ what }) => what === 'exited') || undefined);
  await first.hears('all of it', (events) => events.some(({ what }) => what === 'output-end') || undefined);
  first.do({ do: 'stored', id: spec.id, offset: 4 });
  await eventually('it is stored', async () => (await keeperStatus(room.dir))?.agents[0]?.unstored === 0);
  await first.kill();
  const host = room.host();
  expect(await host.kept()).toMatchObject([{ id: spec.id, running: false, outputEnd: 4 }]);
  const agent = host.attach(spec.id, 4);
  expect(await agent?.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  await host.close();
});

test('[SES10] let go of in order, agents go on, and the next server starts none twice', async () => {
  const first = room.host();
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

  const second = room.host();
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
  expect(await keeperStatus(room.dir)).toBeUndefined();
});

test('[STORE3] what two servers read is passed on as raw output once', async () => {
  let raw = '';
  const onRaw = (_session: string, direction: string, chunk: Buffer) => {
    if (direction === 'out') raw += chunk;
  };
  const first = room.host({ onRaw });
  const spec = room.shell('echo one; read line; echo two; exec sleep 600');
  const agent = first.start(spec);
  await new Promise<void>((resolve) => {
    agent.readOutput({ chunk: () => resolve(), end() {} });
  });
  await agent.write('go\n');
  await first.detach();
  const second = room.host({ onRaw });
  await second.kept();
  const attached = second.attach(spec.id, 0);
  let text = '';
  attached?.readOutput({
    chunk: (chunk) => {
      text += chunk;
    },
    end() {},
  });
  await eventually('all was read again', () => text === 'one\ntwo\n');
  expect(raw).toBe('one\ntwo\n');
  await second.close();
});

test('a second server takes over; the first is told, and ends nothing', async () => {
  const first = room.host();
  const spec = room.shell('echo $$ > agent; echo hello; exec sleep 600');
  const agent = first.start(spec);
  const pid = await room.pidIn('agent');
  const second = room.host();
  expect(await second.kept()).toHaveLength(1);
  expect(await agent.exited).toMatchObject({
    kind: 'host-lost',
    message: expect.stringContaining('Another server'),
  });
  expect(await first.start(room.shell('true')).exited).toMatchObject({
    kind: 'spawn-failed',
    code: 'host-closed',
  });
  await first.close();
  expect(isRunning(pid)).toBe(true);
  const attached = second.attach(spec.id, 0);
  if (!attached) throw new Error('It is not there');
  const output = outputOf(attached);
  await attached.end();
  expect((await output).toString()).toBe('hello\n');
  await second.close();
});

test('[SES7] leftovers are what no keeper knows; what it keeps is let be', async () => {
  const first = room.host();
  first.start(room.shell('echo $$ > kept; exec sleep 600'));
  const kept = await room.pidIn('kept');
  await first.detach();
  new LocalProcessHost({ dataDir: room.dir }).start(room.shell('echo $$ > stray; exec sleep 600'));
  const stray = await room.pidIn('stray');
  const second = room.host({ leftoverGraceMs: 500 });
  expect(await second.endLeftovers()).toMatchObject({ remaining: 0, found: 1 });
  expect([kept, stray].map(isRunning)).toEqual([true, false]);
  await second.close();
  expect(isRunning(kept)).toBe(false);
});
