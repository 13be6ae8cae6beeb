import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/engine/ports/event-log.ts';
import { CommitQueue } from '../../src/log/commit-queue.ts';

describe('the commit queue', () => {
  const open = () => {
    const attempts: string[] = [];
    const queue = new CommitQueue<string, string>((writes) => {
      attempts.push(writes.join(''));
      if (writes.includes('!')) throw new Error('at fault');
      return writes.map((write) => write.toUpperCase());
    });
    return { queue, attempts };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('writes what one turn of the event loop brought in one transaction, in order', async () => {
    const { queue, attempts } = open();
    const first = [queue.add('a'), queue.add('b')];
    await Promise.resolve();
    first.push(queue.add('c'));
    expect(await Promise.all(first)).toEqual(['A', 'B', 'C']);
    expect(await queue.add('d')).toBe('D');
    expect(attempts).toEqual(['abc', 'd']);
  });

  it('tries each alone when they failed together, so that only the one at fault is rejected', async () => {
    const { queue, attempts } = open();
    expect(await Promise.allSettled(['a', '!', 'c'].map((write) => queue.add(write)))).toMatchObject([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: { message: 'at fault' } },
      { status: 'fulfilled', value: 'C' },
    ]);
    await expect(queue.add('!')).rejects.toThrow('at fault');
    expect(attempts).toEqual(['a!c', 'a', '!', 'c', '!']);
  });

  it('writes nothing while it is held, and everything when it is released', async () => {
    const { queue, attempts } = open();
    const scheduled = queue.add('a');
    queue.hold();
    await turn();
    const held = queue.add('b');
    await turn();
    expect(attempts).toEqual([]);
    queue.release();
    expect(await Promise.all([scheduled, held])).toEqual(['A', 'B']);
    expect(attempts).toEqual(['ab']);
  });

  it('writes what waits when it is closed, held or not, and takes no more', async () => {
    const { queue } = open();
    queue.hold();
    const waiting = queue.add('a');
    queue.close();
    expect(await waiting).toBe('A');
    await expect(queue.add('late')).rejects.toThrow(StorageError);
  });
});
