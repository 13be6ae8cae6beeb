import { act, renderHook } from '@testing-library/react';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useLatestAnswer } from '../../src/web/data/use-latest-answer.ts';

const move = fc.oneof(
  { arbitrary: fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', ''), weight: 3 },
  { arbitrary: fc.constantFrom(undefined), weight: 1 },
  { arbitrary: fc.constantFrom(true, false), weight: 3 },
);

it('[UI23] [UI24] what is offered always fits what stands there, whenever the server replies, and is its answer to that in the end', async () => {
  const found = (typed: string): readonly string[] => ['1', '2'].map((end) => typed + end);
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 14 }), async (moves) => {
      const asked: { readonly typed: string; settle(isFine: boolean): void }[] = [];
      const ask = (typed: string): Promise<readonly string[]> => {
        const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
        asked.push({
          typed,
          settle: (isFine) => (isFine ? resolve(found(typed)) : reject(new Error('gone'))),
        });
        return promise;
      };
      const fitting = (all: readonly string[], typed: string) =>
        all.filter((each) => each.startsWith(typed) && each !== typed);
      let typed: string | undefined;
      const hook = renderHook(() => useLatestAnswer(ask, typed, fitting));
      const reply = (isFine: boolean) => act(async () => asked.shift()?.settle(isFine));
      for (const next of moves) {
        if (typeof next === 'boolean') await reply(next);
        else {
          typed = next;
          hook.rerender();
        }
        expect(asked.length).toBeLessThanOrEqual(1);
        const shown = hook.result.current;
        if (typed === undefined) expect(shown).toBeUndefined();
        for (const each of shown?.value ?? []) expect(each.startsWith(typed ?? 'none')).toBe(true);
      }
      while (asked.length > 0) await reply(true);
      const shown = hook.result.current;
      hook.unmount();
      expect(shown?.asked).toBe(typed);
      if (typed !== undefined && shown?.error === null) expect(shown.value).toEqual(found(typed));
    }),
  );
});
