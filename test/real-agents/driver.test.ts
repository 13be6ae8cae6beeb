import { claudeDriver } from '../../src/drivers/claude/driver.ts';
import { claudeContract } from './claude-contract.ts';
import { claudePrograms } from './claude-program.ts';

for (const { version, path } of claudePrograms()) {
  claudeContract(
    `Claude Code ${version}`,
    (surroundings) => claudeDriver({ ...surroundings, program: path }),
    { otherModel: 'claude-haiku-4-5' },
  );
}
