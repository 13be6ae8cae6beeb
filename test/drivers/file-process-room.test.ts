import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { roomIn } from '../../src/drivers/process/disk-room.ts';
import { findRun } from '../../src/drivers/process/run-directory.ts';
import { eventually } from '../support/eventually.ts';
import { textOf } from '../support/process-room.ts';
import { fileProcessRooms } from './file-process-rooms.ts';

const megabyte = 1024 * 1024;
const rooms = fileProcessRooms();

test('[MULTI4] [STORE3] an agent that prints faster than it is read is stopped before it fills the disk, and goes on when it is read', async () => {
  const size = 24 * 1024 * 1024;
  const mostUnreadBytes = 1024 * 1024;
  const host = rooms.hostOf({ mostUnreadBytes });
  // In small pieces, so that it can be stopped between two of them.
  const agent = host.start(
    rooms.room.node(`const piece = Buffer.alloc(16384, 120); let n = 0;
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
  const out = join(findRun(rooms.room.dir, agent.id)?.path ?? '', 'agent', 'out');
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
  const host = rooms.hostOf({ mostUnreadBytes: megabyte });
  const agent = host.start(rooms.room.shell(printsFast(megabytes)));
  const stopped = () => existsSync(join(findRun(rooms.room.dir, agent.id)?.path ?? '', 'stopped'));
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
  const told: string[] = [];
  const first = rooms.hostOf({ space: async () => space, onRoom: (each) => told.push(each) });
  const spec = rooms.room.spec('cat', []);
  const agent = first.start(spec);
  agent.readOutput({ chunk() {}, end() {} });
  expect(await agent.write('one\n')).toEqual({ ok: true });
  const stateOf = () => /^State:\s*(\S)/m.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1];
  space = { ...space, free: megabyte };
  await eventually('it is told', () => told.includes('low'));
  expect(stateOf()).not.toBe('T');
  space = { ...space, free: 0 };
  await eventually('it is stopped', () => stateOf() === 'T');
  await first.detach();
  expect(stateOf()).toBe('T');

  const second = rooms.hostOf();
  await second.kept();
  const again = second.attach(spec.id, 0);
  if (again === undefined) throw new Error('It is not there');
  await eventually('it goes on', () => stateOf() !== 'T');
  again.closeInput();
  expect(await textOf(again)).toBe('one\n');
  await second.close();
  expect(told).toEqual(['low', 'none']);
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
