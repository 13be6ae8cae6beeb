/** The same numbers for the same seed, from 0 up to 1; they repeat after four billion. */
export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

/** How often a test tries: with `BECKON_TEST_TIMES=10` ten times as often. */
export const times = (count: number): number => Math.ceil(count * Number(process.env.BECKON_TEST_TIMES ?? 1));

/** What a test prints in its title, so that a failure can be tried again. */
export const testSeed = (): number => Number(process.env.BECKON_TEST_SEED ?? Date.now() % 100_000);
