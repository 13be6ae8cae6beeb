import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import { type Migration, migrate, migrations } from '../../src/log/migrations.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const next = migrations.length + 1;
const addColour: Migration = {
  version: next,
  sql: `ALTER TABLE stream ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'`,
};
const broken: Migration = {
  version: next + 1,
  sql: 'CREATE TABLE half_done (x); INSERT INTO nowhere VALUES (1)',
};

it('[STORE4] [SES10] a mark of a version that counted no facts is a checkpoint after none', async () => {
  const path = join(directory(), 'beckon.db');
  const old = new DatabaseSync(path);
  migrate(old, migrations.slice(0, 2));
  old.exec(`INSERT INTO stream (name) VALUES ('one')`);
  old.exec(`INSERT INTO mark (stream, process_id, read_to, memory) VALUES (1, 'run_1', 70, '{"a":1}')`);
  old.close();
  const log = openSqliteLog({ path });
  expect([...log.streams()]).toMatchObject([
    { checkpoint: { number: 0, mark: { processId: 'run_1', offset: 70, memory: { a: 1 } } } },
  ]);
  await log.close();
});

describe('migrations', () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(join(directory(), 'beckon.db'));
    migrate(db);
    db.exec(`INSERT INTO stream (name) VALUES ('one')`);
  });
  afterEach(() => db.close());
  const version = () => db.prepare('PRAGMA user_version').get()?.user_version;

  it('[STORE4] are numbered from 1 without gaps', () => {
    expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it('[STORE4] bring a database of an earlier version up to date, with what is in it', () => {
    migrate(db, [...migrations, addColour]);
    expect(version()).toBe(next);
    expect(db.prepare('SELECT name, colour FROM stream').all()).toEqual([{ name: 'one', colour: 'grey' }]);
    migrate(db, [...migrations, addColour]);
    expect(version()).toBe(next);
  });

  it('[STORE4] are done whole or not at all', () => {
    expect(() => migrate(db, [...migrations, addColour, broken])).toThrow(StorageError);
    expect(version()).toBe(next);
    expect(db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'half_done'`).all()).toEqual([]);
    expect(db.isTransaction).toBe(false);
  });
});
