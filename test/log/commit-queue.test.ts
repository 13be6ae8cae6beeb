import { describe, expect, it } from 'vitest';
import { CommitQueue, type Write } from '../../src/log/commit-queue.ts';

describe('the commit queue', () => {
  it('writes what one turn of the event loop brought in one transaction, in order', async () => {
    const transactions: number[] = [];
    const done: string[] = [];
    const queue = new CommitQueue((writes) => {
      transactions.push(writes.length);
      return writes.map(({ run }) => run());
    });
    const write = (name: string) =>
      queue.add({
        decision: false,
        run: () => {
          done.push(name);
          return name;
        },
      });

    const first = [write('a'), write('b')];
    await Promise.resolve();
    first.push(write('c'));
    expect(await Promise.all(first)).toEqual(['a', 'b', 'c']);
    expect(await write('d')).toBe('d');
    expect(transactions).toEqual([3, 1]);
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('tries each alone when they failed together, so that only the one at fault is rejected', async () => {
    const attempts: number[] = [];
    const queue = new CommitQueue((writes: readonly Write<unknown>[]) => {
      attempts.push(writes.length);
      return writes.map(({ run }) => run());
    });
    const settled = await Promise.allSettled([
      queue.add({ decision: false, run: () => 'a' }),
      queue.add({
        decision: false,
        run: () => {
          throw new Error('at fault');
        },
      }),
      queue.add({ decision: false, run: () => 'c' }),
    ]);
    expect(settled).toMatchObject([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: { message: 'at fault' } },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(attempts).toEqual([3, 1, 1, 1]);
  });
});
