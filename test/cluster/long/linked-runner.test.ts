import type { Runner } from '../../../src/engine/ports/runner.ts';
import { type RunnerUnderTest, runnerContract } from '../../contracts/runner-contract.ts';
import { demoAgent, onFiles } from '../../runner/runner-rig.ts';
import { seededRandom, testSeed } from '../../support/seeded-random.ts';
import { type LinkChances, LinkedRunner } from '../linked-runner.ts';

runnerContract('a runner behind a link, whose rooms come and go', async () =>
  whereRoomsComeAndGo(onFiles(demoAgent)),
);

runnerContract('a runner behind a link that is started anew with each room', async () => {
  const under = onFiles(demoAgent);
  return { ...under, open: () => together(under.open()) };
});

const seed = testSeed();
runnerContract(`a runner behind a link that loses, doubles and reorders (seed ${seed})`, async () =>
  whereRoomsComeAndGo(onFiles(demoAgent), { random: seededRandom(seed) }),
);

function whereRoomsComeAndGo(under: RunnerUnderTest, chances: LinkChances = {}): RunnerUnderTest {
  let local: Runner | undefined;
  let linked: LinkedRunner | undefined;
  return {
    ...under,
    open() {
      local ??= under.open();
      linked ??= new LinkedRunner(local, chances);
      return linked.room();
    },
    async close() {
      linked?.stop();
      await local?.close();
      await under.close();
    },
  };
}

function together(local: Runner): Runner {
  const linked = new LinkedRunner(local);
  return linked.room(async (how) => {
    linked.stop();
    await local[how]();
  });
}
