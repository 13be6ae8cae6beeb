import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRun } from '../../src/drivers/process/run-directory.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { textOf } from '../support/process-room.ts';
import type { ProcessServer } from '../support/process-server.ts';
import { isRunning } from '../support/running.ts';
import { fileProcessRooms } from './file-process-rooms.ts';

const rooms = fileProcessRooms();

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
  const spec = rooms.room.node(printsNumbered);
  const collected = Buffer.alloc(expected.length);
  let stored = 0;
  let kills = 0;
  for (let from = 0; stored < expected.length; ) {
    const reading = rooms.server();
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
  const spec = rooms.room.spec('cat', []);
  const first = rooms.server();
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

  const second = rooms.server();
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
  const first = rooms.hostOf();
  const spec = rooms.room.spec('cat', []);
  const agent = first.start(spec);
  expect(await agent.write('one\n', 'a')).toEqual({ ok: true });
  await first.detach();
  const told = join(findRun(rooms.room.dir, spec.id)?.path ?? '', 'told');
  writeFileSync(told, '== in 2026-01-01T00:00:00.000Z 400 0 0 b\nhalf of wh', { flag: 'a' });
  const second = rooms.hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  expect(await again?.write('two\n', 'b')).toEqual({ ok: true });
  await second.detach();
  const third = rooms.hostOf();
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
  const host = rooms.hostOf();
  const agent = host.start(rooms.room.spec('cat', []));
  const large = [`${'ä'.repeat(300_000)}\n`, `${'b'.repeat(5_000)}\n`];
  const texts = ['one\n', large[0], 'two\n', large[1], 'three\n'].map(String);
  const written = texts.map((text, index) => agent.write(text, `w${index}`));
  agent.closeInput();
  expect(await textOf(agent)).toBe(texts.join(''));
  expect(await Promise.all(written)).toEqual(texts.map(() => ({ ok: true })));
  expect(await agent.write('late\n')).toMatchObject({ ok: false });
  expect(readdirSync(join(findRun(rooms.room.dir, agent.id)?.path ?? '', 'large'))).toEqual([]);
  await host.close();
});

test('[ASK5] a large write that its server did not see the end of is known to the next, and not made again', async () => {
  const first = rooms.hostOf();
  const spec = rooms.room.shell('read -r go < go; exec cat');
  execFileSync('mkfifo', [join(rooms.room.dir, 'go')]);
  const agent = first.start(spec);
  const text = `${'x'.repeat(200_000)}\n`;
  const outcome = agent.write(text, 'large', { announced: true });
  const run = findRun(rooms.room.dir, spec.id)?.path ?? '';
  await eventually(
    'the shell has it',
    () => existsSync(join(run, 'large')) && readdirSync(join(run, 'large')).length === 1,
  );
  await first.detach();
  expect(await outcome).toMatchObject({ ok: false, uncertain: true });

  const second = rooms.hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  if (again === undefined) throw new Error('It is not there');
  expect(again.earlierWrites).toEqual({ written: new Set(['large']), doubtful: new Set() });
  const repeated = [again.write(text, 'large'), again.write('next\n', 'next')];
  writeFileSync(join(rooms.room.dir, 'go'), 'go\n');
  expect(await Promise.all(repeated)).toEqual([{ ok: true }, { ok: true }]);
  again.closeInput();
  expect(await textOf(again)).toBe(`${text}next\n`);
  await second.close();
});

test('[PEER3] where the shell is gone, the server itself writes what is large', async () => {
  const host = rooms.hostOf();
  const agent = host.start(rooms.room.spec('cat', []));
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const shells = markedProcesses(rooms.room.dir).filter(({ marker }) => marker.endsWith('/holder'));
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
  const first = rooms.hostOf();
  const spec = rooms.room.spec('cat', []);
  const agent = first.start(spec);
  expect(agent.earlierWrites).toEqual({ written: new Set(), doubtful: new Set() });
  expect(await agent.write('one\n', 'a', { announced: true })).toEqual({ ok: true });
  expect(await agent.write('two\n', 'b')).toEqual({ ok: true });
  await first.detach();
  const told = join(findRun(rooms.room.dir, spec.id)?.path ?? '', 'told');
  writeFileSync(told, '== to 2026-01-01T00:00:00.000Z 0 0 0 c\n\n== to 2026-01-01T00:', { flag: 'a' });
  const second = rooms.hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  expect(again?.earlierWrites).toEqual({ written: new Set(['a', 'b']), doubtful: new Set(['c']) });
  expect(await again?.write('three\n', 'c', { announced: true })).toEqual({ ok: true });
  await second.detach();
  const third = rooms.hostOf();
  await third.kept();
  const last = third.attach(spec.id, 0);
  expect(last?.earlierWrites).toEqual({ written: new Set(['a', 'b', 'c']), doubtful: new Set() });
  await third.close();
});
