import { closeSync, openSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNoDatabase, storageFailure } from './storage-report.ts';

/**
 * One server per data directory. The lock is the operating system's, taken through an empty SQLite file:
 * of two that start in the same moment exactly one gets it, and it ends with its process, also by kill -9.
 */
export interface DirectoryLock {
  release(): void;
}

export function tryLock(dataDir: string): DirectoryLock | undefined {
  const path = join(dataDir, 'server.lock');
  try {
    closeSync(openSync(path, 'a', 0o600));
    return lockFile(path);
  } catch (error) {
    throw storageFailure(path, error);
  }
}

function lockFile(path: string, isEmptied = false): DirectoryLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to roll back after a kill, and nothing that a full disk could refuse.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    if (isEmptied || !isNoDatabase(error)) throw error;
    // Its content was read, so nobody holds the lock: whoever does keeps others from reading.
    truncateSync(path);
    return lockFile(path, true);
  }
}

/** Whether a server holds the lock now. It is taken for a moment to find out; a server that starts in that moment tries again. */
export function isLocked(dataDir: string): boolean {
  const lock = tryLock(dataDir);
  lock?.release();
  return lock === undefined;
}

const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;
