import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons } from '../support/beckon-process.ts';
import { testSeed, times } from '../support/seeded-random.ts';
import { endWatches } from '../support/watch.ts';
import { chaos } from './chaos.ts';

const seed = testSeed();
const timeout = times(300_000);

afterEach(async () => {
  endWatches();
  await endBeckons();
});

async function expectKept(kills: number, ephemeral: boolean): Promise<void> {
  const { broken, killed, ...figures } = await chaos({ kills, ephemeral, seed, agents: 6 });
  expect(broken).toEqual([]);
  expect(Object.values(killed).reduce((sum, count) => sum + count)).toBe(kills);
  expect(figures.messages).toBeGreaterThan(kills);
  expect(figures.answersWon).toBeGreaterThan(kills);
}

describe(`nothing acknowledged is lost, nothing comes twice, nothing is invented, by the agents' own records (seed ${seed})`, () => {
  it(
    '[STORE2] [SES10] [ASK2] [ASK3] [ASK5] [MSG3] servers, agents and the shells that hold them are killed at random moments under load',
    {
      timeout,
    },
    () => expectKept(times(10), false),
  );

  it(
    '[STORE2] [SES7] [ASK3] [MSG5] the same where no agent outlives its server',
    {
      timeout,
    },
    () => expectKept(times(6), true),
  );
});
