import { expect, test } from 'vitest';
import { WritesOnce } from '../../src/drivers/process/writes-once.ts';
import type { WriteOutcome } from '../../src/runner/ports/process-host.ts';

const fine: WriteOutcome = { ok: true };

test('[ASK5] a write is remembered for a thousand others, and one under way for as long as it takes', async () => {
  const writes = new WritesOnce();
  const made: string[] = [];
  const { promise: stuck, resolve: unstick } = Promise.withResolvers<WriteOutcome>();
  const write = (id: string, outcome: Promise<WriteOutcome> = Promise.resolve(fine)) =>
    writes.once(id, () => {
      made.push(id);
      return outcome;
    });
  const waiting = write('stuck', stuck);
  for (let n = 0; n < 1_024; n += 1) await write(`w${n}`);
  await write('w0');
  expect(made).toHaveLength(1_025);
  for (let n = 1_024; n < 3_000; n += 1) await write(`w${n}`);
  const repeated = write('stuck');
  await write('w2999');
  expect(made).toHaveLength(3_001);
  await write('w0');
  expect(made.at(-1)).toBe('w0');
  unstick({ ok: false, code: 'EPIPE', message: 'gone' });
  expect(await Promise.all([waiting, repeated])).toMatchObject([{ code: 'EPIPE' }, { code: 'EPIPE' }]);
});
