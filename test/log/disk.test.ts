import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import type { SyncFile } from '../../src/log/disk.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { lastSeqOf } from '../support/last-seq.ts';
import { append, decided, overdue, queued, seqsOf, session } from './sample-events.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
const one = session('one');
const two = session('two');

/** A log on a disk that confirms when it is told to. */
function open() {
  const asked: ((error: Error | null) => void)[] = [];
  const sync: SyncFile = (_descriptor, done) => asked.push(done);
  const path = join(directory(), 'beckon.db');
  const log = openSqliteLog({ path, sync });
  const settled: string[] = [];
  const watch = <T>(name: string, work: Promise<T>): Promise<T> => {
    work.then(
      () => settled.push(name),
      () => settled.push(`${name} refused`),
    );
    return work;
  };
  const confirm = (error: Error | null = null) => {
    const [done] = asked.splice(0, 1);
    if (done === undefined) throw new Error('nobody waits for the disk');
    done(error);
  };
  return { log, path, asked, settled, watch, confirm };
}

/** A fact that is stored after all that was appended before. */
const later = async (log: ReturnType<typeof open>['log']) => append(log, session('later'), overdue('t'));

describe('waiting for the disk', () => {
  it('[STORE2] a decision is acknowledged, and shown, when the disk itself has it; a fact does not wait', async () => {
    const { log, asked, settled, watch, confirm } = open();
    const decision = watch('decision', append(log, one, decided('i1')));
    await watch('fact', append(log, two, overdue('a')));
    await later(log);
    expect(settled).toEqual(['fact']);
    expect(asked).toHaveLength(1);
    expect(lastSeqOf(log, one)).toBe(0);
    expect(log.findByReference(one, 'i1')).toEqual([]);
    expect(log.search('denied', 5)).toEqual([]);
    expect([...log.streams()].map(({ stream }) => stream)).not.toContain(one);

    confirm();
    expect(seqsOf(await decision)).toEqual([1]);
    expect(lastSeqOf(log, one)).toBe(1);
    expect(log.search('denied', 5)).toHaveLength(1);
    await log.close();
  });

  it('[STORE2] what is written while the disk is at work waits for the next time, and shares it', async () => {
    const { log, asked, settled, watch, confirm } = open();
    const first = watch('first', append(log, one, decided('i1')));
    await later(log);
    const second = watch('second', append(log, one, queued('m1', null)));
    const third = watch('third', log.remove(two));
    await later(log);
    expect(asked).toHaveLength(1);
    confirm();
    await first;
    await later(log);
    expect(settled).toEqual(['first']);
    expect(asked).toHaveLength(1);
    confirm();
    expect(seqsOf(await second)).toEqual([2]);
    await third;
    expect(asked).toHaveLength(0);
    await log.close();
  });

  it('[STORE2] a disk that does not confirm is a failure in words, after which nothing is taken until a new start', async () => {
    const { log, path, asked, settled, watch, confirm } = open();
    await append(log, one, overdue('a'));
    const refused: Promise<unknown>[] = [
      watch('decision', append(log, one, decided('i1'))),
      watch('removal', log.remove(session('other'))),
    ];
    await later(log);
    // the system reports such an error once; whoever waits for the next sync must not be told that all is well
    refused.push(watch('late decision', append(log, one, decided('i2'))));
    await later(log);
    confirm(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' }));
    for (const one of refused) await expect(one).rejects.toThrow(StorageError);
    expect(settled.sort()).toEqual(['decision refused', 'late decision refused', 'removal refused']);
    expect(asked).toEqual([]);
    await expect(append(log, one, overdue('b'))).rejects.toThrow(
      `The database ${path} cannot be relied on until Beckon is started again: the disk did not confirm a write.`,
    );
    expect(log.page(one, { limit: 5 }).events).toMatchObject([{ turnId: 'a' }]);
    expect(log.storage).toMatchObject({ ok: false, problem: 'disk-error' });
    await log.close();

    const again = openSqliteLog({ path });
    expect(seqsOf(await append(again, one, decided('i3')))).toEqual([4]);
    await again.close();
  });

  it('a removal that waits for it does not hide what was written anew and acknowledged before', async () => {
    const { log, watch, confirm } = open();
    await append(log, one, overdue('old'));
    const waiting = [watch('removal', log.remove(one)), watch('decision', append(log, one, decided('i1')))];
    await append(log, one, overdue('new'));
    confirm();
    await Promise.all(waiting);
    expect(log.page(one, { limit: 5 }).events).toMatchObject([
      { seq: 1, interactionId: 'i1' },
      { seq: 2, turnId: 'new' },
    ]);
    await log.close();
  });

  it('closing waits for it', async () => {
    const { log, settled, watch, confirm } = open();
    const decision = watch('decision', append(log, one, decided('i1')));
    const closed = watch('closed', log.close());
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toEqual([]);
    confirm();
    await Promise.all([decision, closed]);
    expect(settled).toEqual(['decision', 'closed']);
  });
});
