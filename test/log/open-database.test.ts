import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventLog, StorageError } from '../../src/engine/ports/event-log.ts';
import { latestVersion, migrate, migrations } from '../../src/log/migrations.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { append, at, overdue, said, seqsOf, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');

async function databaseWith(text: string): Promise<string> {
  const path = join(directory(), 'beckon.db');
  const log = openSqliteLog({ path });
  await append(log, one, said(text));
  await log.close();
  return path;
}

function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** Names and bytes of everything in a directory. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));

function refusal(path: string): StorageError {
  try {
    openSqliteLog({ path });
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

describe('opening the database', () => {
  it('[STORE2] finds everything again, and goes on counting', async () => {
    const path = await databaseWith('hello');
    const log = openSqliteLog({ path });
    expect(log.page(one, { limit: 5 }).events).toMatchObject([{ seq: 1, text: 'hello' }]);
    expect(seqsOf(await append(log, one, overdue('t')))).toEqual([2]);
    await log.close();
  });

  it('[SEC3] keeps it for its owner alone', async () => {
    const path = join(directory(), 'beckon.db');
    writeFileSync(path, '', { mode: 0o666 });
    chmodSync(path, 0o666);
    const log = openSqliteLog({ path });
    await append(log, one, overdue('t'));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await log.close();
  });

  it('[STORE4] refuses a newer database with a sentence that names both versions and the file, and leaves it untouched', async () => {
    const path = await databaseWith('from the future');
    execute(path, 'PRAGMA user_version = 99');
    const before = contentOf(join(path, '..'));
    expect(refusal(path).message).toBe(
      `The database ${path} is of version 99, and this Beckon knows versions up to ${latestVersion()}: use a newer Beckon.`,
    );
    expect(contentOf(join(path, '..'))).toEqual(before);
    expect(Object.keys(before)).toEqual(['beckon.db']);
  });

  it('[STORE4] refuses a newer database also when its version is still in the write-ahead log of a crash', async () => {
    const path = await databaseWith('from the future');
    const crashed = join(directory(), 'beckon.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${crashed}${end}`);
    db.close();
    const before = contentOf(join(crashed, '..'));
    expect(refusal(crashed).message).toContain('version 99');
    expect(contentOf(join(crashed, '..'))).toMatchObject(before);
  });

  it('[STORE4] takes up a database of the first version with all that is in it', async () => {
    const path = join(directory(), 'beckon.db');
    const old = new DatabaseSync(path);
    migrate(old, migrations.slice(0, 1));
    old.exec(`
      INSERT INTO stream (id, name) VALUES (1, 'one');
      INSERT INTO event (stream, seq, at, searchable, body)
      VALUES (1, 1, '${at}', 1, '${JSON.stringify(said('from the start'))}')`);
    old.close();

    const log = openSqliteLog({ path });
    expect([...log.streams()]).toMatchObject([{ stream: one, checkpoint: undefined }]);
    expect(log.search('start', 5)).toHaveLength(1);
    const checkpoint = { number: 2, mark: { processId: 'p1', offset: 5, memory: {} } };
    await log.append({ parts: [{ stream: one, at, events: [overdue('t')], checkpoint }] });
    expect([...log.streams()]).toMatchObject([{ stream: one, checkpoint }]);
    expect(seqsOf(log.page(one, { limit: 5 }).events)).toEqual([1, 2]);
    await log.close();
  });

  it('refuses what is not its own', async () => {
    const folder = directory();
    const foreign = join(folder, 'foreign.db');
    execute(foreign, 'CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1');
    const text = join(folder, 'text.db');
    writeFileSync(text, 'these are my notes\n'.repeat(100));
    const before = contentOf(folder);
    expect(refusal(foreign).message).toBe(`The database ${foreign} belongs to another program.`);
    expect(refusal(text).message).toBe(`The database ${text} is not a database.`);
    expect(contentOf(folder)).toEqual(before);
  });

  it('says so when it cannot be opened', () => {
    const folder = directory();
    const nowhere = join(folder, 'missing', 'beckon.db');
    expect(refusal(nowhere).message).toMatch(/^The database .*missing\/beckon\.db cannot be opened: ENOENT/u);
    mkdirSync(join(folder, 'beckon.db'));
    expect(refusal(join(folder, 'beckon.db')).message).toMatch(/cannot be opened/u);
  });

  it('takes up a file that a crash left empty', async () => {
    const path = join(directory(), 'beckon.db');
    execute(path, 'PRAGMA journal_mode = WAL');
    expect(statSync(path).size).toBeGreaterThan(0);
    const log = openSqliteLog({ path });
    expect(seqsOf(await append(log, one, overdue('t')))).toEqual([1]);
    await log.close();
  });
});

describe('a database that cannot be written', () => {
  const isRoot = process.geteuid?.() === 0;
  afterEach(() => {
    if (isRoot) process.seteuid?.(0);
  });

  /** Nothing is read-only to root, so the test becomes nobody until it ends. */
  function protect(path: string, mode: { file: number; folder: number }): void {
    chmodSync(path, mode.file);
    chmodSync(join(path, '..'), mode.folder);
    if (isRoot) process.seteuid?.(65_534);
  }

  async function expectReadable(log: EventLog): Promise<void> {
    expect(log.storage).toMatchObject({ ok: false, problem: 'read-only' });
    await expect(append(log, one, overdue('t'))).rejects.toThrow(StorageError);
    await expect(append(log, one, overdue('t'))).rejects.toThrow('the file or the disk is read-only.');
    await expect(log.remove(one)).rejects.toThrow(StorageError);
    expect(log.page(one, { limit: 5 }).events).toMatchObject([{ seq: 1, text: 'still here' }]);
    expect(log.search('still', 5)).toHaveLength(1);
    expect([...log.streams()]).toHaveLength(1);
    await log.close();
  }

  it('[STORE2] can still be read when the file is protected, and says why an append is refused', async () => {
    const path = await databaseWith('still here');
    protect(path, { file: 0o444, folder: 0o777 });
    await expectReadable(openSqliteLog({ path }));
    expect(readdirSync(join(path, '..'))).toEqual(['beckon.db']);
  });

  it('[STORE2] can still be read when the directory is protected, too', async () => {
    const path = await databaseWith('still here');
    protect(path, { file: 0o444, folder: 0o555 });
    await expectReadable(openSqliteLog({ path }));
  });

  it('is refused when it would have to be brought up to date', async () => {
    const path = await databaseWith('old');
    execute(path, 'PRAGMA user_version = 0');
    protect(path, { file: 0o444, folder: 0o555 });
    expect(refusal(path).message).toBe(
      `The database ${path} is of version 0 and cannot be brought to version ${latestVersion()}, because it is read-only.`,
    );
  });
});
