import { runnerContract } from '../contracts/runner-contract.ts';
import { demoAgent, onFiles, onPipes } from './runner-rig.ts';

runnerContract('a runner in this program, with agents on files', async () => onFiles(demoAgent));
runnerContract('a runner in this program, with agents on pipes', async () => onPipes(demoAgent), {
  noneOutlives: 'their pipes end with this program',
});
