import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../engine/ports/event-log.ts';
import { applicationId, latestVersion } from './migrations.ts';
import { findDamage } from './missing-history.ts';
import { isNoDatabase, storageFailure } from './storage-report.ts';

/** What is known of a database that was copied, or is to be put in place. */
export interface DatabaseFacts {
  /** Of its form: a Beckon reads those up to its own. */
  readonly version: number;
  readonly events: number;
  /** When its newest event was stored; null where it has none. */
  readonly newestAt: string | null;
}

/**
 * Copies the database as it is at one moment, while a server may go on writing: everything that was committed before is in the copy.
 * What was removed from it is not in the copy either. `isInUse` says whether a server has it. Without one, a log that a killed server
 * left damaged is not touched: opening it would remove the traces by which the next server sees what is missing.
 */
export function copyDatabase(from: string, to: string, isInUse: boolean): DatabaseFacts {
  if (!isInUse && findDamage(from) !== undefined)
    throw new StorageError(
      `The write-ahead log of ${from} is damaged: start the server once, which keeps it aside and tells what is missing.`,
    );
  try {
    const db = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
    try {
      db.prepare('VACUUM INTO ?').run(to);
    } finally {
      db.close();
    }
  } catch (error) {
    throw storageFailure(from, error);
  }
  return checkDatabase(to);
}

/** Looks through a database that nobody else has. Throws `StorageError` where it is damaged, another program's or of a newer Beckon. */
export function checkDatabase(path: string): DatabaseFacts {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return factsOf(path, db);
    } finally {
      db.close();
    }
  } catch (error) {
    if (isNoDatabase(error)) throw new StorageError(`${path} is no database.`, { cause: error });
    throw storageFailure(path, error);
  }
}

function factsOf(path: string, db: DatabaseSync): DatabaseFacts {
  const version = numberOf(db, 'PRAGMA user_version');
  if (numberOf(db, 'PRAGMA application_id') !== applicationId)
    throw new StorageError(`The database ${path} belongs to another program.`);
  if (version > latestVersion())
    throw new StorageError(
      `The database is of version ${version}, and this Beckon knows versions up to ${latestVersion()}: use a newer Beckon.`,
    );
  const { quick_check: verdict } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (verdict !== 'ok') throw new StorageError(`The database ${path} is damaged.`);
  const newest = db.prepare('SELECT at FROM event ORDER BY id DESC LIMIT 1').get() as
    | { at: string }
    | undefined;
  return { version, events: numberOf(db, 'SELECT count(*) FROM event'), newestAt: newest?.at ?? null };
}

const numberOf = (db: DatabaseSync, sql: string): number =>
  Number(Object.values(db.prepare(sql).get() ?? {})[0]);
