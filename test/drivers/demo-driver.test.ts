import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoDriver } from '../../src/drivers/demo/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../contracts/driver-contract.ts';
import { demoScenario } from './demo-scenario.ts';

driverContract('the demo agent', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-demo-')));
  const cwd = mkdtempSync(join(dir, 'work-'));
  const processes = new LocalProcessHost({ dataDir: dir });
  return {
    driver: demoDriver({ processes, environment: process.env, home: join(dir, 'home'), paceMs: 1 }),
    cwd,
    env: {},
    otherModel: 'another-model',
    scenario: demoScenario,
    async close() {
      await processes.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
