import { chmodSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StorageError } from '../engine/ports/event-log.ts';
import type { MissingHistory } from '../protocol/storage.ts';
import { applicationId, latestVersion, migrate } from './migrations.ts';
import { type FoundDamage, findDamage, keepAside } from './missing-history.ts';
import { isFull, isReadOnly, storageFailure } from './storage-report.ts';

export interface DatabaseOptions {
  readonly path: string;
  /** The database refuses to grow beyond this, as if the disk were full. */
  readonly maxBytes?: number;
}

export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** Why it was opened for reading alone, if it was. */
  readonly unwritable: StorageError | undefined;
  readonly damage: FoundDamage | undefined;
  readonly missing: MissingHistory | undefined;
}

/**
 * Opens or makes the database and brings it up to date. One that cannot be written is opened for reading;
 * one of a newer Beckon, or of another program, is refused and left as it is. A write-ahead log that lost something is kept aside
 * before SQLite writes over it; while the disk has no room for that, too, the database is only read. `found` is what an earlier try found:
 * it may have removed what that was seen by.
 */
export function openDatabase(
  { path, maxBytes }: DatabaseOptions,
  found: { readonly damage: FoundDamage | undefined } = { damage: findDamage(path) },
): OpenDatabase {
  const { damage } = found;
  try {
    let opened: Pick<OpenDatabase, 'db' | 'unwritable'>;
    try {
      if (damage !== undefined) keepAside(path, damage);
      if (bytesOf(path) > 0) refuseForeign(path);
      opened = { db: openForWriting(path, maxBytes), unwritable: undefined };
    } catch (error) {
      if (bytesOf(path) === 0) throw error;
      opened = openForReading(path, error);
    }
    return { ...opened, damage, missing: damage?.isLost ? missingIn(opened.db, damage) : undefined };
  } catch (error) {
    throw storageFailure(path, error);
  }
}

function openForWriting(path: string, maxBytes: number | undefined): DatabaseSync {
  makePrivate(path);
  return openedWith(new DatabaseSync(path, { timeout: 2_000 }), (db) => {
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -8000;
      PRAGMA journal_size_limit = ${16 * 1024 * 1024};
    `);
    if (maxBytes !== undefined) {
      db.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / pragma(db, 'page_size'))}`);
    }
    // Into the database itself: with the write-ahead log alone, what is damaged there could take the tables along.
    if (migrate(db)) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  });
}

/** Where writing failed for a reason that leaves reading possible; any other reason is thrown. */
function openForReading(path: string, error: unknown): Pick<OpenDatabase, 'db' | 'unwritable'> {
  if (isFull(error)) {
    const unwritable = storageFailure(path, error) as StorageError;
    return {
      db: openedWith(openAlone(path), (db) => expectLatest(path, db, 'the disk is full')),
      unwritable,
    };
  }
  if (!isReadOnly(error)) throw error;
  const unwritable = new StorageError(
    `The database ${path} cannot be written: the file or the disk is read-only.`,
    { cause: error, problem: 'read-only' },
  );
  return {
    db: openedWith(openUntouched(path), (db) => expectLatest(path, db, 'it is read-only')),
    unwritable,
  };
}

function expectLatest(path: string, db: DatabaseSync, because: string): void {
  const version = pragma(db, 'user_version');
  if (version === latestVersion()) return;
  throw new StorageError(
    `The database ${path} is of version ${version} and cannot be brought to version ${latestVersion()}, because ${because}.`,
  );
}

/** Looks first without touching: opening for writing would already change the files. */
function refuseForeign(path: string): void {
  openedWith(openUntouched(path), (db) => {
    const version = pragma(db, 'user_version');
    if (version > latestVersion()) {
      throw new StorageError(
        `The database ${path} is of version ${version}, and this Beckon knows versions up to ${latestVersion()}: use a newer Beckon.`,
      );
    }
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (!isEmpty && pragma(db, 'application_id') !== applicationId) {
      throw new StorageError(`The database ${path} belongs to another program.`);
    }
  }).close();
}

/** Said to be immutable, a file is read without making others beside it. With a log of changes to be heeded it cannot be. */
function openUntouched(path: string): DatabaseSync {
  const location = bytesOf(`${path}-wal`) > 0 ? path : new URL(`${pathToFileURL(path).href}?immutable=1`);
  return new DatabaseSync(location, { readOnly: true });
}

/** With nobody else on it, SQLite needs no shared memory, which is a file that a full disk has no room for. */
function openAlone(path: string): DatabaseSync {
  return openedWith(new DatabaseSync(path), (db) => db.exec('PRAGMA locking_mode = EXCLUSIVE'));
}

function missingIn(db: DatabaseSync, { at, cause, keptAs = null }: FoundDamage): MissingHistory {
  const newest = db.prepare('SELECT at FROM event ORDER BY id DESC LIMIT 1').get() as
    | { at: string }
    | undefined;
  const { quick_check: verdict } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  return { foundAt: at, after: newest?.at ?? null, cause, keptAs, isRestWhole: verdict === 'ok' };
}

function openedWith(db: DatabaseSync, use: (db: DatabaseSync) => void): DatabaseSync {
  try {
    use(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** For the owner alone; SQLite gives the files beside it the same mode. */
function makePrivate(path: string): void {
  // for writing, because SQLite would quietly open a protected file for reading and leave others beside it that are protected, too
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
  }
}

function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

const pragma = (db: DatabaseSync, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
