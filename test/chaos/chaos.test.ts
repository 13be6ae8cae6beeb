import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons } from '../support/beckon-process.ts';
import { testSeed } from '../support/seeded-random.ts';
import { endWatches } from '../support/watch.ts';
import { chaos } from './chaos.ts';

const seed = testSeed();

afterEach(async () => {
  endWatches();
  await endBeckons();
});

describe('servers, agents and keepers that are killed at random moments under load', () => {
  it.each([
    { kills: 16, ephemeral: false, rules: '[STORE2] [SES10] [ASK2] [ASK3] [ASK5] [MSG3]' },
    { kills: 10, ephemeral: true, rules: '[STORE2] [SES7] [ASK3] [MSG5]' },
  ])(
    `$rules $kills kills, ephemeral: $ephemeral: nothing that was acknowledged is lost, nothing comes twice, nothing is invented, by the agents' own records (seed ${seed})`,
    { timeout: 300_000 },
    async ({ kills, ephemeral }) => {
      const { broken, killed, ...figures } = await chaos({ kills, ephemeral, seed, agents: 6 });
      expect(broken).toEqual([]);
      expect(Object.values(killed).reduce((sum, count) => sum + count)).toBe(kills);
      expect(figures.messages).toBeGreaterThan(kills);
      expect(figures.answersWon).toBeGreaterThan(kills);
    },
  );
});
