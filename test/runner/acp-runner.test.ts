import { runnerContract } from '../contracts/runner-contract.ts';
import { acpAgent, onFiles } from './runner-rig.ts';

runnerContract('a runner in this program, with agents of the Agent Client Protocol', async () =>
  onFiles(acpAgent),
);
