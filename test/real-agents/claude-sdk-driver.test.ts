import { claudeSdkDriver } from '../../src/drivers/claude-sdk/driver.ts';
import { claudeContract } from './claude-contract.ts';
import { claudePrograms } from './claude-program.ts';

const directories = [import.meta.dirname];

for (const { version, path } of claudePrograms()) {
  claudeContract(
    `the Agent SDK with Claude Code ${version}`,
    (surroundings) => claudeSdkDriver({ ...surroundings, program: path, directories }),
    { otherModel: 'claude-haiku-4-5' },
  );
}
