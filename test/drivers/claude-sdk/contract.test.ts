import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claudeSdkDriver } from '../../../src/drivers/claude-sdk/driver.ts';
import { LocalProcessHost } from '../../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../../contracts/driver-contract.ts';
import { demoScenario } from '../demo-scenario.ts';
import { installSdk } from './sdk-package.ts';
import { standInSdk } from './stand-in-sdk.ts';

const demo = resolve(import.meta.dirname, '../../../src/drivers/demo/program/main.ts');

driverContract('the demo agent through an Agent SDK', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-sdk-demo-')));
  const cwd = mkdtempSync(join(dir, 'work-'));
  const program = join(dir, 'claude');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${demo}" "$@"\n`, { mode: 0o755 });
  installSdk(dir);
  const processes = new LocalProcessHost({ dataDir: dir });
  return {
    driver: claudeSdkDriver({
      processes,
      environment: process.env,
      program,
      directories: [dir],
      loader: async () => standInSdk(),
    }),
    cwd,
    env: { BECKON_DEMO_HOME: join(dir, 'home'), BECKON_DEMO_PACE: '1' },
    otherModel: 'another-model',
    scenario: demoScenario,
    async close() {
      await processes.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
