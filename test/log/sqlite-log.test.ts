import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { eventLogContract } from '../contracts/event-log-contract.ts';
import { append, at, overdue, session } from './sample-events.ts';
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
