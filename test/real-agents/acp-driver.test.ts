import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acpDriver } from '../../src/drivers/acp/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../contracts/driver-contract.ts';
import { acpClaude } from './acp-claude.ts';
import { claudeEnvironment } from './claude-program.ts';
import { startModelStandIn } from './model-stand-in.ts';
import { scenario, teach } from './scenario.ts';

driverContract('Claude Code by ACP', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-claude-acp-')));
  const cwd = mkdtempSync(join(dir, 'work-'));
  const home = mkdtempSync(join(dir, 'home-'));
  const model = await startModelStandIn();
  teach(model, cwd);
  const processes = new LocalProcessHost({ dataDir: dir });
  return {
    driver: acpDriver({
      processes,
      environment: claudeEnvironment({ baseUrl: model.url, home }),
      version: '0.0.0',
      agent: acpClaude(),
    }),
    scenario,
    cwd,
    env: {},
    otherModel: 'haiku',
    // The adapter offers to bypass all asking where the program takes itself for sandboxed.
    refusedModes: ['nonsense'],
    async close() {
      await processes.close();
      await model.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
