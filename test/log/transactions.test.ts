import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { Transactions } from '../../src/log/transactions.ts';
import { append, overdue, queued, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
afterEach(() => {
  vi.restoreAllMocks();
});

describe('how durable a transaction is', () => {
  it('[STORE2] waits for the disk only where it must, and changes back and forth', () => {
    const db = new DatabaseSync(join(directory(), 'some.db'));
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    const transactions = new Transactions(db);
    const synchronous = () => Object.values(db.prepare('PRAGMA synchronous').get() ?? {});
    const full = [2];
    const normal = [1];
    for (const [durable, expected] of [
      ['process', normal],
      ['disk', full],
      ['disk', full],
      ['process', normal],
    ] as const) {
      transactions.run(durable, () => db.exec('INSERT INTO t VALUES (1)'));
      expect(synchronous()).toEqual(expected);
    }
    db.close();
  });

  it('[STORE2] has a decision on the disk itself before it is acknowledged, and what was gathered with it', async () => {
    const log = openSqliteLog({ path: join(directory(), 'beckon.db') });
    const run = vi.spyOn(Transactions.prototype, 'run');
    const one = session('one');
    await append(log, one, overdue('a'));
    await append(log, one, queued('m1', null));
    await Promise.all([
      append(log, one, overdue('b')),
      append(log, one, queued('m2', null)),
      append(log, one, overdue('c')),
    ]);
    await append(log, one, overdue('d'));
    await log.remove(one);
    expect(run.mock.calls.map(([durable]) => durable)).toEqual([
      'process',
      'disk',
      'disk',
      'process',
      'disk',
    ]);
    await log.close();
  });
});
