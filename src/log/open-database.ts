import { chmodSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StorageError } from '../engine/ports/event-log.ts';
import { applicationId, latestVersion, migrate } from './migrations.ts';
import { isReadOnly, storageFailure } from './storage-failure.ts';

export interface DatabaseOptions {
  readonly path: string;
  /** The database refuses to grow beyond this, as if the disk were full. */
  readonly maxBytes?: number;
}

/**
 * Opens or makes the database and brings it up to date. One that cannot be written is opened for reading;
 * one of a newer Beckon, or of another program, is refused and left as it is.
 */
export function openDatabase({ path, maxBytes }: DatabaseOptions): DatabaseSync {
  try {
    if (bytesOf(path) > 0) refuseForeign(path);
    try {
      return openForWriting(path, maxBytes);
    } catch (error) {
      if (!isReadOnly(error) || bytesOf(path) === 0) throw error;
      return openForReading(path);
    }
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
    migrate(db);
  });
}

function openForReading(path: string): DatabaseSync {
  return openedWith(openUntouched(path), (db) => {
    const version = pragma(db, 'user_version');
    if (version === latestVersion()) return;
    throw new StorageError(
      `The database ${path} is of version ${version} and cannot be brought to version ${latestVersion()}, because it is read-only.`,
    );
  });
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
