import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeDriver } from '../../../src/drivers/claude/driver.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../../contracts/agent-driver-contract.ts';
import { drilledAgent, drilledScenario } from '../../support/drilled-agent.ts';

driverContract('the demo agent, with drills, in the place of Claude Code', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-demo-')));
  const cwd = mkdtempSync(join(dir, 'work-'));
  const processes = new LocalProcessHost({ dataDir: dir });
  return {
    driver: claudeDriver({ processes, environment: process.env, program: drilledAgent(dir) }),
    cwd,
    env: {},
    otherModel: 'another-model',
    scenario: drilledScenario,
    async close() {
      await processes.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
