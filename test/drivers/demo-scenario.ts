import type { Scenario } from '../contracts/driver-contract.ts';

/** What to say to the demo agent to have it do what the contract is about. */
export const demoScenario: Scenario = {
  reply: 'hello',
  command: 'run touch asked.txt',
  question: 'question',
  endless: 'slow 100000',
  twoAtOnce: '!parallel',
  subAgent: 'subagent',
  modelError: '!api-error',
  plan: 'plan',
  slash: 'hello',
  sleeper: "run setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait",
};
