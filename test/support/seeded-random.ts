/** The same numbers for the same seed, from 0 up to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** How often a test tries: with `BECKON_TEST_TIMES=10` ten times as often. */
export const times = (count: number): number => Math.ceil(count * Number(process.env.BECKON_TEST_TIMES ?? 1));

/** What a test prints in its title, so that a failure can be tried again. */
export const testSeed = (): number => Number(process.env.BECKON_TEST_SEED ?? Date.now() % 100_000);
