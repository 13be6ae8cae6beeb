import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { eventLogContract } from '../contracts/event-log-contract.ts';
import { append, at, decided, overdue, placeOf, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const open = () => openSqliteLog({ path: join(directory(), 'beckon.db') });

eventLogContract('the log on SQLite', open);

it('keeps nothing of an append that failed half-way', async () => {
  const log = open();
  const one = session('one');
  const data = 'no bytes' as unknown as Uint8Array;
  const blobs = [{ blobId: 'b', mediaType: 'image/png', data }];
  const checkpoint = { number: 1, mark: { processId: 'p1', offset: 1, memory: {} } };
  const failing = () =>
    log.append({ parts: [{ stream: one, at, events: [overdue('half')], blobs, checkpoint }] });

  await expect(failing()).rejects.toThrow(StorageError);
  expect([...log.streams()]).toEqual([]);
  const settled = await Promise.allSettled([
    append(log, one, overdue('a')),
    failing(),
    append(log, one, overdue('b')),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log.page(one, { limit: 5 }).events).toMatchObject([
    { seq: 1, turnId: 'a' },
    { seq: 2, turnId: 'b' },
  ]);
  expect([...log.streams()]).toMatchObject([{ stream: one, checkpoint: undefined }]);
  await log.close();
});

it('[STORE13] positions outlive the log being opened again; those that a power cut took are known to be gone', async () => {
  const path = join(directory(), 'beckon.db');
  const one = session('one');
  const first = openSqliteLog({ path });
  await append(first, one, overdue('a'));
  await append(first, one, overdue('b'));
  const copy = join(directory(), 'beckon.db');
  for (const end of ['', '-wal']) cpSync(path + end, copy + end);
  await append(first, one, overdue('c'));
  expect(first.hasPosition(first.run, 3)).toBe(true);

  // As after a power cut: the third was told, and is not there.
  const second = openSqliteLog({ path: copy });
  expect([2, 3].map((position) => second.hasPosition(first.run, position))).toEqual([true, false]);
  for (const name of ['d', 'e', 'f']) await append(second, one, overdue(name));
  expect([2, 3].map((position) => second.hasPosition(first.run, position))).toEqual([true, false]);
  expect(second.hasPosition(second.run, 5)).toBe(true);
  await second.close();

  const third = openSqliteLog({ path: copy });
  expect([2, 3].map((position) => third.hasPosition(first.run, position))).toEqual([true, false]);
  expect([5, 6].map((position) => third.hasPosition(second.run, position))).toEqual([true, false]);
  await third.close();
  await first.close();
});

it('[STORE13] a position is not given again when the newest stream was removed and the log opened again', async () => {
  const path = join(directory(), 'beckon.db');
  const before = openSqliteLog({ path });
  await append(before, session('one'), overdue('a'));
  await append(before, session('two'), overdue('b'), overdue('c'));
  await before.remove(session('two'));
  await before.close();
  const after = openSqliteLog({ path });
  expect((await placeOf(after, session('one'), overdue('d'))).own).toEqual({ from: 5, to: 5 });
  await after.close();
});

it('[STORE13] says of each append what before it still waits for the disk', async () => {
  const syncs: ((error: Error | null) => void)[] = [];
  const log = openSqliteLog({
    path: join(directory(), 'beckon.db'),
    sync: (_, done) => void syncs.push(done),
  });
  const decision = placeOf(log, session('one'), decided('i1'));
  const place = await placeOf(log, session('two'), overdue('a'));
  expect(place).toEqual({ own: { from: 2, to: 2 }, newest: 2, unacknowledged: [{ from: 1, to: 1 }] });
  syncs[0]?.(null);
  expect(await decision).toEqual({ own: { from: 1, to: 1 }, newest: 2, unacknowledged: [] });
  await log.close();
});
