import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Transactions } from '../../src/log/transactions.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();

it('[STORE2] a transaction is kept whole or not at all, and the next one works', () => {
  const db = new DatabaseSync(join(directory(), 'some.db'));
  db.exec('CREATE TABLE t (x UNIQUE)');
  const transactions = new Transactions(db);
  const insert = (...values: number[]) =>
    transactions.run(() => {
      for (const value of values) db.prepare('INSERT INTO t VALUES (?)').run(value);
      return values.length;
    });
  expect(insert(1, 2)).toBe(2);
  expect(() => insert(3, 1)).toThrow();
  expect(db.isTransaction).toBe(false);
  expect(insert(4)).toBe(1);
  expect(db.prepare('SELECT x FROM t ORDER BY x').all()).toEqual([{ x: 1 }, { x: 2 }, { x: 4 }]);
  db.close();
});
