import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeperStatus } from '../../src/drivers/keeper/keeper-admin.ts';
import { eventually } from '../support/eventually.ts';
import { outputOf } from '../support/process-room.ts';
import { KeeperRoom } from './support/keeper-room.ts';

let room: KeeperRoom;

beforeEach(() => {
  room = new KeeperRoom();
});

afterEach(() => room.end());

const megabyte = 1024 * 1024;
const small = { limits: { spoolBytes: megabyte, memoryBytes: 64 * 1024 } };
const pattern = Buffer.from(Array.from({ length: 16_384 }, (_, line) => `line ${line}\n`).join(''));

/** Waits for a word, and then prints the pattern again and again. */
const printsAfterWord = (bytes: number) => `
  const pattern = Buffer.from(Array.from({ length: 16384 }, (_, line) => 'line ' + line + '\\n').join(''));
  let left = ${bytes};
  const step = () => {
    while (left > 0) {
      const part = pattern.subarray(0, Math.min(left, pattern.length));
      left -= part.length;
      if (!process.stdout.write(part)) return process.stdout.once('drain', step);
    }
  };
  process.stdin.once('data', () => { step(); process.stdin.destroy(); });`;

function expected(bytes: number): Buffer {
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / pattern.length) }, () => pattern)).subarray(
    0,
    bytes,
  );
}

const agentStatus = async () => (await keeperStatus(room.dir))?.agents[0];

test('[STORE2] [PEER3] unheard output goes to a bounded spool; when that is full, the agent waits, and nothing is lost', async () => {
  const total = 6 * megabyte;
  const first = room.host({ tuning: small });
  const spec = room.node(printsAfterWord(total));
  await first.start(spec).write('go\n');
  await first.detach();
  const full = await eventually('the spool is full', async () => {
    const status = await agentStatus();
    return status !== undefined && status.unstored >= megabyte && status;
  });
  expect(full.unstored).toBeLessThan(megabyte + 256 * 1024);
  expect(full.running).toBe(true);

  const second = room.host();
  const [kept] = await second.kept();
  // Nothing was read in between: it is held back.
  expect(kept?.outputEnd).toBe(full.unstored);
  const agent = second.attach(spec.id, 0);
  if (!agent) throw new Error('It is not there');
  expect((await outputOf(agent)).equals(expected(total))).toBe(true);
  expect(await agent.exited).toEqual({ kind: 'exited', code: 0, signal: null });
  await second.close();
});

test('[MULTI4] a server that reads slowly holds the agent back once the spool is full', async () => {
  const total = 6 * megabyte;
  const host = room.host({ tuning: small });
  const agent = host.start(room.node(printsAfterWord(total)));
  agent.pauseOutput();
  const output = outputOf(agent);
  await agent.write('go\n');
  const status = await eventually('the spool is full', async () => {
    const now = await agentStatus();
    return now !== undefined && now.unstored >= megabyte && now;
  });
  expect(status.unstored).toBeLessThan(2 * megabyte);
  agent.resumeOutput();
  expect((await output).equals(expected(total))).toBe(true);
  await host.close();
});

test('a server that takes everything and stores nothing is not held up; the oldest can then not be had again', async () => {
  const total = 6 * megabyte;
  const host = room.host({ tuning: small });
  const spec = room.node(printsAfterWord(total));
  const agent = host.start(spec);
  const output = outputOf(agent);
  await agent.write('go\n');
  expect((await output).equals(expected(total))).toBe(true);
  await host.detach();

  const second = room.host();
  await second.kept();
  const again = second.attach(spec.id, 0);
  let begins: number | undefined;
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    again?.readOutput({
      chunk(chunk, offset) {
        begins ??= offset;
        chunks.push(chunk);
      },
      end: resolve,
    });
  });
  expect(begins).toBeGreaterThan(0);
  expect(begins).toBeLessThanOrEqual(total - megabyte);
  expect(Buffer.concat(chunks).equals(expected(total).subarray(begins))).toBe(true);
  await second.close();
});

test('[PEER4] a line of 10 MB that was printed to nobody arrives whole', async () => {
  const first = room.host();
  const spec = room.node(
    `process.stdin.once('data', () => { process.stdout.write('x'.repeat(${10 * megabyte}) + '\\n'); process.stdin.destroy(); });`,
  );
  await first.start(spec).write('go\n');
  await first.detach();
  await eventually('it is all spooled', async () => (await agentStatus())?.unstored === 10 * megabyte + 1);
  const second = room.host();
  await second.kept();
  const agent = second.attach(spec.id, 0);
  if (!agent) throw new Error('It is not there');
  const bytes = await outputOf(agent);
  expect(bytes.length).toBe(10 * megabyte + 1);
  expect(bytes.subarray(0, -1).every((byte) => byte === 120)).toBe(true);
  await second.close();
});

test('what is declared stored without being read is not passed on, and an ended agent of it is forgotten', async () => {
  const first = room.host({ tuning: { ...small, lingerMs: 0 } });
  const spec = room.node(printsAfterWord(6 * megabyte));
  await first.start(spec).write('go\n');
  await first.detach();
  await eventually('the spool is full', async () => ((await agentStatus())?.unstored ?? 0) >= megabyte);
  const second = room.host();
  await second.kept();
  const agent = second.attach(spec.id, 0);
  await agent?.end();
  agent?.stored(Number.MAX_SAFE_INTEGER);
  await eventually('it is forgotten', async () => (await keeperStatus(room.dir))?.agents.length === 0);
  await second.close();
});

test('a message of 20 MB reaches the agent whole', async () => {
  const host = room.host();
  const agent = host.start(
    room.node(
      `let n = 0; process.stdin.on('data', (c) => { n += c.length; }).on('end', () => console.log(n));`,
    ),
  );
  const output = outputOf(agent);
  expect(await agent.write(Buffer.alloc(20 * megabyte, 'y'))).toEqual({ ok: true });
  agent.closeInput();
  expect(await agent.write('late')).toMatchObject({ ok: false });
  expect((await output).toString()).toBe(`${20 * megabyte}\n`);
  await host.close();
});
