import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EventLog, StorageError } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { append, decided, overdue, said, seqsOf, session, upTo } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');
const two = session('two');
const large = said('large '.repeat(100_000));

describe('a full disk', () => {
  let log: EventLog;
  beforeEach(() => {
    log = openSqliteLog({ path: join(directory(), 'beckon.db'), maxBytes: 1_000_000 });
  });
  afterEach(() => log.close());

  async function fill(): Promise<number> {
    for (let n = 1; ; n += 1) {
      try {
        await append(log, one, said('some '.repeat(2_000)));
      } catch (error) {
        expect(error).toBeInstanceOf(StorageError);
        expect(String(error)).toMatch(/The database .*beckon\.db cannot grow: the disk is full\.$/u);
        return n - 1;
      }
    }
  }

  it('[STORE2] is reported, keeps everything readable, and is forgotten when there is room again', async () => {
    await append(log, two, decided('i1', 'earlier'));
    expect(log.storage).toEqual({ ok: true, missing: [] });
    const stored = await fill();
    expect(stored).toBeGreaterThan(10);
    expect(log.storage).toMatchObject({ ok: false, problem: 'disk-full', reason: 'The disk is full.' });

    expect(lastSeqOf(log, one)).toBe(stored);
    expect(seqsOf(log.page(one, { limit: 1_000 }).events)).toEqual(upTo(stored));
    expect(log.findByReference(two, 'i1')).toHaveLength(1);
    expect(() => log.search('some', 5)).not.toThrow();
    expect([...log.streams()]).toHaveLength(2);

    const told = new Promise((resolve) => log.onStorage(resolve));
    await log.remove(one);
    expect(await told).toEqual({ ok: true, missing: [] });
    expect(seqsOf(await append(log, two, said('later')))).toEqual([2]);
    expect(log.search('later', 5)).toHaveLength(1);
    expect(log.search('some', 5)).toEqual([]);
  });

  it('[STORE2] refuses only what does not fit, and leaves no gap for it', async () => {
    await append(log, one, overdue('a'));
    const settled = await Promise.allSettled([
      append(log, one, overdue('b')),
      append(log, one, overdue('lost with the large one'), large, large),
      append(log, two, overdue('c')),
      append(log, one, overdue('d')),
    ]);
    expect(settled).toMatchObject([
      { status: 'fulfilled', value: [{ seq: 2 }] },
      { status: 'rejected', reason: { name: 'StorageError' } },
      { status: 'fulfilled', value: [{ seq: 1 }] },
      { status: 'fulfilled', value: [{ seq: 3 }] },
    ]);
    expect(log.page(one, { limit: 9 }).events).toMatchObject([
      { turnId: 'a' },
      { turnId: 'b' },
      { turnId: 'd' },
    ]);
  });

  it('forgets a stream whose first append was refused', async () => {
    await expect(append(log, one, large, large)).rejects.toThrow(StorageError);
    expect([...log.streams()]).toEqual([]);
    expect(seqsOf(await append(log, one, overdue('a')))).toEqual([1]);
  });
});
