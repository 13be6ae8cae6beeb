import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../engine/ports/event-log.ts';

/** "Bckn": tells our files from those of other programs that use SQLite. */
export const applicationId = 0x42_63_6b_6e;

/** The steps from an empty file to the present form, in order; each is done once, whole or not at all, and never changed. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      PRAGMA application_id = ${applicationId};

      CREATE TABLE stream (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        snapshot_seq INTEGER,
        snapshot_version INTEGER,
        snapshot_state TEXT
      ) STRICT;

      -- id is the order of appending over all streams: what is newest needs no clock
      CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        asked_tool TEXT,
        searchable INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX event_by_seq ON event (stream, seq);
      CREATE INDEX event_by_asked_tool ON event (asked_tool) WHERE asked_tool IS NOT NULL;

      CREATE TABLE reference (
        stream INTEGER NOT NULL,
        name TEXT NOT NULL,
        event INTEGER NOT NULL,
        PRIMARY KEY (stream, name, event)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE blob (
        stream INTEGER NOT NULL,
        blob_id TEXT NOT NULL,
        media_type TEXT NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (stream, blob_id)
      ) STRICT;

      -- holds no text of its own: excerpts are cut from the events
      CREATE VIRTUAL TABLE search USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
      );
      -- merging whole levels at once would stop everything for tens of milliseconds: it is done in small steps instead
      INSERT INTO search (search, rank) VALUES ('automerge', 0), ('crisismerge', 1000);

      -- up to which event the search index has come
      CREATE TABLE search_progress (indexed INTEGER NOT NULL) STRICT;
      INSERT INTO search_progress VALUES (0);
    `,
  },
  {
    version: 2,
    sql: `
      -- apart from the stream's row: it changes with nearly every append, and that row may carry a large snapshot
      CREATE TABLE mark (
        stream INTEGER PRIMARY KEY,
        process_id TEXT NOT NULL,
        read_to INTEGER NOT NULL,
        memory TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    version: 3,
    sql: `
      -- what events are found by follows them in steps: kept with each event, it was most of what an append wrote
      DROP INDEX event_by_seq;
      DROP INDEX event_by_asked_tool;
      CREATE TABLE place (
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        event INTEGER NOT NULL,
        PRIMARY KEY (stream, seq)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO place SELECT stream, seq, id FROM event ORDER BY stream, seq;
      CREATE TABLE asked (
        tool TEXT NOT NULL,
        event INTEGER NOT NULL,
        PRIMARY KEY (tool, event)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO asked SELECT asked_tool, id FROM event WHERE asked_tool IS NOT NULL;

      -- up to which event those have come
      CREATE TABLE place_progress (placed INTEGER NOT NULL) STRICT;
      INSERT INTO place_progress SELECT coalesce(max(id), 0) FROM event;
    `,
  },
  {
    version: 4,
    // A stream without a row is read at the next start, and gets one then: so this need not know how to make them.
    sql: `
      CREATE TABLE summary (
        stream INTEGER PRIMARY KEY,
        version INTEGER NOT NULL,
        id TEXT NOT NULL,
        key TEXT,
        status TEXT NOT NULL,
        since TEXT NOT NULL,
        holds_grants INTEGER NOT NULL,
        words TEXT NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX summary_by_id ON summary (id);
      CREATE INDEX summary_by_key ON summary (key) WHERE key IS NOT NULL;
      -- has all that a list is filtered and ordered by: the rows themselves are long
      CREATE INDEX summary_by_change ON summary (version, since, id, status, words);
      CREATE INDEX summary_with_grants ON summary (stream) WHERE holds_grants;
    `,
  },
  {
    version: 5,
    sql: `
      -- how many facts of the run came before the mark; those of earlier versions were not counted
      ALTER TABLE mark ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
    `,
  },
  {
    version: 6,
    sql: `
      -- takes a position in the order of the events, so that a removal has its place in it and no position is given twice
      CREATE TABLE removal (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT) STRICT;
      -- each time the log was opened and written: up to where it went then. What was told beyond that is lost
      CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL) STRICT;
    `,
  },
  {
    version: 7,
    sql: `
      ALTER TABLE summary ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE summary ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
      DROP INDEX summary_by_change;
      CREATE INDEX summary_by_change ON summary (version, since, id, status, archived, words);
      CREATE INDEX summary_archived ON summary (version, archived) WHERE archived;
      CREATE INDEX summary_pinned ON summary (version, pinned) WHERE pinned;
    `,
  },
];

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const latestVersion = (steps: readonly Migration[] = migrations): number => steps.at(-1)?.version ?? 0;

/** Brings a database to the latest version, and says whether it was of an earlier one; a step that fails leaves it at the one before. */
export function migrate(db: DatabaseSync, steps: readonly Migration[] = migrations): boolean {
  const { user_version: current } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  const missing = steps.filter((step) => step.version > current);
  for (const { version, sql } of missing) {
    try {
      db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw new StorageError(`The database could not be brought from version ${version - 1} to ${version}.`, {
        cause: error,
      });
    }
  }
  return missing.length > 0;
}
