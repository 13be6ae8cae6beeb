import { runnerContract } from '../contracts/runner-contract.ts';
import { carriedRunner } from '../support/carried-runner.ts';
import { demoAgent, onFiles } from './runner-rig.ts';

runnerContract('a runner that only JSON gets to, in its own time', async () => {
  const under = onFiles(demoAgent);
  return { ...under, open: () => carriedRunner(under.open()) };
});
