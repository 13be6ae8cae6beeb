import { StorageError } from '../engine/ports/event-log.ts';
import { Listeners } from '../model/listeners.ts';
import {
  type MissingHistory,
  type StorageProblem,
  type StorageState,
  storageReasons,
} from '../protocol/storage.ts';

/** How things stand with the disk, for all who want to know. */
export class StorageReport {
  readonly #listeners = new Listeners<[StorageState]>();
  #state: StorageState;

  constructor(missing: readonly MissingHistory[]) {
    this.#state = { ok: true, missing: [...missing] };
  }

  get state(): StorageState {
    return this.#state;
  }

  listen(listener: (state: StorageState) => void): () => void {
    return this.#listeners.add(listener);
  }

  failed(problem: StorageProblem): void {
    if (this.#state.problem === problem) return;
    const since = this.#state.since ?? new Date().toISOString();
    this.#change({
      ok: false,
      problem,
      reason: storageReasons[problem],
      since,
      missing: this.#state.missing,
    });
  }

  worked(): void {
    if (!this.#state.ok) this.#change({ ok: true, missing: this.#state.missing });
  }

  /** Told again when it could be kept, it is still the same. */
  isMissing(missing: MissingHistory): void {
    const others = this.#state.missing.filter(({ foundAt }) => foundAt !== missing.foundAt);
    this.#change({ ...this.#state, missing: [...others, missing] });
  }

  #change(state: StorageState): void {
    this.#state = state;
    this.#listeners.tell(state);
  }
}

/** Turns what SQLite or the file system says into a sentence for a person; any other error is a bug and stays as it is. */
export function storageFailure(path: string, error: unknown): unknown {
  if (error instanceof StorageError) return error;
  const why = sqliteReason(error) ?? fileReason(error);
  if (why === undefined) return error;
  return new StorageError(`The database ${path} ${why}`, { cause: error, problem: problemOf(error) });
}

/** Whether the file holds something else, or nothing that makes sense. */
export function isNoDatabase(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqlite.notADatabase || code === sqlite.corrupt;
}

/** Whether the disk has no room. */
export const isFull = (error: unknown): boolean => problemOf(error) === 'disk-full';

function problemOf(error: unknown): StorageProblem | undefined {
  if (error instanceof StorageError) return error.problem ?? problemOf(error.cause);
  const code = sqliteCode(error) ?? (error as { code?: unknown } | undefined)?.code;
  if (code === sqlite.full || code === 'ENOSPC' || code === 'EDQUOT' || isSharedMemoryFull(error))
    return 'disk-full';
  if (code === sqlite.readOnly || code === 'EROFS') return 'read-only';
  return code === sqlite.inputOutput || code === 'EIO' ? 'disk-error' : undefined;
}

/** The file beside a write-ahead log that its readers share could not be made. */
const isSharedMemoryFull = (error: unknown): boolean =>
  (error as { errcode?: unknown } | undefined)?.errcode === (sqlite.inputOutput | (19 << 8));

/** Whether reading may work although writing does not. */
export function isReadOnly(error: unknown): boolean {
  const code = sqliteCode(error) ?? (error as { code?: unknown }).code;
  return [sqlite.readOnly, sqlite.cannotOpen, 'EACCES', 'EPERM', 'EROFS'].some((known) => known === code);
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const sqlite = {
  busy: 5,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  notADatabase: 26,
} as const;

function sqliteReason(error: unknown): string | undefined {
  switch (sqliteCode(error)) {
    case undefined:
      return undefined;
    case sqlite.busy:
      return 'is locked by another program.';
    case sqlite.readOnly:
      return 'cannot be written: the file or the disk is read-only.';
    case sqlite.inputOutput:
      if (isSharedMemoryFull(error)) return 'cannot grow: the disk is full.';
      return 'cannot be used: the disk reported an error.';
    case sqlite.corrupt:
      return 'is damaged.';
    case sqlite.full:
      return 'cannot grow: the disk is full.';
    case sqlite.cannotOpen:
      return 'cannot be opened.';
    case sqlite.tooBig:
      return 'cannot take a value this large.';
    case sqlite.notADatabase:
      return 'is not a database.';
    default:
      return `cannot be used: ${(error as Error).message}.`;
  }
}

function sqliteCode(error: unknown): number | undefined {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // the low byte is the kind of failure, the rest its details
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

function fileReason(error: unknown): string | undefined {
  const { code, syscall, message } = error as { code?: unknown; syscall?: unknown; message?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') return undefined;
  return problemOf(error) === 'disk-full'
    ? 'cannot grow: the disk is full.'
    : `cannot be opened: ${String(message)}.`;
}
