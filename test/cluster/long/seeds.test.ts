import { expect, test } from 'vitest';
import { times } from '../../support/seeded-random.ts';
import { simulate } from '../simulation/simulation.ts';

test('[CLU1] [CLU2] [CLU5] five thousand seeds keep every promise', async () => {
  for (let seed = 1; seed <= times(5_000); seed += 1)
    expect({ seed, broken: await simulate(seed) }).toEqual({ seed, broken: [] });
});
