import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutputSpool } from '../../src/drivers/keeper/program/output-spool.ts';
import { eventually } from '../support/eventually.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'beckon-spool-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const limits = { spoolBytes: 400_000, memoryBytes: 100_000, allMemoryBytes: 150_000 };

/** Bytes that tell their own place. */
function output(from: number, length: number): Buffer {
  return Buffer.from(
    Uint8Array.from({ length }, (_, index) => ((from + index) * 31 + ((from + index) >> 8)) & 255),
  );
}

function readAll(spool: OutputSpool, from: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = from; at < spool.end; ) {
    const part = spool.read(at, 50_000);
    expect(part.length).toBeGreaterThan(0);
    parts.push(part);
    at += part.length;
  }
  return Buffer.concat(parts);
}

const step = fc.oneof(
  fc.record({ append: fc.integer({ min: 1, max: 120_000 }) }),
  fc.record({ forget: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ read: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.constant({ wait: true }),
);

test('[STORE2] whatever was appended and not forgotten is read as it was, from any place', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const memory = { bytes: 0 };
      const other = new OutputSpool(join(dir, 'other'), limits, memory);
      other.append(output(0, 90_000));
      const spool = new OutputSpool(join(dir, 'spool'), limits, memory);
      for (const one of steps) {
        const held = spool.end - spool.start;
        if ('append' in one && held < limits.spoolBytes && !spool.isCrowded) {
          spool.append(output(spool.end, one.append));
        }
        if ('forget' in one) spool.forgetBefore(spool.start + Math.floor(one.forget * held));
        if ('read' in one) {
          const from = spool.start + Math.floor(one.read * held);
          expect(readAll(spool, from).equals(output(from, spool.end - from))).toBe(true);
        }
        if ('wait' in one) await setImmediate();
        expect(memory.bytes).toBeLessThanOrEqual(2 * (limits.allMemoryBytes + limits.memoryBytes));
      }
      expect(readAll(spool, spool.start).equals(output(spool.start, spool.end - spool.start))).toBe(true);
      spool.close();
      other.close();
      expect(memory.bytes).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('a spool has no name in its folder, so that nothing of it can be left behind', async () => {
  const spool = new OutputSpool(join(dir, 'spool'), limits, { bytes: 0 });
  spool.append(output(0, 300_000));
  await eventually('it is in the file', () => spool.spooled > 200_000);
  expect(readdirSync(dir)).toEqual([]);
  expect(readAll(spool, 0).equals(output(0, 300_000))).toBe(true);
  spool.forgetBefore(300_000);
  expect(spool.spooled).toBe(0);
  spool.close();
});

test('a disk that takes nothing makes the spool say so, and loses nothing', async () => {
  let tries = 0;
  const spool = new OutputSpool(join(dir, 'no', 'such', 'folder'), limits, { bytes: 0 }, () => {
    tries += 1;
  });
  spool.append(output(0, 90_000));
  expect(spool.isCrowded).toBe(false);
  spool.append(output(90_000, 150_000));
  await eventually('the disk was tried', () => tries > 0);
  expect(spool.isCrowded).toBe(true);
  expect(readAll(spool, 0).equals(output(0, 240_000))).toBe(true);
  spool.forgetBefore(120_000);
  expect(spool.isCrowded).toBe(false);
  expect(readAll(spool, 120_000).equals(output(120_000, 120_000))).toBe(true);
  spool.close();
});

test('short lines do not cost a block each', () => {
  const memory = { bytes: 0 };
  const spool = new OutputSpool(join(dir, 'spool'), limits, memory);
  for (let line = 0; line < 10_000; line += 1) {
    spool.append(Buffer.from('short\n'));
    spool.forgetBefore(spool.end);
    expect(memory.bytes).toBeLessThanOrEqual(32 * 1024);
  }
  spool.close();
});
