import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeSdkDriver } from '../../../src/drivers/claude-sdk/driver.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../../contracts/agent-driver-contract.ts';
import { drilledAgent, drilledScenario } from '../../support/drilled-agent.ts';
import { installSdk } from './sdk-package.ts';
import { standInSdk } from './stand-in-sdk.ts';

driverContract('the demo agent through an Agent SDK', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-sdk-demo-')));
  const cwd = mkdtempSync(join(dir, 'work-'));
  installSdk(dir);
  const processes = new LocalProcessHost({ dataDir: dir });
  return {
    driver: claudeSdkDriver({
      processes,
      environment: process.env,
      program: drilledAgent(dir),
      directories: [dir],
      loader: async () => standInSdk(),
    }),
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
