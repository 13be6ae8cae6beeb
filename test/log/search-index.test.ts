import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { append, said, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');

describe('the search index', () => {
  it('[STORE5] takes in after a crash what it had not yet', async () => {
    const path = join(directory(), 'beckon.db');
    const crashed = join(directory(), 'beckon.db');
    const log = openSqliteLog({ path });
    await append(log, one, said('indexed'));
    expect(log.search('indexed', 5)).toHaveLength(1);
    await append(log, one, said('not yet'));
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${crashed}${end}`);
    await log.close();

    const again = openSqliteLog({ path: crashed });
    expect(again.search('not yet', 5)).toHaveLength(1);
    expect(again.search('indexed', 5)).toHaveLength(1);
    await again.close();
  });

  it('[STORE5] follows the log by itself', async () => {
    const path = join(directory(), 'beckon.db');
    const log = openSqliteLog({ path });
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => append(log, one, said(`number ${n} ${'word '.repeat(100)}`))),
    );
    const reader = new DatabaseSync(path, { readOnly: true });
    const count = reader.prepare(`SELECT count(*) AS n FROM search WHERE search MATCH 'word'`);
    await expect.poll(() => count.get()?.n, { interval: 10 }).toBe(100);
    reader.close();
    await log.close();
  });

  it('finds only by the start of a text that is very long', async () => {
    const log = openSqliteLog({ path: join(directory(), 'beckon.db') });
    await append(log, one, said(`early ${'x'.repeat(30_000)} late`));
    expect(log.search('early', 5)).toHaveLength(1);
    expect(log.search('late', 5)).toEqual([]);
    await log.close();
  });
});
