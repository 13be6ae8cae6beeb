import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Checkpoints } from '../../src/log/checkpoints.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { patienceMs } from '../support/patience.ts';
import { append, seqsOf, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');
const large: NewEvent = { type: 'agent.thinking', agentMessageId: 'm', block: 0, text: 'x'.repeat(100_000) };

describe('the write-ahead log', () => {
  it('does not grow without end while there is always something new, and is gone when the log is closed', async () => {
    const path = join(directory(), 'beckon.db');
    const log = openSqliteLog({ path });
    let most = 0;
    for (let n = 1; n <= 1_200; n += 1) {
      expect(seqsOf(await append(log, one, large))).toEqual([n]);
      most = Math.max(most, statSync(`${path}-wal`).size);
    }
    expect(most).toBeLessThan(48_000_000);
    await log.close();
    expect(statSync(path).size).toBeGreaterThan(120_000_000);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('is tidied up by a program that does nothing else, which ends by itself when it has closed the log', async () => {
    const path = join(directory(), 'beckon.db');
    const program = fileURLToPath(new URL('append-and-close.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program, path], { timeout: patienceMs });
    expect(stdout).toBe('closed\n');
    const log = openSqliteLog({ path });
    expect(lastSeqOf(log, one)).toBe(201);
    await log.close();
  });

  it('is left to SQLite when the thread cannot do its work, and nobody is held up', async () => {
    const path = join(directory(), 'beckon.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    const checkpoints = new Checkpoints({
      path: join(directory(), 'missing', 'no.db'),
      db,
      onHold: () => {},
    });
    const automatic = () => Object.values(db.prepare('PRAGMA wal_autocheckpoint').get() ?? {})[0];
    expect(automatic()).toBe(0);
    checkpoints.wrote(100_000);
    await expect.poll(automatic, { interval: 10 }).toBe(1_000);
    checkpoints.wrote(100_000);
    await checkpoints.close();
    db.close();
  });

  it('is begun anew after the writer has held still for a moment, once it is too long', async () => {
    const path = join(directory(), 'beckon.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    const held: boolean[] = [];
    const checkpoints = new Checkpoints({ path, db, onHold: (hold) => held.push(hold) });
    const insert = db.prepare('INSERT INTO t VALUES (zeroblob(4000000))');
    for (let n = 0; n < 4; n += 1) insert.run();
    checkpoints.wrote(4_000);
    await expect.poll(() => held, { interval: 10 }).toEqual([true, false]);
    const frames = () => db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.log;
    expect(frames()).toBeGreaterThan(3_000);
    insert.run();
    expect(frames()).toBeLessThan(1_500);
    await checkpoints.close();
    db.close();
  });
});
