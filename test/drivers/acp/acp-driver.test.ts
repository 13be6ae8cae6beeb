import { driverContract } from '../../contracts/agent-driver-contract.ts';
import { acpRig } from './acp-rig.ts';

for (const [how, flags, isOnFiles] of [
  ['resumes its conversations', [], false],
  ['loads its conversations, on files', ['--load'], true],
] as const) {
  driverContract(`an ACP agent that ${how}`, async () => {
    const { driver, cwd, close } = acpRig({ flags: [...flags], isOnFiles });
    return {
      driver,
      cwd,
      env: {},
      otherModel: 'another-model',
      close,
      scenario: {
        reply: 'hello',
        command: 'run touch asked.txt',
        question: 'question',
        endless: 'endless',
        twoAtOnce: 'two',
        subAgent: 'subagent',
        modelError: 'fail',
        plan: 'plan',
        slash: 'hello',
        sleeper: "run setsid sh -c 'echo $$ > sleeper.pid; exec sleep 600' & wait",
      },
    };
  });
}
